package store

import (
	"context"

	"binnacle/model"
)

// Segment is a stretch of the ledger's beginning that was sealed away: its events
// lie in a file (see package segment) and no longer as rows. Segments follow one
// another without a gap from event 1 on, and the first event that still stands as
// a row continues the last of them; a reader of events notices nothing, but for
// queries of the table events, which see rows only.
type Segment struct {
	First  int64      `json:"first"`
	Last   int64      `json:"last"`
	Prev   string     `json:"prev"` // the hash that event First continues
	Hash   string     `json:"hash"` // of event Last
	Begin  model.Time `json:"begin"`
	End    model.Time `json:"end"` // the times of the events First and Last
	Bytes  int64      `json:"bytes"`
	SHA256 string     `json:"sha256"` // of the file
	Sealed model.Time `json:"sealed"` // when
}

// Events is how many events the segment has.
func (s Segment) Events() int64 { return s.Last - s.First + 1 }

// Archiver is what a store offers, beside Store, that can seal events away.
//
// The order that loses nothing, whatever happens in between: Keep makes the file
// durable, Tx.Seal makes it count, Tx.Shed takes rows away that are in it. What
// Keep left without a Seal is a stray, which Tidy removes.
//
// All of them but Unpacked and Strays are for whoever owns the archive.
type Archiver interface {
	// Own takes the archive, which one process at a time may change, until release is
	// called. CodeBusy when another has it.
	Own() (release func(), err error)
	// Keep makes a segment's file durable where the store's readers will look for it.
	Keep(s Segment, file []byte) error
	// Unpacked reads a segment and holds it against what was sealed: CodeCorrupt
	// when it is missing, or another file.
	Unpacked(ctx context.Context, s Segment) ([]model.Event, error)
	// Strays lists the files in the archive that no segment has, by their names.
	Strays(ctx context.Context) ([]string, error)
	// Tidy puts segments that a restored backup brought with it into files, and moves
	// strays aside.
	Tidy(ctx context.Context) error
}
