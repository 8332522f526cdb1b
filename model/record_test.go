package model

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stepEvent draws an event for a record in the state from: mostly one that the
// table allows, now and then any other.
func stepEvent(t *rapid.T, m Machine, from string, seq int64) (Event, string) {
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
	return Event{Seq: seq, TS: noon + Time(seq), Topic: "t", Producer: "p", Key: "7", State: state, Payload: payload}, action
}

// record is what the kinds of records have in common.
type record[T any] interface {
	*T
	Apply(Event) error
}

// walkRecord takes a record through events and holds it to its table: what is
// not in the table is refused and changes nothing.
func walkRecord[T any, P record[T]](t *rapid.T, m Machine, kind Kind, state func(T) string, rev func(T) (int64, int64)) {
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
			if to, ok := m.To(from, action); ok && to == e.State && kind != KindSignal {
				t.Fatalf("%s from %q to %q is refused: %v", action, from, e.State, err)
			}
			switch CodeOf(err) {
			case CodeRefused, CodeNotFound, CodeCorrupt:
			default:
				t.Fatalf("refused with %s: %v", CodeOf(err), err)
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
		walkRecord(t, SignalMachine(), KindSignal, func(s Signal) string { return s.State }, func(s Signal) (int64, int64) { return s.Rev, s.LastSeq })
	})
}

func TestWorkNeverLeavesItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walkRecord(t, WorkMachine(), KindWork, func(w Work) string {
			if w.State != "" && w.State != WorkClaimed && (w.TokenHash != "" || w.LeaseUntil != 0) {
				t.Fatalf("a %s record holds a claim: %+v", w.State, w)
			}
			return w.State
		}, func(w Work) (int64, int64) { return w.Rev, w.LastSeq })
	})
}

func TestDirectiveNeverLeavesItsTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walkRecord(t, DirectiveMachine(), KindDirective, func(d Directive) string {
			if d.Status != StatusTaken && d.TokenHash != "" {
				t.Fatalf("a %s directive has a token: %+v", d.Status, d)
			}
			if d.Status != StatusDeferred && (d.NotBefore != 0 || d.BlockedBy != nil) {
				t.Fatalf("a %s directive waits: %+v", d.Status, d)
			}
			if (d.Status == StatusPending || d.Status == StatusDeferred) && (d.TakenBy != "" || d.TakenAt != 0) {
				t.Fatalf("a %s directive is held: %+v", d.Status, d)
			}
			return d.Status
		}, func(d Directive) (int64, int64) { return d.Rev, d.LastSeq })
	})
}

func signalEvent(seq int64, producer, state, payload string) Event {
	return Event{Seq: seq, TS: noon + Time(seq), Kind: KindSignal, Topic: "build/alert", Producer: producer, Key: "disk", State: state, Payload: json.RawMessage(payload)}
}

func TestSignalLife(t *testing.T) {
	var s Signal
	apply := func(e Event) {
		t.Helper()
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	apply(signalEvent(1, "probe", SignalPending, `{"summary":"disk full","expires":"2026-06-20T14:00:00Z"}`))
	want := Signal{
		Key: "disk", State: SignalPending, Topic: "build/alert", Summary: "disk full", Producer: "probe",
		Raised: noon + 1, Since: noon + 1, Expires: noon + 2*3600e6, FirstSeq: 1, LastSeq: 1, Rev: 1,
	}
	if s != want {
		t.Errorf("raised:\n got %+v\nwant %+v", s, want)
	}
	if s.Due(noon) || !s.Due(s.Expires) || s.Waited(noon+1e6+1) != 1e9 {
		t.Errorf("due %v, %v, waited %s", s.Due(noon), s.Due(s.Expires), s.Waited(noon+1e6+1))
	}
	apply(signalEvent(2, "ops", SignalClaimed, `{"by":"joe"}`))
	if s.Holder != "joe" || s.Since != noon+2 || s.Raised != noon+1 || s.Summary != "disk full" {
		t.Errorf("claimed: %+v", s)
	}
	apply(signalEvent(3, "ops", SignalPending, `{}`))
	if s.Holder != "" || s.State != SignalPending {
		t.Errorf("released: %+v", s)
	}
	apply(signalEvent(4, "ops", SignalClaimed, `{}`))
	if s.Holder != "ops" {
		t.Errorf("claimed by the producer: %+v", s)
	}
	apply(signalEvent(5, "ops", SignalCleared, `{}`))
	if s.Due(s.Expires) {
		t.Error("a cleared signal is due")
	}
	for _, state := range []string{SignalPending, SignalClaimed, SignalCleared, SignalExpired, "x"} {
		before := s
		if err := s.Apply(signalEvent(6, "ops", state, `{"reconstructed":true}`)); CodeOf(err) != CodeRefused || s != before {
			t.Errorf("cleared to %s: %v, %+v", state, err, s)
		}
	}
	var imported Signal
	if err := imported.Apply(signalEvent(9, "old", SignalCleared, `{"summary":"x","reconstructed":true}`)); err != nil || imported.State != SignalCleared {
		t.Errorf("imported: %+v (%v)", imported, err)
	}
	var none Signal
	if err := none.Apply(signalEvent(9, "x", SignalCleared, `{}`)); CodeOf(err) != CodeNotFound {
		t.Errorf("cleared without having been: %v", err)
	}
	if err := none.Apply(signalEvent(9, "x", SignalPending, `{"summary":5}`)); CodeOf(err) != CodeInvalid || none != (Signal{}) {
		t.Errorf("an unreadable payload: %v", err)
	}
}

func TestWorkLife(t *testing.T) {
	var w Work
	step := func(seq int64, action, state, rest string) error {
		return w.Apply(Event{
			Seq: seq, TS: noon + Time(seq), Kind: KindWork, Topic: "job", Key: "job-42", State: state,
			Payload: json.RawMessage(`{"action":"` + action + `"` + rest + `}`),
		})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(step(1, "claim", WorkClaimed, `,"executor":"w1","token_hash":"h1","lease_until":"2026-06-20T12:01:00Z","lease_seconds":60`))
	want := Work{
		Key: "job-42", State: WorkClaimed, Topic: "job", Executor: "w1", TokenHash: "h1", LeaseUntil: noon + 60e6, Lease: 60,
		Attempt: 1, ClaimedAt: noon + 1, Since: noon + 1, FirstSeq: 1, LastSeq: 1, Rev: 1,
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("claimed:\n got %+v\nwant %+v", w, want)
	}
	if w.Lapsed(Reading{Wall: noon + 60e6 - 1}) || !w.Lapsed(Reading{Wall: noon + 60e6}) {
		t.Error("the lease's last instant is the microsecond before its end")
	}
	must(step(2, "heartbeat", WorkClaimed, `,"lease_until":"2026-06-20T12:02:00Z","lease_seconds":90`))
	if w.LeaseUntil != noon+120e6 || w.Lease != 90 || w.Since != noon+1 || w.TokenHash != "h1" {
		t.Errorf("after a heartbeat: %+v", w)
	}
	if err := step(3, "claim", WorkClaimed, `,"executor":"w2"`); CodeOf(err) != CodeRefused || w.Executor != "w1" {
		t.Errorf("claimed twice: %v, %+v", err, w)
	}
	must(step(4, "expire", WorkExpired, `,"reason":"lease ran out"`))
	if w.TokenHash != "" || w.LeaseUntil != 0 || w.Reason != "lease ran out" || w.Executor != "w1" {
		t.Errorf("expired: %+v", w)
	}
	must(step(5, "claim", WorkClaimed, `,"executor":"w2","token_hash":"h2"`))
	if w.Attempt != 2 || w.Executor != "w2" || w.TokenHash != "h2" || w.Reason != "" {
		t.Errorf("claimed again: %+v", w)
	}
	must(step(6, "complete", WorkDone, `,"evidence":{"log":"x"}`))
	if string(w.Evidence) != `{"log":"x"}` || w.State != WorkDone {
		t.Errorf("completed: %+v", w)
	}
	if err := step(7, "claim", WorkClaimed, ``); CodeOf(err) != CodeRefused {
		t.Errorf("done, and claimed: %v", err)
	}
	w = Work{}
	if err := step(8, "claim", WorkDone, ``); CodeOf(err) != CodeCorrupt || w.State != "" {
		t.Errorf("claim leads to done: %v", err)
	}
	must(step(9, "", WorkFailed, `,"reconstructed":true,"executor":"old","reason":"exit 1"`))
	if w.State != WorkFailed || w.Executor != "old" {
		t.Errorf("imported: %+v", w)
	}
}
