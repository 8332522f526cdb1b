package directive

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

func ptr[T any](v T) *T { return &v }

func directiveEvent(seq int64, state string, p Payload) model.Event {
	return model.Event{
		Seq: seq, TS: noon + model.Time(seq), Kind: model.KindDirective, Topic: "queue/release", Producer: "x", Key: "41", State: state,
		Payload: p.AppendCanonical(nil),
	}
}

// TestDirectiveActions: what each action does, field by field, to a directive
// that was taken (or is in the state that the action needs).
func TestDirectiveActions(t *testing.T) {
	lease, later := noon+60e6, noon+3600e6
	pending := Directive{
		ID: 41, Priority: P0, Lane: "release", Body: "ship it", Status: StatusPending, Parent: 7, CreatedAt: noon + 1, Since: noon + 1,
		Importance: 2, Deadline: later, FirstSeq: 1, LastSeq: 1, Rev: 1,
	}
	taken := pending
	taken.Status, taken.TakenBy, taken.TakenAt, taken.TokenHash = StatusTaken, "b2", noon+2, "h1"
	taken.LeaseUntil, taken.Attempt, taken.Since, taken.LastSeq, taken.Rev, taken.RequeueCount = lease, 1, noon+2, 2, 2, 3
	parked := pending
	parked.Status, parked.Lapses, parked.Reason, parked.Since = StatusParked, 10, "poison", noon+2
	deferred := pending
	deferred.Status, deferred.NotBefore, deferred.BlockedBy, deferred.Since = StatusDeferred, later, []int64{5}, noon+2

	tests := []struct {
		name   string
		from   Directive
		state  string
		p      Payload
		change func(d *Directive)
	}{
		{
			"push",
			Directive{},
			StatusPending,
			Payload{Action: "push", Body: "b", Priority: ptr(P2), Lane: "l", Parent: 3, Importance: ptr(int64(4)), Deadline: ptr(later)},
			func(d *Directive) {
				*d = Directive{
					ID: 41, Body: "b", Priority: P2, Lane: "l", Parent: 3, Importance: 4, Deadline: later, Status: StatusPending,
					CreatedAt: noon + 9, Since: noon + 9, FirstSeq: 9, LastSeq: 9, Rev: 1,
				}
			},
		},
		{"push with nothing said", Directive{}, StatusPending, Payload{Action: "push", Body: "b"}, func(d *Directive) {
			*d = Directive{ID: 41, Body: "b", Priority: P1, Lane: DefaultLane, Status: StatusPending, CreatedAt: noon + 9, Since: noon + 9, FirstSeq: 9, LastSeq: 9, Rev: 1}
		}},
		{"push deferred", Directive{}, StatusDeferred, Payload{Action: "push-deferred", Body: "b", BlockedBy: &[]int64{5, 6}}, func(d *Directive) {
			*d = Directive{ID: 41, Body: "b", Priority: P1, Lane: DefaultLane, Status: StatusDeferred, BlockedBy: []int64{5, 6}, CreatedAt: noon + 9, Since: noon + 9, FirstSeq: 9, LastSeq: 9, Rev: 1}
		}},
		{"take", pending, StatusTaken, Payload{Action: "take", By: "b2", TokenHash: "h9", LeaseUntil: ptr(lease)}, func(d *Directive) {
			d.TakenBy, d.TakenAt, d.TokenHash, d.LeaseUntil, d.Attempt = "b2", noon+9, "h9", lease, 1
		}},
		{"touch", taken, StatusTaken, Payload{Action: "touch", LeaseUntil: ptr(later)}, func(d *Directive) { d.LeaseUntil = later }},
		{"done", taken, StatusDone, Payload{Action: "done", Why: "shipped"}, func(d *Directive) {
			d.DoneAt, d.Reason, d.TokenHash, d.LeaseUntil = noon+9, "shipped", "", 0
		}},
		{"requeue", taken, StatusPending, Payload{Action: "requeue", Why: "no time"}, func(d *Directive) {
			d.RequeueCount, d.Reason, d.TokenHash, d.LeaseUntil, d.TakenBy, d.TakenAt = 4, "no time", "", 0, "", 0
		}},
		{"give-back", taken, StatusPending, Payload{Action: "give-back", Why: "not delivered"}, func(d *Directive) {
			d.Attempt, d.Reason, d.TokenHash, d.LeaseUntil, d.TakenBy, d.TakenAt = d.Attempt-1, "not delivered", "", 0, "", 0
		}},
		{"lapse", taken, StatusPending, Payload{Action: "lapse"}, func(d *Directive) {
			d.RequeueCount, d.Lapses, d.TokenHash, d.LeaseUntil, d.TakenBy, d.TakenAt = 4, 1, "", 0, "", 0
		}},
		{"fail", taken, StatusPending, Payload{Action: "fail", Why: "exit 1"}, func(d *Directive) {
			d.RequeueCount, d.Lapses, d.Reason, d.TokenHash, d.LeaseUntil, d.TakenBy, d.TakenAt = 4, 1, "exit 1", "", 0, "", 0
		}},
		{"poison", taken, StatusParked, Payload{Action: "poison", Why: "lapsed 10 times"}, func(d *Directive) {
			d.Lapses, d.Reason, d.TokenHash, d.LeaseUntil = 1, "lapsed 10 times", "", 0
		}},
		{"unpark", parked, StatusPending, Payload{Action: "unpark"}, func(d *Directive) { d.Lapses, d.Reason = 0, "" }},
		{"defer", taken, StatusDeferred, Payload{Action: "defer", NotBefore: ptr(later), BlockedBy: &[]int64{8}}, func(d *Directive) {
			d.NotBefore, d.BlockedBy, d.TokenHash, d.LeaseUntil, d.TakenBy, d.TakenAt = later, []int64{8}, "", 0, "", 0
		}},
		{"defer again replaces", deferred, StatusDeferred, Payload{Action: "defer", NotBefore: ptr(lease)}, func(d *Directive) {
			d.NotBefore, d.BlockedBy = lease, nil
		}},
		{"promote", deferred, StatusPending, Payload{Action: "promote"}, func(d *Directive) { d.NotBefore, d.BlockedBy = 0, nil }},
		{"park", pending, StatusParked, Payload{Action: "park", Why: "hold"}, func(d *Directive) { d.Reason = "hold" }},
		{"drop", taken, StatusDropped, Payload{Action: "drop", Why: "obsolete"}, func(d *Directive) {
			d.DoneAt, d.Reason, d.TokenHash, d.LeaseUntil = noon+9, "obsolete", "", 0
		}},
		{"reprioritize", taken, StatusTaken, Payload{Action: "reprioritize", Priority: ptr(P2), Importance: ptr(int64(0)), NoDeadline: true}, func(d *Directive) {
			d.Priority, d.Importance, d.Deadline = P2, 0, 0
		}},
		{"restore", pending, StatusTaken, Payload{Action: "restore", TakenBy: "b2", TakenAt: noon + 2, TokenHash: "h1", LeaseUntil: ptr(lease)}, func(d *Directive) {
			d.TakenBy, d.TakenAt, d.TokenHash, d.LeaseUntil = "b2", noon+2, "h1", lease
		}},
		{
			"an import",
			Directive{},
			StatusDone,
			Payload{Action: "push", Reconstructed: true, Body: "b", CreatedAt: noon - 9, TakenAt: noon - 8, DoneAt: noon - 7, TakenBy: "old", Attempt: 2, RequeueCount: 1},
			func(d *Directive) {
				*d = Directive{
					ID: 41, Body: "b", Priority: P1, Lane: DefaultLane, Status: StatusDone, CreatedAt: noon - 9, TakenAt: noon - 8, DoneAt: noon - 7,
					TakenBy: "old", Attempt: 2, RequeueCount: 1, Since: noon + 9, FirstSeq: 9, LastSeq: 9, Rev: 1,
				}
			},
		},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		covered[tt.p.Action] = true
		t.Run(tt.name, func(t *testing.T) {
			want := tt.from
			if tt.from.Status != tt.state {
				want.Since = noon + 9
			}
			want.Status, want.LastSeq, want.Rev = tt.state, 9, tt.from.Rev+1
			tt.change(&want)
			got := tt.from
			if err := got.Apply(directiveEvent(9, tt.state, tt.p)); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
	for _, s := range Machine().Steps {
		if !covered[s.Action] {
			t.Errorf("no test covers %s", s.Action)
		}
	}
}

func TestDirectiveRefusesEvents(t *testing.T) {
	push := Payload{Action: "push", Body: "b"}
	tests := []struct {
		name string
		edit func(e *model.Event)
		code model.Code
	}{
		{"a key that is no id", func(e *model.Event) { e.Key = "x" }, model.CodeInvalid},
		{"a key with a leading zero", func(e *model.Event) { e.Key = "041" }, model.CodeInvalid},
		{"a key of zero", func(e *model.Event) { e.Key = "0" }, model.CodeInvalid},
		{"a payload of another shape", func(e *model.Event) { e.Payload = json.RawMessage(`{"action":5}`) }, model.CodeInvalid},
		{"a priority that is none", func(e *model.Event) { e.Payload = json.RawMessage(`{"action":"push","priority":"P9"}`) }, model.CodeInvalid},
		{"a state that the action does not lead to", func(e *model.Event) { e.State = StatusDone }, model.CodeCorrupt},
		{"an action that is none", func(e *model.Event) { e.Payload = json.RawMessage(`{"action":"jump"}`) }, model.CodeNotFound},
		{"a body that is no base64", func(e *model.Event) { e.Payload = json.RawMessage(`{"action":"push","body_base64":"!"}`) }, model.CodeInvalid},
	}
	for _, tt := range tests {
		e := directiveEvent(1, StatusPending, push)
		tt.edit(&e)
		var d Directive
		if err := d.Apply(e); model.CodeOf(err) != tt.code || !reflect.DeepEqual(d, Directive{}) {
			t.Errorf("%s: %v (%s), %+v", tt.name, err, model.CodeOf(err), d)
		}
	}
}

func TestDirectivePayloadIsCanonical(t *testing.T) {
	when := rapid.Map(rapid.Int64Range(1, 4e15), func(n int64) model.Time { return model.Time(n) })
	text := rapid.Map(rapid.OneOf(rapid.String(), modeltest.Hostile()), func(s string) string { return strings.ToValidUTF8(s, "?") })
	rapid.Check(t, func(t *rapid.T) {
		p := Payload{
			Action: text.Draw(t, "action"), By: text.Draw(t, "by"), Why: text.Draw(t, "why"), Forced: rapid.Bool().Draw(t, "forced"),
			Reconstructed: rapid.Bool().Draw(t, "reconstructed"), Redacted: rapid.Int64Range(0, 9).Draw(t, "redacted"), Lane: text.Draw(t, "lane"),
			Parent: rapid.Int64Range(0, 9).Draw(t, "parent"), TokenHash: text.Draw(t, "hash"), TakenAt: when.Draw(t, "taken"), TakenBy: text.Draw(t, "taken by"),
			CreatedAt: when.Draw(t, "created"), DoneAt: when.Draw(t, "done"), Attempt: rapid.Int64Range(0, 9).Draw(t, "attempt"), RequeueCount: rapid.Int64Range(0, 9).Draw(t, "requeues"),
			NoDeadline: rapid.Bool().Draw(t, "no deadline"),
		}
		if rapid.Bool().Draw(t, "with pointers") {
			p.Priority, p.Importance, p.Deadline, p.LeaseUntil = ptr(P2), ptr(int64(0)), ptr(when.Draw(t, "deadline")), ptr(when.Draw(t, "lease"))
			p.NotBefore, p.BlockedBy = ptr(when.Draw(t, "not before")), &[]int64{3, 4}
		}
		body := text.Draw(t, "body")
		p.SetBody(body)
		got := p.AppendCanonical(nil)
		if again, err := model.CanonicalObject(got); err != nil || string(again) != string(got) {
			t.Fatalf("not canonical (%v):\n%s\n%s", err, got, again)
		}
		var back Payload
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("read back (%v):\n got %+v\nwant %+v", err, back, p)
		}
		if b, err := back.body(); err != nil || b != body {
			t.Fatalf("the body is %q, want %q (%v)", b, body, err)
		}
	})
}

func TestEveryBodyFits(t *testing.T) {
	for _, unit := range []string{"x", "\x01", "\"", "\n", "é"} {
		body := strings.Repeat(unit, MaxBody/len(unit))
		if err := CheckBody(body); err != nil && strings.TrimSpace(body) != "" {
			t.Errorf("%q: %v", unit, err)
		}
		p := Payload{Action: "push"}
		p.SetBody(body)
		got, err := model.CanonicalObject(p.AppendCanonical(nil))
		if err != nil {
			t.Errorf("%q does not fit: %v", unit, err)
			continue
		}
		var d Directive
		if err := d.Apply(model.Event{Seq: 1, TS: noon, Kind: model.KindDirective, Key: "1", State: StatusPending, Payload: got}); err != nil || d.Body != body {
			t.Errorf("%q: the body did not come back (%v)", unit, err)
		}
	}
}

func TestDirectiveChecks(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"empty body", CheckBody(""), "empty body"},
		{"blank body", CheckBody(" \n\t"), "empty body"},
		{"large body", CheckBody(strings.Repeat("x", MaxBody+1)), "131073 bytes; at most 131072 fit"},
		{"body that is no UTF-8", CheckBody("\xff"), "not valid UTF-8"},
		{"body", CheckBody("x"), ""},
		{"empty lane", CheckLane(""), "is empty"},
		{"long lane", CheckLane(strings.Repeat("x", 129)), "longer than 128 bytes"},
		{"lane with a slash", CheckLane("größe/日本"), ""},
		{"lane with a control", CheckLane("a\x1b"), `"a␛" has a character`},
		{"lane", CheckLane("release-1.0_x"), ""},
		{"reason", CheckWhy(""), ""},
		{"long reason", CheckWhy(strings.Repeat("x", MaxWhy+1)), "4097 bytes"},
		{"reason that is no UTF-8", CheckWhy("\xff"), "not valid UTF-8"},
		{"importance", CheckImportance(-9), ""},
		{"large importance", CheckImportance(10), "out of range"},
	}
	for _, tt := range tests {
		switch {
		case tt.want == "" && tt.err != nil:
			t.Errorf("%s: %v", tt.name, tt.err)
		case tt.want != "" && (tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) || model.CodeOf(tt.err) != model.CodeInvalid):
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
}

func TestDirectiveLapsed(t *testing.T) {
	d := Directive{Status: StatusTaken, LeaseUntil: noon}
	if d.Lapsed(model.Reading{Wall: noon - 1}) || !d.Lapsed(model.Reading{Wall: noon}) {
		t.Error("the lease's last instant is the microsecond before its end")
	}
	if (Directive{Status: StatusTaken}).Lapsed(model.Reading{Wall: noon}) || (Directive{Status: StatusParked, LeaseUntil: 1}).Lapsed(model.Reading{Wall: noon}) {
		t.Error("what has no lease lapses")
	}
}
