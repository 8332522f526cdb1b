// Package scratch makes temporary folders and files that do not outlive their
// owner. Each has a lock of the system's on it (flock), which goes when the
// process that made it ends, however it ends. Whoever makes the next one in the
// same place takes the lock of each that it finds there, without waiting, and
// removes what it gets: what a killed process left behind.
//
// What holds: a folder or file whose owner lives is never touched; neither is
// what has another name than this package gives, is a symbolic link or belongs
// to another user. On a file system without such locks nothing is cleaned.
package scratch

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// named says whether an entry is named as ours are: what for, in 1 to 16 small
// letters, and 16 random hex digits.
func named(name string) bool {
	rest, ok := strings.CutPrefix(name, ".binnacle-")
	what, random, _ := strings.Cut(rest, "-")
	made := func(s, of string, least, most int) bool {
		return len(s) >= least && len(s) <= most && strings.Trim(s, of) == ""
	}
	return ok && made(what, "abcdefghijklmnopqrstuvwxyz", 1, 16) && made(random, "0123456789abcdef", 16, 16)
}

// attempts bounds how often another name is tried, when a cleaner was faster
// than our lock.
const attempts = 100

// Folder is a temporary folder, of mode 0700.
type Folder struct {
	path string
	lock *os.File
}

// NewFolder makes a folder in parent ("" is the system's folder for temporary
// files), after cleaning there. what is one word in small letters.
func NewFolder(parent, what string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	f, err := create(parent, what, func(path string) (*os.File, error) {
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	})
	if err != nil {
		return nil, err
	}
	return &Folder{path: f.Name(), lock: f}, nil
}

// Path is where it is.
func (d *Folder) Path() string { return d.path }

// Lock is for a child process that works in the folder: as long as the child has
// it open, the folder counts as in use.
func (d *Folder) Lock() *os.File { return d.lock }

// Remove deletes the folder with all that is in it.
func (d *Folder) Remove() error {
	return errors.Join(os.RemoveAll(d.path), d.lock.Close())
}

// File is a temporary file, of mode 0600, beside the one that it will become.
type File struct {
	*os.File
	placed bool
}

// NewFile makes a file in parent, after cleaning there. what is one word in
// small letters.
func NewFile(parent, what string) (*File, error) {
	f, err := create(parent, what, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	})
	if err != nil {
		return nil, err
	}
	return &File{File: f}, nil
}

// Replace gives the file its name, in the place of one that is there, and closes
// it.
func (f *File) Replace(path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	f.placed = true
	return f.Close()
}

// Publish gives the file its name, unless it is taken (fs.ErrExist), and closes
// it.
func (f *File) Publish(path string) error {
	if err := Publish(f.Name(), path); err != nil {
		return err
	}
	f.placed = true
	return f.Close()
}

// Discard deletes the file, if it got no name. It may be deferred.
func (f *File) Discard() {
	if !f.placed {
		_ = os.Remove(f.Name())
		_ = f.Close()
	}
}

// Publish moves a finished file to a name on the same file system, unless the
// name is taken: then the error is fs.ErrExist.
func Publish(from, to string) error {
	// Unlike a rename, a link never replaces a file.
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if _, e := os.Lstat(to); e == nil {
		return &fs.PathError{Op: "link", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to) // a file system without links
}

// create makes an entry and locks it. A cleaner may find it before it is locked;
// it holds the lock then until the entry is gone, so another is made.
func create(parent, what string, entry func(path string) (*os.File, error)) (*os.File, error) {
	Clean(parent)
	for range attempts {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		name := ".binnacle-" + what + "-" + hex.EncodeToString(random[:])
		if !named(name) {
			return nil, fmt.Errorf("%q can't name a temporary file", what)
		}
		path := filepath.Join(parent, name)
		f, err := entry(path)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) && there(parent) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !errors.Is(flock(f), syscall.EWOULDBLOCK) && same(f, path) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("no temporary file can be kept in %s", parent)
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// flock takes the lock without waiting. Any error but EWOULDBLOCK says that the
// file system has no such locks.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// same says whether path still leads to f itself.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
