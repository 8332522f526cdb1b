package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"binnacle/backend/fleet/process"
	"binnacle/model"
	"binnacle/model/clean"
)

const (
	maxErrorText = 8 << 10
	maxRemarks   = 5   // lines of the host's own words that are shown
	maxRemark    = 200 // bytes of each
)

// child is one run of git, outside of any repository of the user.
type child struct {
	gitDir    string   // the bare repository it works in, "" for none
	dir       string   // the folder it starts in
	config    []string // more -c settings
	args      []string
	stdin     []byte
	maxOut    int      // bytes of output; more ends it
	fileLimit int64    // bytes of any file it writes, 0 for no limit
	env       []string // nil: closedEnv's
}

// Result is what a child left behind.
type Result struct {
	out    []byte
	stderr string // cut, not cleaned
	code   int    // exit status; -1 when a signal ended it
}

// errTooMuch says that a child wrote more than its caller would read.
var errTooMuch = errors.New("the output is larger than it may be")

// run starts git and waits for it. A non-zero exit is no error of run: the
// caller knows what it means. What is: git could not be started, its time was
// up, it wrote too much. However it ends, nothing that it started is left.
func (r *Repo) run(ctx context.Context, c child) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, r.opts.ChildTimeout)
	defer cancel()
	argv := c.argv()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = c.dir
	if cmd.Dir == "" {
		cmd.Dir = r.opts.StateDir
	}
	if cmd.Env = c.env; c.env == nil {
		cmd.Env = closedEnv(r.opts.Environ, nil)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	if c.maxOut == 0 {
		c.maxOut = 1 << 20
	}
	stop := make(chan struct{}, 1)
	out := &capped{most: c.maxOut, stop: stop}
	errText := &capped{most: maxErrorText, quiet: true}
	cmd.Stdout, cmd.Stderr = out, errText
	// A grandchild that keeps the pipes open must not keep us waiting.
	cmd.WaitDelay = process.Grace + time.Second
	if err := cmd.Start(); err != nil {
		return Result{code: -1}, model.Errorf(model.CodeInternal, "git can't be started: %w", err).
			WithHint("install git 2.36 or newer")
	}
	r.started.Add(1)
	err := process.Await(ctx, cmd, stop)
	res := Result{out: out.buf.Bytes(), stderr: errText.buf.String(), code: cmd.ProcessState.ExitCode()}
	switch {
	case out.over:
		return res, errTooMuch
	case ctx.Err() != nil:
		return res, model.Errorf(model.CodeOffline, "the remote did not answer in time: %w", ctx.Err()).
			WithHint("check the network; binnacle fleet doctor asks the remote by itself")
	case err != nil && res.code == 0:
		return res, model.Errorf(model.CodeInternal, "git could not be waited for: %w", err)
	}
	return res, nil
}

func (c child) argv() []string {
	git := []string{"git"}
	if c.gitDir != "" {
		git = append(git, "--git-dir="+c.gitDir)
	}
	for _, s := range append(baseConfig(), c.config...) {
		git = append(git, "-c", s)
	}
	git = append(git, c.args...)
	if c.fileLimit > 0 {
		// The shell's unit is 512 bytes; exec keeps the process and its limit.
		blocks := strconv.FormatInt((c.fileLimit+511)/512, 10)
		git = append([]string{"/bin/sh", "-c", `ulimit -f "$0" && exec "$@"`, blocks}, git...)
	}
	return git
}

func baseConfig() []string {
	return []string{
		"core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false",
		"http.lowSpeedLimit=1", "http.lowSpeedTime=5", "advice.objectNameWarning=false",
	}
}

// capped keeps what fits; what comes beyond is dropped, and said.
type capped struct {
	buf   bytes.Buffer
	most  int
	quiet bool // dropping is no fault
	over  bool
	stop  chan<- struct{}
}

func (w *capped) Write(p []byte) (int, error) {
	left := w.most - w.buf.Len()
	if len(p) <= left {
		return w.buf.Write(p)
	}
	if w.quiet {
		w.buf.Write(p[:max(0, left)])
		return len(p), nil
	}
	if !w.over {
		w.over = true
		w.stop <- struct{}{}
	}
	return len(p), nil
}

// why reduces git's complaint to its first telling line, cleaned.
func (r Result) why() string {
	for _, line := range strings.Split(r.stderr, "\n") {
		line = strings.TrimSpace(line)
		for _, p := range []string{"fatal: ", "error: ", "remote: "} {
			if t, ok := strings.CutPrefix(line, p); ok && t != "" {
				return clean.Line(HideSecret(t))
			}
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(r.stderr), "\n")
	if line == "" {
		return "git ended with status " + strconv.Itoa(r.code)
	}
	return clean.Line(HideSecret(line))
}

// remarks are the host's own words about a refusal, cleaned and bounded, to be
// put behind its reason: "" when it said nothing.
func (r Result) remarks() string {
	var words []string
	for _, line := range strings.Split(r.stderr, "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "remote:")
		if text = clean.Line(HideSecret(strings.TrimSpace(text))); !ok || text == "" {
			continue
		}
		if len(text) > maxRemark {
			text = strings.ToValidUTF8(text[:maxRemark], "") + "…"
		}
		if words = append(words, text); len(words) == maxRemarks {
			break
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (it says: " + strings.Join(words, " / ") + ")"
}

// HideSecret takes user and password out of the URLs in a text.
func HideSecret(s string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return s
		}
		start := from + i + 3
		end := start
		for end < len(s) && !strings.ContainsRune("/ '\"\t", rune(s[end])) {
			end++
		}
		if at := strings.LastIndexByte(s[start:end], '@'); at >= 0 {
			s = s[:start] + s[start+at+1:]
			end -= at + 1
		}
		from = end
	}
}

// Unreachable makes the error of a child that could not speak with the remote.
func Unreachable(doing string, r Result) error {
	e := model.Errorf(model.CodeOffline, "%s failed: %s", doing, r.why())
	if strings.Contains(r.stderr, "terminal prompts disabled") || strings.Contains(r.stderr, "could not read Username") ||
		strings.Contains(r.stderr, "could not read Password") || strings.Contains(r.stderr, "Permission denied (") ||
		strings.Contains(r.stderr, "Authentication failed") {
		return e.WithHint("the remote wants credentials that git does not have: set up a credential helper or an ssh agent; nobody is asked for a password here")
	}
	return e.WithHint("the last fetch stands; it is tried again later")
}

var _ io.Writer = (*capped)(nil)
