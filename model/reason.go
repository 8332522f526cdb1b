package model

import (
	"errors"
	"slices"
	"strings"
)

// Reason is why err came about, without what Go and the system put before it:
// of "open /x/y: is a directory" it is "it is a folder". The sentence that it
// stands in names the file.
func Reason(err error) string {
	text := err.Error()
	for e := err; e != nil; e = errors.Unwrap(e) {
		if !ofSystem(e) {
			continue
		}
		last := e
		for below := errors.Unwrap(last); below != nil; below = errors.Unwrap(last) {
			last = below
		}
		return strings.Replace(text, e.Error(), ourWords(last.Error()), 1)
	}
	return text
}

// systemCode is the system's own error: package syscall's Errno, which may not
// be named here.
type systemCode interface {
	error
	Is(error) bool
	Timeout() bool
	Temporary() bool
}

// ofSystem says whether e is what Go wraps a failed call in, with its name and
// the path, or the bare failure.
func ofSystem(e error) bool {
	if _, ok := e.(systemCode); ok {
		return true
	}
	below := errors.Unwrap(e)
	if below == nil {
		return false
	}
	if _, ok := e.(interface{ Timeout() bool }); ok {
		return true
	}
	_, ok := below.(systemCode)
	return ok
}

// ourWords are the system's words where it has better ones for programs than
// for people.
func ourWords(said string) string {
	switch said {
	case "no such file or directory", "file does not exist":
		return "there is no such file"
	case "is a directory":
		return "it is a folder"
	case "not a directory":
		return "a part of its path is not a folder"
	case "file exists", "file already exists":
		return "it is there already"
	case "file name too long":
		return "its name is too long"
	case "invalid argument":
		return "the system does not take it"
	}
	return said
}

// reasoned is an error that reads as its Reason.
type reasoned struct{ error }

func (p *reasoned) Error() string { return Reason(p.error) }

func (p *reasoned) Unwrap() error { return p.error }

// plainArgs returns args with reasoned errors in the place of errors.
func plainArgs(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		if err, ok := a.(error); ok {
			out[i] = &reasoned{err}
		}
	}
	return out
}

// Bounds of a message, in characters: nobody reads a word that is longer than a
// path can well be, nor a page.
const (
	maxWord    = 300
	maxMessage = 2000
)

// readable cuts words and texts that are too long, and says so with an
// ellipsis.
func readable(s string) string {
	if len(s) <= maxWord {
		return s
	}
	var b strings.Builder
	count, word := 0, 0
	for i, r := range s {
		if count++; count > maxMessage {
			b.WriteString("…")
			break
		}
		if r == ' ' || r == '\n' {
			word = 0
		} else if word++; word == maxWord {
			b.WriteString("…")
		}
		if word < maxWord || r == '"' && closes(s[i+1:]) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// closes says whether a quotation mark before rest ends a word.
func closes(rest string) bool { return rest == "" || strings.ContainsRune(" ,;:.", rune(rest[0])) }
