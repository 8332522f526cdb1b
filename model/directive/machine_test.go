package directive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"binnacle/model"

	"pgregory.net/rapid"
)

func queueEvent(seq int64, state string, p Payload) model.Event {
	return model.Event{
		Seq: seq, TS: model.Time(1_000_000 * seq), Topic: "queue/default", Producer: "p", Kind: model.KindDirective, Key: "7", State: state,
		Payload: p.AppendCanonical(nil),
	}
}

func timePtr(t model.Time) *model.Time { return &t }

// TestDirectiveWalk sends random actions through the reducer: only the table's
// arrows are taken, a refusal changes nothing, and what has no meaning in a
// status is not there.
func TestDirectiveWalk(t *testing.T) {
	m := Machine()
	var actions []string
	for _, s := range m.Steps {
		if !slices.Contains(actions, s.Action) {
			actions = append(actions, s.Action)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var d Directive
		for seq := int64(1); seq < 40; seq++ {
			action := rapid.SampledFrom(actions).Draw(t, "action")
			to, legal := m.To(d.Status, action)
			state := to
			if !legal || rapid.IntRange(0, 9).Draw(t, "lie") == 0 {
				state = rapid.SampledFrom(m.States()).Draw(t, "state")
			}
			p := Payload{Action: action, By: "w", TokenHash: "h", TakenBy: "w"}
			if action == "take" || action == "touch" || action == "restore" {
				p.LeaseUntil = timePtr(model.Time(1_000_000 * (seq + 5)))
			}
			if action == "defer" || action == "push-deferred" {
				p.NotBefore, p.BlockedBy = timePtr(model.Time(1_000_000*(seq+9))), &[]int64{3}
			}
			before := d
			err := d.Apply(queueEvent(seq, state, p))
			if good := legal && state == to; good != (err == nil) {
				t.Fatalf("%s from %q to %q: %v", action, before.Status, state, err)
			}
			if err != nil {
				if fmt.Sprint(before) != fmt.Sprint(d) {
					t.Fatalf("a refusal changed %+v to %+v", before, d)
				}
				continue
			}
			if d.Rev != before.Rev+1 || d.LastSeq != seq {
				t.Fatalf("rev %d -> %d", before.Rev, d.Rev)
			}
			if held := d.Status == StatusTaken; (d.TokenHash != "") != held || (d.LeaseUntil != 0) != held {
				t.Fatalf("%s has a claim: %+v", d.Status, d)
			}
			if waits := d.Status == StatusDeferred; (d.NotBefore != 0) != waits || (len(d.BlockedBy) > 0) != waits {
				t.Fatalf("%s waits: %+v", d.Status, d)
			}
			if m.Final(d.Status) != d.Final() {
				t.Fatalf("%s final: %t", d.Status, d.Final())
			}
		}
	})
}

func TestDirectiveMachineIsSound(t *testing.T) {
	m := Machine()
	seen := map[[2]string]bool{}
	for _, s := range m.Steps {
		if seen[[2]string{s.From, s.Action}] {
			t.Errorf("%s from %q stands twice", s.Action, s.From)
		}
		seen[[2]string{s.From, s.Action}] = true
		if FinalStatus(s.From) {
			t.Errorf("%s leads out of %s", s.Action, s.From)
		}
		if !IsStatus(s.To) {
			t.Errorf("%s leads to %q", s.Action, s.To)
		}
	}
	err := m.Refuse("41", StatusDone, "requeue")
	if !strings.Contains(err.Error(), `#41 is done, so it can't be requeued`) || !strings.Contains(err.Hint, "final") {
		t.Errorf("%v (%s)", err, err.Hint)
	}
	err = m.Refuse("41", StatusParked, "done")
	if !strings.Contains(err.Hint, "unpark") {
		t.Errorf("hint %q", err.Hint)
	}
}

func drawPayload(t *rapid.T) Payload {
	text := rapid.OneOf(rapid.Just(""), rapid.String())
	stamp := rapid.Map(rapid.Int64Range(1, 1<<50), func(n int64) model.Time { return model.Time(n) })
	p := Payload{
		Action: rapid.String().Draw(t, "action"), By: text.Draw(t, "by"), Why: text.Draw(t, "why"),
		Forced: rapid.Bool().Draw(t, "forced"), Reconstructed: rapid.Bool().Draw(t, "reconstructed"),
		Redacted: rapid.Int64Range(0, 5).Draw(t, "redacted"), Lane: text.Draw(t, "lane"), Body: text.Draw(t, "body"),
		BodyBase64: text.Draw(t, "base64"), Parent: rapid.Int64Range(0, 9).Draw(t, "parent"),
		NoDeadline: rapid.Bool().Draw(t, "no deadline"), TokenHash: text.Draw(t, "hash"), TakenBy: text.Draw(t, "taken by"),
		Attempt: rapid.Int64Range(0, 3).Draw(t, "attempt"), RequeueCount: rapid.Int64Range(0, 3).Draw(t, "requeues"),
	}
	if rapid.Bool().Draw(t, "more") {
		pr := Priority(rapid.IntRange(0, 2).Draw(t, "priority"))
		p.Priority = &pr
		n := rapid.Int64Range(-9, 9).Draw(t, "importance")
		p.Importance = &n
		p.Deadline, p.LeaseUntil, p.NotBefore = timePtr(stamp.Draw(t, "a")), timePtr(stamp.Draw(t, "b")), timePtr(stamp.Draw(t, "c"))
		ids := rapid.SliceOf(rapid.Int64Range(1, 1<<40)).Draw(t, "ids")
		p.BlockedBy = &ids
		p.TakenAt, p.CreatedAt, p.DoneAt = stamp.Draw(t, "d"), stamp.Draw(t, "e"), stamp.Draw(t, "f")
	}
	return p
}

// TestPayloadReadsBack: what is written at once is what marshalling
// and canonicalising gives, and reads back as it was.
func TestPayloadReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPayload(t)
		if p.Action == "" {
			p.Action = "x"
		}
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := model.CanonicalObject(raw)
		if err != nil {
			t.Fatal(err)
		}
		got := p.AppendCanonical(nil)
		if string(got) != string(want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		var back Payload
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if again := back.AppendCanonical(nil); string(again) != string(got) {
			t.Fatalf("read back as\n%s\nnot\n%s", again, got)
		}
	})
}

// FuzzDirectiveApply: whatever a payload holds, the reducer takes it or refuses
// it, and a refusal changes nothing.
func FuzzDirectiveApply(f *testing.F) {
	f.Add(`{"action":"push","body":"b"}`, StatusPending, "")
	f.Add(`{"action":"take","by":"w","lease_until":"2026-06-20T12:00:00Z"}`, StatusTaken, StatusPending)
	f.Add(`{"action":"defer","blocked_by":[1,2],"not_before":null}`, StatusDeferred, StatusTaken)
	f.Add(`{"action":1}`, StatusTaken, StatusPending)
	f.Add(`{"reconstructed":true,"priority":"P9"}`, StatusDone, "")
	f.Fuzz(func(t *testing.T, payload, state, from string) {
		d := Directive{Status: from, ID: 7}
		before := fmt.Sprint(d)
		err := d.Apply(model.Event{Seq: 9, TS: 9, Kind: model.KindDirective, Key: "7", State: state, Payload: json.RawMessage(payload)})
		if err != nil && fmt.Sprint(d) != before {
			t.Fatalf("refused with %v, and changed to %+v", err, d)
		}
		if err == nil && !IsStatus(d.Status) {
			t.Fatalf("came into %q", d.Status)
		}
	})
}
