package hooks

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"binnacle/model/session"
)

// transcriptTail is how much of a transcript's end is looked at.
const transcriptTail = 256 << 10

// ContextUse reads how full the context is from the end of a tool's
// transcript, where the tool writes it: zero when it can't be told. Transcripts
// lag behind and have no promised form, so nothing rests on them.
func ContextUse(home, tool, path string) session.ContextUse {
	if path == "" {
		return session.ContextUse{}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(home, rest)
	}
	tail := readTail(path)
	switch tool {
	case ToolClaude:
		return claudeContext(tail)
	case ToolCodex:
		return codexContext(tail)
	case ToolGemini:
		return geminiContext(tail)
	}
	return session.ContextUse{}
}

// readTail never waits: what is not a regular file is not read.
func readTail(path string) []byte {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	from := max(0, info.Size()-transcriptTail)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, transcriptTail))
	if err != nil {
		return nil
	}
	return tail
}

// lastLine calls each for the lines that hold mark, from the last, until it
// says that it found what it wants.
func lastLine(tail []byte, mark string, each func(bag) bool) {
	for len(tail) > 0 {
		start := bytes.LastIndexByte(tail, '\n') + 1
		line := tail[start:]
		tail = tail[:max(0, start-1)]
		if !bytes.Contains(line, []byte(mark)) {
			continue
		}
		if b, err := parseBag(line); err == nil && each(b) {
			return
		}
	}
}

func claudeContext(tail []byte) (c session.ContextUse) {
	lastLine(tail, `"usage"`, func(b bag) bool {
		if b.truth("isSidechain") {
			return false // a subagent's
		}
		u := b.object("message").object("usage")
		c.Used = u.number("input_tokens") + u.number("cache_creation_input_tokens") + u.number("cache_read_input_tokens")
		return c.Used > 0
	})
	return c
}

func codexContext(tail []byte) (c session.ContextUse) {
	lastLine(tail, `"token_count"`, func(b bag) bool {
		info := b.object("payload").object("info")
		c.Used = info.object("last_token_usage").number("total_tokens")
		c.Max = info.number("model_context_window")
		return c.Used > 0
	})
	return c
}

func geminiContext(tail []byte) session.ContextUse {
	found := regexp.MustCompile(`"tokens"\s*:\s*\{[^{}]*?"input"\s*:\s*(\d{1,15})`).FindAllSubmatch(tail, -1)
	if len(found) == 0 {
		return session.ContextUse{}
	}
	n, err := strconv.ParseInt(string(found[len(found)-1][1]), 10, 64)
	if err != nil {
		return session.ContextUse{}
	}
	return session.ContextUse{Used: n}
}
