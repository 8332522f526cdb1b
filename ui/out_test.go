package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/views"
)

// TestEveryRowOpensAsText: whatever the cursor is on, e and Y write what it is.
func TestEveryRowOpensAsText(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.busy()
	r.withFleet()
	for _, c := range []struct {
		name string
		on   func()
		want string
	}{
		{"a lane", func() { r.press("3 g") }, `"lane": "default"`},
		{"a directive", func() { r.onDirective(2) }, `"body": "fix the flaky upload test"`},
		{"claimed work", func() { r.press("4"); r.on(views.WorkID("job-42")) }, `"key": "job-42"`},
		{"a signal", func() { r.press("6 g") }, `"summary": "upload test failed`},
	} {
		c.on()
		r.term.edited, r.term.copied = "", ""
		r.press("e")
		if !strings.Contains(r.term.edited, c.want) || !json.Valid([]byte(r.term.edited)) {
			t.Errorf("e on %s opened %q:\n%s", c.name, r.term.edited, r.frame())
		}
		r.press("Y")
		if r.term.copied+"\n" != r.term.edited {
			t.Errorf("Y on %s copied %q", c.name, r.term.copied)
		}
	}
	r.onDirective(2)
	r.press("left e")
	if n := strings.Count(r.term.edited, `"body":`); n != 2 {
		t.Errorf("the lane has %d directives as text, want 2: %s", n, r.term.edited)
	}
}

// TestFleetRowIsNoRecord: a row of the fleet map is read as such, not as a
// record without a kind.
func TestFleetRowIsNoRecord(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.busy()
	r.withFleet()
	r.press("5 down e")
	r.hasNot("records of kind")
}

// TestEventIsCopiedAsEvent: in Events, paused or not, y is the event's number
// and Y its line as the command line prints it.
func TestEventIsCopiedAsEvent(t *testing.T) {
	r := newRig(t, rigOptions{})
	e := r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	want := string(clean.AppendJSON(nil, e.AppendJSON(nil)))
	r.sync()
	for _, keys := range []string{"1", "p", "enter"} {
		r.press(keys)
		r.press("y")
		if r.term.copied != "1" {
			t.Errorf("after %s: y copied %q", keys, r.term.copied)
		}
		r.press("Y")
		if r.term.copied != want {
			t.Errorf("after %s: Y copied %q, want %q", keys, r.term.copied, want)
		}
		r.has("the JSON of event 1 sent")
	}
}

func TestReaderIsPagerElseEditor(t *testing.T) {
	for _, c := range []struct {
		pager, visual, editor, reads, writes string
	}{
		{"", "", "", "less", "vi"},
		{"most", "", "", "most", "vi"},
		{"most -x", "code -w", "nano", "most -x", "code -w"},
		{" ", "", "nano", "nano", "nano"},
		{"", "code -w", "nano", "code -w", "code -w"},
	} {
		env := map[string]string{"PAGER": c.pager, "VISUAL": c.visual, "EDITOR": c.editor}
		term := &terminal{getenv: func(k string) string { return env[k] }}
		if got := term.program(false); got != c.reads {
			t.Errorf("%v: read with %s, want %s", env, got, c.reads)
		}
		if got := term.program(true); got != c.writes {
			t.Errorf("%v: written with %s, want %s", env, got, c.writes)
		}
	}
}
