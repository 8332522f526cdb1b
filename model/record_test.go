package model_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/directive"

	"pgregory.net/rapid"
)

// stepEvent draws an event for a record in the state from: mostly one that the
// table allows, now and then any other.
func stepEvent(t *rapid.T, m model.Machine, from string, seq int64) (model.Event, string) {
	action := rapid.SampledFrom(m.Steps).Draw(t, "any step").Action
	state := rapid.SampledFrom(append(m.States(), "", "nonsense")).Draw(t, "any state")
	if actions := m.Actions(from); len(actions) > 0 && rapid.IntRange(0, 4).Draw(t, "allowed") > 0 {
		action = rapid.SampledFrom(actions).Draw(t, "action")
		state, _ = m.To(from, action)
	}
	by := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "by")
	members := map[string]any{"action": action, "by": by, "executor": by, "token_hash": "h" + by, "why": "w", "reason": "r", "summary": "s"}
	members["reconstructed"] = rapid.IntRange(0, 9).Draw(t, "reconstructed") == 0
	if rapid.Bool().Draw(t, "with a lease") {
		members["lease_until"] = (noon + 60e6).String()
		members["lease_seconds"] = 60
	}
	switch action {
	case "defer", "push-deferred":
		members["blocked_by"] = []int{7}
		members["not_before"] = noon.String()
	case "push":
		members["body"] = "b"
		members["priority"] = rapid.SampledFrom([]string{"P0", "P2"}).Draw(t, "priority")
	case "reprioritize":
		members["priority"] = "P1"
		members["importance"] = 3
	}
	payload, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return model.Event{Seq: seq, TS: noon + model.Time(seq), Topic: "t", Producer: "p", Key: "7", State: state, Payload: payload}, action
}

// record is what the kinds of records have in common.
type record[T any] interface {
	*T
	Apply(model.Event) error
}

// walkRecord takes a record through events and holds it to its table: what is
// not in the table is refused and changes nothing.
func walkRecord[T any, P record[T]](t *rapid.T, m model.Machine, kind model.Kind, state func(T) string, rev func(T) (int64, int64)) {
	var r T
	for seq := int64(1); seq <= 25; seq++ {
		from := state(r)
		e, action := stepEvent(t, m, from, seq)
		e.Kind = kind
		before := r
		err := P(&r).Apply(e)
		if err != nil {
			if !reflect.DeepEqual(r, before) {
				t.Fatalf("refused (%v), and yet changed: %+v, then %+v", err, before, r)
			}
			if to, ok := m.To(from, action); ok && to == e.State && kind != model.KindSignal {
				t.Fatalf("%s from %q to %q is refused: %v", action, from, e.State, err)
			}
			switch model.CodeOf(err) {
			case model.CodeRefused, model.CodeNotFound, model.CodeCorrupt:
			default:
				t.Fatalf("refused with %s: %v", model.CodeOf(err), err)
			}
			continue
		}
		imported := from == "" && strings.Contains(string(e.Payload), `"reconstructed":true`)
		if to := state(r); to != e.State || !imported && !m.Can(from, to) {
			t.Fatalf("%s takes it from %q to %q, which the table does not have", action, from, to)
		}
		oldRev, _ := rev(before)
		if newRev, last := rev(r); newRev != oldRev+1 || last != seq {
			t.Fatalf("rev %d after %d, last seq %d after event %d", newRev, oldRev, last, seq)
		}
	}
}

func TestSignalNeverLeavesItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walkRecord(t, model.SignalMachine(), model.KindSignal, func(s model.Signal) string { return s.State }, func(s model.Signal) (int64, int64) { return s.Rev, s.LastSeq })
	})
}

func TestWorkNeverLeavesItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walkRecord(t, model.WorkMachine(), model.KindWork, func(w model.Work) string {
			if w.State != "" && w.State != model.WorkClaimed && (w.TokenHash != "" || w.LeaseUntil != 0) {
				t.Fatalf("a %s record holds a claim: %+v", w.State, w)
			}
			return w.State
		}, func(w model.Work) (int64, int64) { return w.Rev, w.LastSeq })
	})
}

func TestDirectiveNeverLeavesItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walkRecord(t, directive.Machine(), model.KindDirective, func(d directive.Directive) string {
			if d.Status != directive.StatusTaken && d.TokenHash != "" {
				t.Fatalf("a %s directive has a token: %+v", d.Status, d)
			}
			if d.Status != directive.StatusDeferred && (d.NotBefore != 0 || d.BlockedBy != nil) {
				t.Fatalf("a %s directive waits: %+v", d.Status, d)
			}
			if (d.Status == directive.StatusPending || d.Status == directive.StatusDeferred) && (d.TakenBy != "" || d.TakenAt != 0) {
				t.Fatalf("a %s directive is held: %+v", d.Status, d)
			}
			return d.Status
		}, func(d directive.Directive) (int64, int64) { return d.Rev, d.LastSeq })
	})
}

func signalEvent(seq int64, producer, state, payload string) model.Event {
	return model.Event{Seq: seq, TS: noon + model.Time(seq), Kind: model.KindSignal, Topic: "build/alert", Producer: producer, Key: "disk", State: state, Payload: json.RawMessage(payload)}
}

func TestSignalLife(t *testing.T) {
	var s model.Signal
	apply := func(e model.Event) {
		t.Helper()
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	apply(signalEvent(1, "probe", model.SignalPending, `{"summary":"disk full","expires":"2026-06-20T14:00:00Z"}`))
	want := model.Signal{
		Key: "disk", State: model.SignalPending, Topic: "build/alert", Summary: "disk full", Producer: "probe",
		Raised: noon + 1, Since: noon + 1, Expires: noon + 2*3600e6, FirstSeq: 1, LastSeq: 1, Rev: 1,
	}
	if s != want {
		t.Errorf("raised:\n got %+v\nwant %+v", s, want)
	}
	if s.Due(noon) || !s.Due(s.Expires) || s.Waited(noon+1e6+1) != 1e9 {
		t.Errorf("due %v, %v, waited %s", s.Due(noon), s.Due(s.Expires), s.Waited(noon+1e6+1))
	}
	apply(signalEvent(2, "ops", model.SignalClaimed, `{"by":"joe"}`))
	if s.Holder != "joe" || s.Since != noon+2 || s.Raised != noon+1 || s.Summary != "disk full" {
		t.Errorf("claimed: %+v", s)
	}
	apply(signalEvent(3, "ops", model.SignalPending, `{}`))
	if s.Holder != "" || s.State != model.SignalPending {
		t.Errorf("released: %+v", s)
	}
	apply(signalEvent(4, "ops", model.SignalClaimed, `{}`))
	if s.Holder != "ops" {
		t.Errorf("claimed by the producer: %+v", s)
	}
	apply(signalEvent(5, "ops", model.SignalCleared, `{}`))
	if s.Due(s.Expires) {
		t.Error("a cleared signal is due")
	}
	for _, state := range []string{model.SignalPending, model.SignalClaimed, model.SignalCleared, model.SignalExpired, "x"} {
		before := s
		if err := s.Apply(signalEvent(6, "ops", state, `{"reconstructed":true}`)); model.CodeOf(err) != model.CodeRefused || s != before {
			t.Errorf("cleared to %s: %v, %+v", state, err, s)
		}
	}
	var imported model.Signal
	if err := imported.Apply(signalEvent(9, "old", model.SignalCleared, `{"summary":"x","reconstructed":true}`)); err != nil || imported.State != model.SignalCleared {
		t.Errorf("imported: %+v (%v)", imported, err)
	}
	var none model.Signal
	if err := none.Apply(signalEvent(9, "x", model.SignalCleared, `{}`)); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("cleared without having been: %v", err)
	}
	if err := none.Apply(signalEvent(9, "x", model.SignalPending, `{"summary":5}`)); model.CodeOf(err) != model.CodeInvalid || none != (model.Signal{}) {
		t.Errorf("an unreadable payload: %v", err)
	}
}

func TestWorkLife(t *testing.T) {
	var w model.Work
	step := func(seq int64, action, state, rest string) error {
		return w.Apply(model.Event{
			Seq: seq, TS: noon + model.Time(seq), Kind: model.KindWork, Topic: "job", Key: "job-42", State: state,
			Payload: json.RawMessage(`{"action":"` + action + `"` + rest + `}`),
		})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(step(1, "claim", model.WorkClaimed, `,"executor":"w1","token_hash":"h1","lease_until":"2026-06-20T12:01:00Z","lease_seconds":60`))
	want := model.Work{
		Key: "job-42", State: model.WorkClaimed, Topic: "job", Executor: "w1", TokenHash: "h1", LeaseUntil: noon + 60e6, Lease: 60,
		Attempt: 1, ClaimedAt: noon + 1, Since: noon + 1, FirstSeq: 1, LastSeq: 1, Rev: 1,
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("claimed:\n got %+v\nwant %+v", w, want)
	}
	if w.Lapsed(model.Reading{Wall: noon + 60e6 - 1}) || !w.Lapsed(model.Reading{Wall: noon + 60e6}) {
		t.Error("the lease's last instant is the microsecond before its end")
	}
	must(step(2, "heartbeat", model.WorkClaimed, `,"lease_until":"2026-06-20T12:02:00Z","lease_seconds":90`))
	if w.LeaseUntil != noon+120e6 || w.Lease != 90 || w.Since != noon+1 || w.TokenHash != "h1" {
		t.Errorf("after a heartbeat: %+v", w)
	}
	if err := step(3, "claim", model.WorkClaimed, `,"executor":"w2"`); model.CodeOf(err) != model.CodeRefused || w.Executor != "w1" {
		t.Errorf("claimed twice: %v, %+v", err, w)
	}
	must(step(4, "expire", model.WorkExpired, `,"reason":"lease ran out"`))
	if w.TokenHash != "" || w.LeaseUntil != 0 || w.Reason != "lease ran out" || w.Executor != "w1" {
		t.Errorf("expired: %+v", w)
	}
	must(step(5, "claim", model.WorkClaimed, `,"executor":"w2","token_hash":"h2"`))
	if w.Attempt != 2 || w.Executor != "w2" || w.TokenHash != "h2" || w.Reason != "" {
		t.Errorf("claimed again: %+v", w)
	}
	must(step(6, "complete", model.WorkDone, `,"evidence":{"log":"x"}`))
	if string(w.Evidence) != `{"log":"x"}` || w.State != model.WorkDone {
		t.Errorf("completed: %+v", w)
	}
	if err := step(7, "claim", model.WorkClaimed, ``); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("done, and claimed: %v", err)
	}
	w = model.Work{}
	if err := step(8, "claim", model.WorkDone, ``); model.CodeOf(err) != model.CodeCorrupt || w.State != "" {
		t.Errorf("claim leads to done: %v", err)
	}
	must(step(9, "", model.WorkFailed, `,"reconstructed":true,"executor":"old","reason":"exit 1"`))
	if w.State != model.WorkFailed || w.Executor != "old" {
		t.Errorf("imported: %+v", w)
	}
}
