package ledger

import (
	"context"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
)

// MaxLinks bounds what Causes, Effects and History return.
const MaxLinks = 1000

// Event returns one event; CodeNotFound when there is none.
func (l *Ledger) Event(ctx context.Context, seq int64) (model.Event, error) {
	var e model.Event
	err := l.store.Read(ctx, func(r store.Reader) error {
		var err error
		e, err = r.Event(seq)
		return err
	})
	return e, err
}

// Causes follows causation back from the event seq: its cause, the cause of
// that, and so on to the root, at most limit (0 is MaxLinks). Causation points
// to earlier events only, so this ends.
func (l *Ledger) Causes(ctx context.Context, seq int64, limit int) ([]model.Event, error) {
	limit = bound(limit, MaxLinks)
	var out []model.Event
	err := l.store.Read(ctx, func(r store.Reader) error {
		out = nil
		e, err := r.Event(seq)
		if err != nil {
			return err
		}
		for e.Causation > 0 && e.Causation < e.Seq && len(out) < limit {
			next, err := r.Event(e.Causation)
			if model.CodeOf(err) == model.CodeNotFound && err != nil {
				return nil // sealed away, or damaged: verify says which
			}
			if err != nil {
				return err
			}
			out = append(out, next)
			e = next
		}
		return nil
	})
	return out, err
}

// Effects returns the events that name seq as their cause, oldest first, at
// most limit (0 is MaxLinks).
func (l *Ledger) Effects(ctx context.Context, seq int64, limit int) ([]model.Event, error) {
	var out []model.Event
	err := l.store.Read(ctx, func(r store.Reader) error {
		if _, err := r.Event(seq); err != nil {
			return err
		}
		var err error
		out, err = store.SelectEvents(r, `WHERE causation = $1 ORDER BY seq LIMIT $2`, seq, bound(limit, MaxLinks))
		return err
	})
	return out, err
}

// History returns the newest events of one record, oldest first, at most limit
// (0 is MaxLinks); more says that there are older ones.
func (l *Ledger) History(ctx context.Context, kind model.Kind, key string, limit int) (events []model.Event, more bool, err error) {
	err = l.store.Read(ctx, func(r store.Reader) error {
		events, more, err = history(r, kind, key, limit)
		return err
	})
	return events, more, err
}

func history(r store.Reader, kind model.Kind, key string, limit int) ([]model.Event, bool, error) {
	limit = bound(limit, MaxLinks)
	events, err := store.SelectEvents(r, `WHERE key = $1 AND kind = $2 ORDER BY seq DESC LIMIT $3`, key, string(kind), limit+1)
	if err != nil {
		return nil, false, err
	}
	more := len(events) > limit
	if more {
		events = events[:limit]
	}
	slices.Reverse(events)
	return events, more, nil
}

func bound(n, most int) int {
	if n <= 0 || n > most {
		return most
	}
	return n
}

// Newest reads the newest events of a kind and topic, the newest first, at most
// limit. It is for snapshots, which read everything in one transaction.
func Newest(r store.Reader, kind model.Kind, topic string, limit int) ([]model.Event, error) {
	return store.SelectEvents(r, `WHERE topic = $1 AND kind = $2 ORDER BY seq DESC LIMIT $3`, topic, string(kind), limit)
}
