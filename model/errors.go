package model

import (
	"errors"
	"fmt"
)

// Code names what went wrong; it is stable and machine readable.
type Code string

// The codes of the whole program. Exit maps each to its exit status.
const (
	CodeUsage     Code = "USAGE"        // a flag or an argument is wrong
	CodeInvalid   Code = "INVALID"      // input breaks a contract
	CodeSecret    Code = "SECRET"       // a text looks like it holds a secret
	CodeRefused   Code = "REFUSED"      // the operation is not possible in this state
	CodeStale     Code = "STALE"        // the record moved on since it was looked at
	CodeToken     Code = "STALE_TOKEN"  // the claim token is not the current claim's
	CodeNotFound  Code = "NOT_FOUND"    // no such record
	CodeEmpty     Code = "EMPTY"        // nothing there to serve
	CodeCorrupt   Code = "CORRUPT"      // a check of the ledger failed
	CodeReadOnly  Code = "READ_ONLY"    // a write in read-only mode
	CodeNoSpace   Code = "NO_SPACE"     // the disk is full
	CodeBusy      Code = "BUSY"         // another process holds the lock
	CodeTimeout   Code = "TIMEOUT"      // --timeout ran out
	CodeSchema    Code = "SCHEMA"       // the database needs another version of the program
	CodeNoWork    Code = "NO_WORKSPACE" // no workspace here
	CodeFileSys   Code = "FILESYSTEM"   // the file system can't hold a database
	CodeBlocked   Code = "BLOCKED"      // the fleet refuses to answer
	CodeNoServer  Code = "NO_SERVER"    // no server is listening
	CodeInternal  Code = "INTERNAL"     // a bug, or a failing machine
	CodeCancelled Code = "CANCELLED"    // the caller went away
	CodeGone      Code = "GONE"         // the database was deleted, replaced or moved while it was open
	CodeRate      Code = "RATE_LIMITED" // somebody did so much of it that more has to wait
)

// Error is a refusal that people and programs can act on: a code, one
// sentence, and where it helps a hint of what to do.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Err     error  `json:"-"` // what lies below, or nil
}

// Errorf makes an Error of the code with a formatted sentence; a %w verb keeps
// the wrapped error reachable. Errors among args are told by their Reason, and
// what is too long to be read is cut.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, plainArgs(args)...)
	below := errors.Unwrap(err)
	if p, ok := below.(*reasoned); ok {
		below = p.error
	}
	return &Error{Code: code, Message: readable(err.Error()), Err: below}
}

// WithHint returns a copy of e that carries the hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = readable(fmt.Sprintf(format, plainArgs(args)...))
	return &c
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns what lies below, or nil.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first Error in err's chain, or CodeInternal.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// HintOf returns the hint of the first Error in err's chain, or "".
func HintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// Exit returns the exit status for err: 0 done; 1 a check failed or the
// operation was refused; 2 usage or validation; 3 nothing there to serve; 10
// blocked.
func Exit(err error) int {
	if err == nil {
		return 0
	}
	switch CodeOf(err) {
	case CodeUsage, CodeInvalid, CodeSecret, CodeNoWork:
		return 2
	case CodeEmpty, CodeNoServer:
		return 3
	case CodeBlocked, CodeNotFetched, CodeConflict, CodeRefRefused, CodeRefsFull:
		return 10
	default:
		return 1
	}
}
