package workspace

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// maxIndex bounds how much of a Git index is read, in bytes; a larger one is
// that of a repository with millions of files.
const maxIndex = 512 << 20

// checkTracked refuses a workspace that came with a repository: whoever made
// the commit would give this machine's agents their directives. config.toml and
// .gitignore may be shared. It reads Git's index and runs nothing.
func checkTracked(dir string) error {
	project, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		return nil // the opening itself says what is wrong
	}
	root, index := indexOf(project)
	if index == "" {
		return nil
	}
	rel, err := filepath.Rel(root, filepath.Join(project, Folder))
	if err != nil {
		return nil
	}
	prefix := filepath.ToSlash(rel) + "/"
	for _, name := range trackedBelow(readIndex(index), prefix) {
		switch strings.TrimPrefix(name, prefix) {
		case "config.toml", ".gitignore":
			continue
		}
		return model.Errorf(model.CodeRefused, "%s is tracked by Git, so the workspace may be somebody else's", clean.Line(name)).
			WithHint("if it is yours: git rm --cached %s, and commit; else delete it and run binnacle init", clean.Line(name))
	}
	return nil
}

// indexOf finds the work tree that a folder lies in, and its index; "" for none.
func indexOf(dir string) (root, index string) {
	for {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		switch {
		case err == nil && info.IsDir():
			return dir, filepath.Join(git, "index")
		case err == nil && info.Mode().IsRegular():
			line, _ := firstLine(git)
			if gitdir := gitdirIn(line, dir); gitdir != "" {
				return dir, filepath.Join(gitdir, "index")
			}
			return "", ""
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", ""
		}
		dir = above
	}
}

func readIndex(path string) []byte {
	if info, err := os.Stat(path); err != nil || info.Size() > maxIndex {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) < 12 || string(raw[:4]) != "DIRC" {
		return nil
	}
	return raw
}

// trackedBelow lists the paths in an index that begin with prefix.
func trackedBelow(index []byte, prefix string) []string {
	if len(index) < 12 {
		return nil
	}
	if binary.BigEndian.Uint32(index[4:]) < 4 {
		return wholeNames(index, prefix)
	}
	for _, hash := range []int{20, 32} { // the index does not say which hash it uses
		if names, ok := packedNames(index, prefix, hash); ok {
			return names
		}
	}
	return nil
}

// wholeNames looks for names in the forms 2 and 3, in which each stands whole,
// between its length and a NUL. How long an entry's hash is need not be known.
func wholeNames(index []byte, prefix string) []string {
	var out []string
	for i := 0; ; {
		at := bytes.Index(index[i:], []byte(prefix))
		if at < 0 {
			return out
		}
		at += i
		i = at + 1
		end := bytes.IndexByte(index[at:], 0)
		if end < 0 {
			return out
		}
		if length := min(end, 0xfff); lengthBefore(index, at, 2) == length || lengthBefore(index, at, 4) == length {
			out = append(out, string(index[at:at+end]))
		}
	}
}

// lengthBefore reads the flags that stand n bytes before a name: 4 where an
// extended entry has more of them.
func lengthBefore(index []byte, at, n int) int {
	if at < n {
		return -1
	}
	return int(binary.BigEndian.Uint16(index[at-n:]) & 0xfff)
}

// packedNames reads the names of form 4, in which each is what it shares with
// the one before and the rest. ok is false where the index is not of that form.
func packedNames(index []byte, prefix string, hash int) (out []string, ok bool) {
	const stat = 40
	count, at, name := binary.BigEndian.Uint32(index[8:]), 12, []byte(nil)
	for ; count > 0; count-- {
		flags := at + stat + hash
		if flags+2 > len(index) {
			return nil, false
		}
		at = flags + 2
		if index[flags]&0x40 != 0 {
			at += 2
		}
		drop, n := indexVarint(index, at)
		if n == 0 || drop > len(name) {
			return nil, false
		}
		at += n
		end := bytes.IndexByte(index[at:], 0)
		if end < 0 {
			return nil, false
		}
		name = append(name[:len(name)-drop:len(name)-drop], index[at:at+end]...)
		at += end + 1
		if bytes.HasPrefix(name, []byte(prefix)) {
			out = append(out, string(name))
		}
	}
	return out, true
}

// indexVarint reads Git's number of many bytes; n is 0 where there is none.
func indexVarint(index []byte, at int) (v, n int) {
	for ; at+n < len(index) && n < 5; n++ {
		b := index[at+n]
		if n > 0 {
			v++
		}
		v = v<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return v, n + 1
		}
	}
	return 0, 0
}
