package git

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// What a trusted command names is bounded, for every notice hashes it anew.
const (
	maxNamedFiles = 4096
	maxNamedBytes = 64 << 20
)

// CommandHash stands for the contents of every file of the repository that a
// command names: as a word, behind an option's =, or in a shell's text. A
// folder stands for all that is in it. What is not there stands for that, so
// that a file which comes later asks again, too.
func (r *Repo) CommandHash(command string) (string, error) {
	n := named{h: sha256.New(), root: r.Root}
	for _, word := range strings.FieldsFunc(command, apart) {
		if err := n.add(word); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(n.h.Sum(nil)), nil
}

// apart parts a command's text into what may be names of files.
func apart(r rune) bool {
	return r <= ' ' || strings.ContainsRune("'\"`;|&()<>=,$!{}", r)
}

type named struct {
	h     hash.Hash
	root  string
	files int
	bytes int64
}

// add takes one word in, if it names something that lies in the repository, or
// that a link of the repository leads to.
func (n *named) add(word string) error {
	path := filepath.Clean(statefile.Resolve(n.root, word))
	real, err := filepath.EvalSymlinks(path)
	if !within(n.root, path) && (err != nil || !within(n.root, real)) {
		return nil
	}
	n.say("word", word)
	if err != nil {
		n.say("none", "")
		return nil
	}
	return n.take(real)
}

// take takes a file in, or a folder with all that is in it, but for Git's own.
func (n *named) take(path string) error {
	return filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return n.refuse(path, err)
		}
		if d.IsDir() {
			if d.Name() == ".git" && at != path {
				return filepath.SkipDir
			}
			n.say("dir", at)
			return nil
		}
		if n.files++; n.files > maxNamedFiles {
			return n.refuse(path, errors.New("it holds too many files"))
		}
		n.say("file", at)
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(at)
			if err != nil {
				return n.refuse(path, err)
			}
			n.say("link", target)
			info, err := os.Stat(at)
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
			return n.content(path, at)
		}
		if !d.Type().IsRegular() {
			n.say("kind", d.Type().String())
			return nil
		}
		return n.content(path, at)
	})
}

func (n *named) content(path, at string) error {
	file, err := os.Open(at)
	if err != nil {
		return n.refuse(path, err)
	}
	defer file.Close()
	sum := sha256.New()
	read, err := io.Copy(sum, io.LimitReader(file, maxNamedBytes-n.bytes+1))
	if n.bytes += read; err == nil && n.bytes > maxNamedBytes {
		err = errors.New("it is too large")
	}
	if err != nil {
		return n.refuse(path, err)
	}
	n.say("bytes", string(sum.Sum(nil)))
	return nil
}

func (n *named) refuse(path string, err error) error {
	return model.Errorf(model.CodeUntrusted, "the command names %s, which can't be vouched for: %w", clean.Line(path), err).
		WithHint("name the one program that is to run")
}

// say puts a text into the hash so that no two sequences look the same.
func (n *named) say(kind, text string) {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	n.h.Write(sum[:])
}
