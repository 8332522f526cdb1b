package model

import (
	"strconv"
	"strings"

	"binnacle/model/clean"
)

// Cursor is a place in one incarnation of a ledger: after the event Seq. 0 is
// before the first event.
type Cursor struct {
	Epoch string // "" when the cursor was written without one: any epoch
	Seq   int64
}

// MaxCursor bounds a cursor's text, in bytes.
const MaxCursor = 100

// String writes e<epoch>.<seq>, or e<seq> without an epoch. Readers should
// treat it as opaque.
func (c Cursor) String() string {
	if c.Epoch == "" {
		return "e" + strconv.FormatInt(c.Seq, 10)
	}
	return "e" + c.Epoch + "." + strconv.FormatInt(c.Seq, 10)
}

// Check refuses a cursor that can't be gone on from in the ledger whose newest
// event is at head: one of another epoch, or past that event.
func (c Cursor) Check(head Cursor) error {
	if c.Epoch != "" && c.Epoch != head.Epoch {
		return Errorf(CodeStale, "the cursor %s is of another epoch of this ledger; now it is %s", c, head.Epoch).
			WithHint("the ledger was restored from a backup; read again from the start")
	}
	if c.Seq > head.Seq {
		return Errorf(CodeStale, "the cursor %s is past the newest event, %d", c, head.Seq)
	}
	return nil
}

// MarshalText writes String's form.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what ParseCursor reads.
func (c *Cursor) UnmarshalText(b []byte) error {
	v, err := ParseCursor(string(b))
	*c = v
	return err
}

// ParseCursor reads what String writes, and a bare number.
func ParseCursor(s string) (Cursor, error) {
	if len(s) > MaxCursor {
		return Cursor{}, badCursor(s)
	}
	rest, prefixed := strings.CutPrefix(s, "e")
	epoch, digits, dotted := "", rest, false
	if prefixed {
		if i := strings.LastIndexByte(rest, '.'); i >= 0 {
			epoch, digits, dotted = rest[:i], rest[i+1:], true
		}
	}
	if dotted && !IsEpoch(epoch) {
		return Cursor{}, badCursor(s)
	}
	seq, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seq < 0 || strconv.FormatInt(seq, 10) != digits {
		return Cursor{}, badCursor(s)
	}
	return Cursor{Epoch: epoch, Seq: seq}, nil
}

// IsEpoch says whether s can be the name of an epoch: 1 to 64 letters, digits,
// underscores and dashes.
func IsEpoch(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !IsTopicByte(s[i]) || s[i] == '.' {
			return false
		}
	}
	return true
}

func badCursor(s string) error {
	return Errorf(CodeInvalid, "%q is not a cursor", clean.Line(CutBytes(s, 40))).
		WithHint("a cursor looks like e4f2c.1041; a bare sequence number is read, too")
}
