package ledger

import (
	"context"
	"strconv"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// MaxList bounds a list of records.
const MaxList = 1000

// ListOptions choose records. The lists run by key, so After pages them.
type ListOptions struct {
	State string // "" is any
	After string // only keys greater than this
	Limit int    // 0 or more than MaxList is MaxList
}

// WorkItem is a work record as a list shows it: a read writes nothing, so a
// lease that has run out may still stand as claimed, and Lapsed says so.
type WorkItem struct {
	model.Work
	Lapsed bool `json:"lapsed"`
}

// SignalItem is a signal as a list shows it. Due says that its time has run
// out, though nothing has written that down yet.
type SignalItem struct {
	model.Signal
	Due bool `json:"due"`
}

// ListWork lists work records by key. With State claimed it leaves out those
// whose lease has run out; with State expired it includes them.
func (l *Ledger) ListWork(ctx context.Context, o ListOptions) ([]WorkItem, error) {
	if o.State != "" && !known(model.WorkMachine(), o.State) {
		return nil, unknownState(model.WorkMachine(), o.State)
	}
	now := l.clock()
	// Old claims and those of other boots go by the wall clock.
	const over = `CASE WHEN lease_boot = $2 THEN lease_awake <= $3 ELSE coalesce(lease_until, $4) <= $4 END`
	where, args := stateClause(o, model.WorkClaimed, model.WorkExpired, over, lease.Clocks(now)...)
	var out []WorkItem
	err := l.store.Read(ctx, func(r store.Reader) error {
		out = out[:0]
		found, err := Work.Select(r, `WHERE `+where+` ORDER BY key LIMIT `+o.limit(), args...)
		for _, w := range found {
			out = append(out, WorkItem{Work: w, Lapsed: w.Lapsed(now)})
		}
		return err
	})
	return out, err
}

// ListSignals lists signals by key. With State pending or claimed it leaves out
// those whose time has run out; with State expired it includes them.
func (l *Ledger) ListSignals(ctx context.Context, o ListOptions) ([]SignalItem, error) {
	if o.State != "" && !known(model.SignalMachine(), o.State) {
		return nil, unknownState(model.SignalMachine(), o.State)
	}
	now := l.clock.Now()
	where, args := stateClause(o, o.openSignal(), model.SignalExpired, `expires IS NOT NULL AND expires <= $2`, int64(now))
	var out []SignalItem
	err := l.store.Read(ctx, func(r store.Reader) error {
		out = out[:0]
		found, err := Signals.Select(r, `WHERE `+where+` ORDER BY key LIMIT `+o.limit(), args...)
		for _, s := range found {
			out = append(out, SignalItem{Signal: s, Due: s.Due(now)})
		}
		return err
	})
	return out, err
}

func (o ListOptions) openSignal() string {
	if o.State == model.SignalClaimed {
		return model.SignalClaimed
	}
	return model.SignalPending
}

func (o ListOptions) limit() string { return strconv.Itoa(bound(o.Limit, MaxList)) }

// stateClause is the condition on a record's state, in which a record that has
// run out counts as expired: over is that condition, of arguments from $2 on.
func stateClause(o ListOptions, open, expired, over string, now ...any) (string, []any) {
	switch o.State {
	case "":
		return `key > $1`, []any{o.After}
	case open:
		return `key > $1 AND state = '` + open + `' AND NOT (` + over + `)`, append([]any{o.After}, now...)
	case expired:
		return `key > $1 AND (state = '` + expired + `' OR state IN ('pending', 'claimed') AND ` + over + `)`,
			append([]any{o.After}, now...)
	}
	return `key > $1 AND state = $2`, []any{o.After, o.State}
}

func known(m model.Machine, state string) bool {
	for _, s := range m.States() {
		if s == state {
			return true
		}
	}
	return false
}

func unknownState(m model.Machine, state string) error {
	hint := ""
	for i, s := range m.States() {
		if i > 0 {
			hint += ", "
		}
		hint += s
	}
	return model.Errorf(model.CodeUsage, "%q is not a state of a %s", clean.Line(state), m.Noun).
		WithHint("the states are %s", hint)
}

// Signal, work, and their past.

// RecordHistory is a record with the events that made it, oldest first.
type RecordHistory[T any] struct {
	Record T             `json:"record"`
	Events []model.Event `json:"history"`
	More   bool          `json:"more,omitempty"` // there are older events than Events holds
}

// ShowSignal returns a signal with its newest events, at most limit.
func (l *Ledger) ShowSignal(ctx context.Context, key string, limit int) (RecordHistory[SignalItem], error) {
	var h RecordHistory[SignalItem]
	err := l.store.Read(ctx, func(r store.Reader) error {
		s, err := Signals.Get(r, key)
		if err != nil {
			return err
		}
		h.Record = SignalItem{Signal: s, Due: s.Due(l.clock.Now())}
		h.Events, h.More, err = history(r, model.KindSignal, key, limit)
		return err
	})
	return h, err
}

// ShowWork returns a work record with its newest events, at most limit.
func (l *Ledger) ShowWork(ctx context.Context, key string, limit int) (RecordHistory[WorkItem], error) {
	var h RecordHistory[WorkItem]
	err := l.store.Read(ctx, func(r store.Reader) error {
		w, err := Work.Get(r, key)
		if err != nil {
			return err
		}
		h.Record = WorkItem{Work: w, Lapsed: w.Lapsed(l.clock())}
		h.Events, h.More, err = history(r, model.KindWork, key, limit)
		return err
	})
	return h, err
}
