package backend

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"binnacle/backend/scratch"
	"binnacle/model"
	"binnacle/model/desk"
)

// walkName is the file beside the database that says how the last whole walk of
// a background verification ended. It is no table: a walk would find itself in
// the changes that it looks for. It says what somebody found, and proves nothing.
const walkName = "verified.json"

// Walk is how a background verification of everything ended.
type Walk struct {
	Epoch   string           `json:"epoch"` // of the ledger that was verified
	State   desk.VerifyState `json:"state"` // ok or failed
	Seq     int64            `json:"seq"`   // the newest event then
	Finding string           `json:"finding,omitempty"`
	Whole   model.Time       `json:"whole_at,omitempty"` // when all of it was last found good
}

// keepWalk notes the end of a whole walk for commands that do not verify. What
// can't be written is not said: who verifies shows it anyway.
func (b *Backend) keepWalk(before, now desk.Verified) {
	ended := now.State == desk.VerifyOK && now.Whole != before.Whole || now.State == desk.VerifyFailed && before.State != now.State ||
		now.State == desk.VerifyOK && before.State == desk.VerifyFailed
	if !ended || b.ReadOnly() {
		return
	}
	text, err := json.Marshal(Walk{b.Store.Epoch(), now.State, now.Seq, now.Finding, now.Whole})
	if err != nil {
		return
	}
	dir := b.opt.Dir
	f, err := scratch.NewFile(dir, "walk")
	if err != nil {
		return
	}
	defer f.Discard()
	if _, err := f.Write(append(text, '\n')); err == nil {
		_ = f.Replace(filepath.Join(dir, walkName))
	}
}

// LastWalk is how the last whole walk over this ledger ended, in whatever
// process; nil where none is known.
func (b *Backend) LastWalk() *Walk {
	f, err := os.Open(filepath.Join(b.opt.Dir, walkName))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	var w Walk
	if err != nil || json.Unmarshal(text, &w) != nil || w.Epoch != b.Store.Epoch() {
		return nil
	}
	return &w
}
