package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// folds drives the store with random writes, legal and illegal, alone and many
// in one transaction, and compares each outcome with an oracle that knows only
// model's reducers.
func folds(t *testing.T, h harness) {
	s := h.New(t, ticking())
	scratchTable(t, s)
	o := &oracle{state: store.NewFold(s.Parts())}
	rapid.Check(t, func(r *rapid.T) {
		for range rapid.IntRange(1, 3).Draw(r, "rounds") {
			o.round(t, r, s)
		}
	})
	got := CheckWhole(t, s)
	if got.Head.Seq != o.state.Head.Seq {
		t.Fatalf("%d events are there, %d were accepted", got.Head.Seq, o.state.Head.Seq)
	}
	if n := scratchCount(t, s); n != o.scratch {
		t.Fatalf("%d scratch rows are there, %d were accepted", n, o.scratch)
	}
}

// oracle is what the ledger must be.
type oracle struct {
	state   *store.Fold
	scratch int64
}

// round runs a few random writes in one go.
func (o *oracle) round(t *testing.T, r *rapid.T, s store.Store) {
	plans := rapid.SliceOfN(rapid.Custom(drawPlan), 1, 6).Draw(r, "writes")
	writes := make([]func(tx store.Tx) error, len(plans))
	faults := make([]error, len(plans))
	outcome := make([]bool, len(plans))
	for i, p := range plans {
		writes[i] = func(tx store.Tx) error {
			err, fault := o.perform(tx, p)
			faults[i], outcome[i] = fault, err == nil
			return err
		}
	}
	errs := together(t, s, writes)
	for i := range plans {
		if faults[i] != nil {
			r.Fatalf("write %d of %d, %v: %v", i, len(plans), plans[i], faults[i])
		}
		if outcome[i] != (errs[i] == nil) {
			r.Fatalf("write %d of %d, %v: ended with %v, should have succeeded: %v", i, len(plans), plans[i], errs[i], outcome[i])
		}
	}
}

// plan is one write: its operations and whether it changes its mind.
type plan struct {
	ops   []op
	abort bool
}

type op struct {
	name  string
	draft model.Draft
}

func drawPlan(r *rapid.T) plan {
	return plan{
		ops:   rapid.SliceOfN(rapid.Custom(drawOp), 1, 5).Draw(r, "ops"),
		abort: rapid.IntRange(0, 4).Draw(r, "abort") == 0,
	}
}

func drawOp(r *rapid.T) op {
	name := rapid.SampledFrom([]string{
		"append", "append", "append", "append", "append", "exec", "count events", "count directives", "count signals", "counts", "nothing",
	}).Draw(r, "op")
	if name != "append" {
		return op{name: name}
	}
	return op{name: name, draft: drawDraft(r)}
}

func drawDraft(r *rapid.T) model.Draft {
	switch rapid.SampledFrom([]string{"note", "signal", "work", "directive", "directive"}).Draw(r, "kind") {
	case "signal":
		return drawSignal(r)
	case "work":
		return drawStep(r, model.KindWork, model.WorkMachine(), []string{"w1", "w2", "w3"}, workPayload)
	case "directive":
		return drawStep(r, model.KindDirective, directive.Machine(), []string{"", "1", "2", "3", "4", "5", "x"}, directivePayload)
	}
	d := note(rapid.StringN(0, 12, -1).Draw(r, "text"))
	d.Causation = rapid.SampledFrom([]int64{0, 0, 0, 1, 5, 1 << 40}).Draw(r, "causation")
	return d
}

func drawSignal(r *rapid.T) model.Draft {
	p := map[string]any{"summary": rapid.StringN(0, 8, -1).Draw(r, "summary")}
	if rapid.Bool().Draw(r, "expires") {
		p["expires"] = "2026-06-21T00:00:00Z"
	}
	key := rapid.SampledFrom([]string{"", "", "a", "b", "c", strconv.Itoa(rapid.IntRange(1, 900).Draw(r, "seq"))}).Draw(r, "key")
	state := rapid.SampledFrom([]string{"pending", "pending", "claimed", "cleared", "expired", "odd"}).Draw(r, "state")
	return draft(model.KindSignal, key, state, p)
}

func drawStep(r *rapid.T, kind model.Kind, m model.Machine, keys []string, payload func(r *rapid.T, action string) map[string]any) model.Draft {
	st := rapid.SampledFrom(m.Steps).Draw(r, "step")
	state := st.To
	if rapid.IntRange(0, 9).Draw(r, "wrong state") == 0 {
		state = rapid.SampledFrom(m.States()).Draw(r, "state")
	}
	p := payload(r, st.Action)
	p["action"] = st.Action
	if rapid.IntRange(0, 9).Draw(r, "reconstructed") == 0 {
		p["reconstructed"] = true
	}
	return draft(kind, rapid.SampledFrom(keys).Draw(r, "key"), state, p)
}

func workPayload(r *rapid.T, _ string) map[string]any {
	p := map[string]any{"executor": rapid.SampledFrom([]string{"e1", "e\u0000\u2028"}).Draw(r, "executor")}
	if rapid.Bool().Draw(r, "lease") {
		p["token_hash"], p["lease_until"], p["lease_seconds"] = "ab", "2026-06-20T16:00:00Z", 60
		leaseEnd(r, p)
	}
	if rapid.Bool().Draw(r, "evidence") {
		p["evidence"], p["reason"] = map[string]any{"z": 1, "a": "<&>"}, "why"
	}
	return p
}

func directivePayload(r *rapid.T, _ string) map[string]any {
	p := map[string]any{"body": rapid.StringN(1, 8, -1).Draw(r, "body"), "by": "me", "why": "so"}
	for _, f := range []struct {
		name string
		v    any
	}{
		{"lane", "lane\u0000x"},
		{"priority", "P0"},
		{"token_hash", "cd"},
		{"lease_until", "2026-06-20T16:00:00Z"},
		{"not_before", "2026-06-20T17:00:00Z"},
		{"blocked_by", []int{1, 2, 2}},
		{"blocked_by", []int{}},
		{"importance", -3},
		{"importance", 0},
		{"deadline", nil},
		{"parent", 1},
	} {
		if rapid.IntRange(0, 3).Draw(r, f.name) == 0 {
			p[f.name] = f.v
		}
	}
	leaseEnd(r, p)
	return p
}

// leaseEnd adds a lease's end on a boot's clock, whole or in part.
func leaseEnd(r *rapid.T, p map[string]any) {
	if boot := rapid.SampledFrom([]string{"", "b1", "b2\u0000"}).Draw(r, "boot"); boot != "" {
		p["lease_boot"] = boot
	}
	for _, name := range []string{"lease_awake", "taken_awake"} {
		if n := rapid.SampledFrom([]int64{-1, 0, 1, 1 << 50}).Draw(r, name); n != 0 {
			p[name] = n
		}
	}
}

// perform does the plan in the transaction and in the oracle, comparing on the
// way. err is what the write ends with, fault what the store did wrong. A write
// that fails leaves the oracle as it was.
func (o *oracle) perform(tx store.Tx, p plan) (err, fault error) {
	next, scratch := o.state.Clone(), o.scratch
	for _, x := range p.ops {
		switch x.name {
		case "append":
			e, err := tx.Append(x.draft)
			if wrong := expect(next, x.draft, tx.Now(), e, err); wrong != nil {
				return err, wrong
			}
			if err != nil {
				return err, nil
			}
		case "exec":
			if _, err := tx.Exec(`INSERT INTO scratch (n) VALUES (1)`); err != nil {
				return err, err
			}
			scratch++
			var n int64
			if err := tx.QueryRow(`SELECT count(*) FROM scratch`).Scan(&n); err != nil || n != scratch {
				return errMine, fmt.Errorf("%d scratch rows in sight, want %d (%w)", n, scratch, err)
			}
		default:
			if wrong := compare(tx, x.name, next); wrong != nil {
				return errMine, wrong
			}
		}
	}
	if p.abort {
		return errMine, nil
	}
	o.state, o.scratch = next, scratch
	return nil, nil
}

// expect moves the oracle through the draft and says what the store did
// differently.
func expect(next *store.Fold, d model.Draft, now model.Time, got model.Event, err error) error {
	if d.Key == "" {
		d.Key = nameFor(next, d.Kind)
	}
	before := next.Clone()
	want, _, _ := next.Head.Link(d, now, nil)
	_, _, refusal := next.Apply(want)
	if d.Causation > before.Head.Seq {
		refusal = model.Errorf(model.CodeInvalid, "a later cause")
	}
	switch {
	case refusal != nil && err == nil:
		return fmt.Errorf("event %d was accepted, but %w", got.Seq, refusal)
	case refusal == nil && err != nil:
		return fmt.Errorf("refused without a reason: %w", err)
	case refusal != nil:
		*next = *before
		if model.CodeOf(refusal) != model.CodeOf(err) {
			return fmt.Errorf("refused with %w instead of %w", err, refusal)
		}
	case got.Hash != want.Hash:
		return fmt.Errorf("the event became %s, not %s", got.AppendJSON(nil), want.AppendJSON(nil))
	}
	return nil
}

func nameFor(s *store.Fold, k model.Kind) string {
	switch k {
	case model.KindSignal:
		base := strconv.FormatInt(s.Head.Seq+1, 10)
		key := base
		for n := 2; s.Of(recordsOf(s.Parts(), k))[key] != nil; n++ {
			key = base + "." + strconv.Itoa(n)
		}
		return key
	case model.KindDirective:
		last := int64(0)
		for _, d := range s.Of(recordsOf(s.Parts(), k)) {
			last = max(last, d.(*directive.Directive).ID)
		}
		return strconv.FormatInt(last+1, 10)
	}
	return ""
}

func compare(tx store.Tx, what string, want *store.Fold) error {
	count := func(query string, n int64) error {
		var got int64
		if err := tx.QueryRow(query).Scan(&got); err != nil {
			return err
		}
		if got != n {
			return fmt.Errorf("%s: %d, want %d", query, got, n)
		}
		return nil
	}
	switch what {
	case "count events":
		return count(`SELECT count(*) FROM events`, want.Head.Seq)
	case "count directives":
		return errors.Join(
			count(`SELECT count(*) FROM directives WHERE status = 'pending'`, statuses(want)["pending"]),
			count(`SELECT count(*) FROM directives`, int64(len(want.Of(recordsOf(want.Parts(), model.KindDirective))))),
		)
	case "count signals":
		return count(`SELECT count(*) FROM signals`, int64(len(want.Of(recordsOf(want.Parts(), model.KindSignal)))))
	case "counts":
		got, err := tx.Counts()
		if err != nil {
			return err
		}
		for of, n := range want.Counts {
			if got[of] != n {
				return fmt.Errorf("the count %v is %d, want %d", of, got[of], n)
			}
		}
		head, err := tx.Head()
		if err != nil || head != want.Head {
			return fmt.Errorf("the head is %+v, want %+v (%w)", head, want.Head, err)
		}
	}
	return nil
}

func statuses(s *store.Fold) map[string]int64 {
	n := map[string]int64{}
	for _, d := range s.Of(recordsOf(s.Parts(), model.KindDirective)) {
		n[d.(*directive.Directive).Status]++
	}
	return n
}
