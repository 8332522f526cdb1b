package store

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"binnacle/model"
	"binnacle/model/clean"
)

// Fault is an error that only the implementation understands, with what was being
// done. It gets its code and its sentence where it leaves Write or Read.
type Fault struct {
	Doing string
	Err   error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

// Explain turns an error from below into one with a code, a sentence and a
// hint. doing says what was being done, as in "can't <doing>". Errors that have
// a code already pass through.
func Explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var known *model.Error
	if errors.As(err, &known) {
		return err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return model.Errorf(model.CodeTimeout, "the time ran out while waiting to %s", doing)
	case errors.Is(err, context.Canceled):
		return model.Errorf(model.CodeCancelled, "cancelled while waiting to %s", doing)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull(doing, err)
	case errors.Is(err, fs.ErrPermission):
		return model.Errorf(model.CodeRefused, "can't %s: %w", doing, err)
	}
	return model.Errorf(model.CodeInternal, "can't %s: %w", doing, &Fault{doing, err})
}

// DiskFull is what Explain makes of an error for want of room.
func DiskFull(doing string, err error) error {
	return model.Errorf(model.CodeNoSpace, "can't %s: the disk is full (%w)", doing, err).
		WithHint("nothing was written; make room and try again")
}

// Closed is the refusal of a store that was closed.
func Closed() error { return model.Errorf(model.CodeCancelled, "the database is closed") }

// NoEvent and NoRecord are the answers of Reader.Event and Reader.Record where
// there is none.
func NoEvent(seq int64) error {
	return model.Errorf(model.CodeNotFound, "there is no event %d", seq)
}

// NoRecord is explained at NoEvent.
func NoRecord(noun, key string) error {
	return model.Errorf(model.CodeNotFound, "there is no %s %q", noun, clean.Line(key))
}

// UnknownRecords is the refusal of a projection that the store was opened without.
func UnknownRecords(p Projection) error {
	return model.Errorf(model.CodeInternal, "the store was opened without the table %s", p.Shape().Table)
}

// LostEpoch is the refusal of a ledger that does not say which one it is: a
// cursor of it would fit any other.
func LostEpoch() error {
	return model.Errorf(model.CodeCorrupt, "the ledger has lost its epoch: the row \"epoch\" of the table meta is gone or empty").
		WithHint("binnacle ledger rebuild gives it a new one; binnacle ledger restore FILE brings a backup back")
}
