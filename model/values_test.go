package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"

	"pgregory.net/rapid"
)

func TestErrors(t *testing.T) {
	below := errors.New("disk on fire")
	e := model.Errorf(model.CodeNoSpace, "writing %s: %w", "x", below).WithHint("free %d bytes", 9)
	wrapped := fmt.Errorf("emit: %w", e)
	if !errors.Is(wrapped, below) || model.CodeOf(wrapped) != model.CodeNoSpace || model.HintOf(wrapped) != "free 9 bytes" || e.Error() != "writing x: disk on fire" {
		t.Errorf("%v, %s, %q", wrapped, model.CodeOf(wrapped), model.HintOf(wrapped))
	}
	if model.CodeOf(below) != model.CodeInternal || model.HintOf(below) != "" {
		t.Errorf("%s %q", model.CodeOf(below), model.HintOf(below))
	}
	plain := model.Errorf(model.CodeBusy, "busy")
	if hinted := plain.WithHint("wait"); plain.Hint != "" || hinted.Hint != "wait" {
		t.Error("WithHint changes its receiver")
	}
}

func TestExit(t *testing.T) {
	for code, want := range map[model.Code]int{
		model.CodeUsage: 2, model.CodeInvalid: 2, model.CodeNoWork: 2, model.CodeEmpty: 3, model.CodeNoServer: 3, model.CodeBlocked: 10,
		model.CodeRefused: 1, model.CodeStale: 1, model.CodeToken: 1, model.CodeNotFound: 1, model.CodeCorrupt: 1, model.CodeReadOnly: 1, model.CodeInternal: 1,
	} {
		if got := model.Exit(fmt.Errorf("x: %w", model.Errorf(code, "x"))); got != want {
			t.Errorf("%s exits with %d, want %d", code, got, want)
		}
	}
	if model.Exit(nil) != 0 || model.Exit(errors.New("x")) != 1 {
		t.Error("no error, or one without a code")
	}
}

func TestPriority(t *testing.T) {
	for in, want := range map[string]directive.Priority{"P0": directive.P0, "p1": directive.P1, "2": directive.P2} {
		if got, err := directive.ParsePriority(in); err != nil || got != want {
			t.Errorf("%q is %s (%v)", in, got, err)
		}
	}
	for _, in := range []string{"", "P", "P3", "-1", "PP0", "high", "0 "} {
		if got, err := directive.ParsePriority(in); model.CodeOf(err) != model.CodeInvalid || model.HintOf(err) == "" {
			t.Errorf("%q is %s (%v)", in, got, err)
		}
	}
	b, err := json.Marshal(directive.P0)
	if err != nil || string(b) != `"P0"` {
		t.Errorf("%s (%v)", b, err)
	}
	var p directive.Priority
	if err := json.Unmarshal([]byte(`"p2"`), &p); err != nil || p != directive.P2 {
		t.Errorf("%s (%v)", p, err)
	}
	if directive.Priority(7).String() != "P?" {
		t.Error(directive.Priority(7).String())
	}
}

func TestCounts(t *testing.T) {
	c := model.Counts{}
	c.Add(model.PlaneRecord, "total", 3)
	c.Add(model.PlaneRecord, "note", 2)
	c.Add(model.PlaneRecord, "zebra", 1)
	c.Add(model.PlaneRecord, "ape", 1)
	c.Add(model.PlaneQueue, "b/P0/done", 1)
	c.Add(model.PlaneQueue, "a/P1/done", 1)
	want := []string{"total", "note", "signal", "metric", "work", "generic", "directive", "coord", "system", "ape", "zebra"}
	if got := c.Names(model.PlaneRecord); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if got := c.Names(model.PlaneQueue); !reflect.DeepEqual(got, []string{"a/P1/done", "b/P0/done"}) {
		t.Errorf("%v", got)
	}
	if got := c.Names(model.PlaneSignal); !reflect.DeepEqual(got, []string{"pending", "claimed", "expired", "cleared"}) {
		t.Errorf("%v", got)
	}
	if p := c.Plane(model.PlaneRecord); p["note"] != 2 || p["signal"] != 0 || len(p) != len(want) || c.Total() != 3 {
		t.Errorf("%v", p)
	}
	n := c.Clone()
	n.Add(model.PlaneRecord, "note", 5)
	if c.Get(model.PlaneRecord, "note") != 2 || n.Get(model.PlaneRecord, "note") != 7 {
		t.Error("a clone is not apart")
	}
}

func TestCursor(t *testing.T) {
	for in, want := range map[string]model.Cursor{
		"e0": {"", 0}, "e41": {"", 41}, "41": {"", 41}, "e4f2c.1041": {"4f2c", 1041}, "eA_b-9.0": {"A_b-9", 0},
	} {
		if got, err := model.ParseCursor(in); err != nil || got != want {
			t.Errorf("%q is %+v (%v)", in, got, err)
		}
	}
	for _, in := range []string{
		"", "e", "e-1", "-1", "e01", "e.5", "e4f.", "e4f.x", "x4", "e 4", "e4f.5 ", "ea.b.5", "e99999999999999999999", "e\x1b.5",
		"e" + strings.Repeat("a", 65) + ".1", strings.Repeat("1", 101),
	} {
		if got, err := model.ParseCursor(in); model.CodeOf(err) != model.CodeInvalid || clean.Line(err.Error()) != err.Error() {
			t.Errorf("%q is %+v (%v)", in, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := model.Cursor{Epoch: rapid.StringMatching(`[A-Za-z0-9_-]{0,64}`).Draw(t, "epoch"), Seq: rapid.Int64Range(0, 1<<62).Draw(t, "seq")}
		if got, err := model.ParseCursor(c.String()); err != nil || got != c {
			t.Fatalf("%+v is written %q, read %+v (%v)", c, c.String(), got, err)
		}
	})
}

func FuzzParseCursor(f *testing.F) {
	for _, s := range []string{"e4f2c.1041", "e0", "41", "e.", "e4f.-1", "start", "e01", "e4f.1.2", "e-_.0", "e9223372036854775807", "e9223372036854775808", "e4f2c.1041 ", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := model.ParseCursor(s)
		if err != nil {
			return
		}
		if again, err := model.ParseCursor(c.String()); err != nil || again != c || c.Seq < 0 {
			t.Fatalf("%q is %+v, written %q, read %+v (%v)", s, c, c.String(), again, err)
		}
	})
}
