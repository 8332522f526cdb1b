package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/ui/pane"
)

// notes emits n notes that differ.
func (r *rig) notes(n int) {
	r.t.Helper()
	var all []ledger.EmitRequest
	for i := range n {
		all = append(all, ledger.EmitRequest{
			Topic: "build/log", Kind: model.KindNote, Producer: "probe",
			Payload: fmt.Appendf(nil, `{"text":"line %d"}`, i),
		})
	}
	if _, err := r.b.Ledger.EmitBatch(context.Background(), all); err != nil {
		r.t.Fatal(err)
	}
}

func TestScrollingUpPausesAndAnchors(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.notes(100)
	r.sync()
	r.has("line 99")
	r.press("up up up")
	r.has("paused")
	at := r.seq()
	r.notes(312)
	r.sync()
	if r.seq() != at {
		t.Fatalf("the cursor went from %d to %d", at, r.seq())
	}
	r.has("paused, +312")
	r.press("G")
	r.has("following")
	r.has("line 311")
}

func TestAnchorHoldsWhileTheRingIsFull(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.notes(pane.StreamRows - 10)
	r.sync()
	r.press("up")
	at, before := r.seq(), r.frame()
	for range 3 {
		r.notes(4000)
		r.sync()
	}
	if r.seq() != at {
		t.Fatal("the cursor left its event")
	}
	if got := r.c.events.View().Total; got > pane.StreamRows {
		t.Fatalf("%d rows are kept", got)
	}
	strip := func(s string) string { // the count of unread ones changes, and the header
		var keep []string
		for _, l := range strings.Split(s, "\n")[2:30] {
			keep = append(keep, string([]rune(l)[:60]))
		}
		return strings.Join(keep, "\n")
	}
	if strip(before) != strip(r.frame()) {
		t.Fatalf("what is read moved:\n%s\n---\n%s", before, r.frame())
	}
	// Down to the end, by page, nothing is left out.
	for still, last := 0, r.seq(); still < 3; last = r.seq() {
		r.press("pgdown")
		if still++; r.seq() != last {
			still = 0
		}
	}
	want := r.c.snap.Head.Seq
	if got := r.seq(); got != want {
		t.Fatalf("the last row is event %d, the ledger's is %d:\n%s", got, want, r.frame())
	}
}

func TestScrollingBackReadsTheLedger(t *testing.T) {
	r := newRig(t, rigOptions{size: "200x60"})
	r.notes(3000)
	r.sync()
	r.press("g")
	r.has("line 0 ")
	for range 10 {
		r.press("pgdown")
	}
	r.hasNot("line 0 ")
	r.press("G")
	r.has("line 2999")
	for range 100 {
		r.press("pgup")
	}
	if got := r.seq(); got != 1 {
		t.Fatalf("the first row is %d", got)
	}
}

func TestFilterShowsOnlyMatches(t *testing.T) {
	r := newRig(t, rigOptions{size: "200x60"})
	r.notes(50)
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	r.notes(50)
	r.sync()
	r.press("/")
	r.write("kind:signal")
	r.press("enter")
	r.has("disk almost full")
	r.hasNot("line 49")
	r.notes(5)
	r.emit("build/alert", model.KindSignal, `{"summary":"second one"}`)
	r.sync()
	r.has("second one")
	r.hasNot("line 4 ")
	r.press("esc")
	r.has("line 4")
	// A mistake is shown in its place, and enter does not take it.
	r.press("/")
	r.write("kind:nonsense")
	r.press("enter")
	r.has("there is no \"nonsense\"")
	r.press("esc / up")
	r.has("/kind:signal")
}

func TestStormGapIsCounted(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.notes(1)
	r.sync()
	r.send(pane.Arrived{Generation: r.gen, Gap: desk.Gap{Missed: 1204, From: 2, To: 1205}})
	r.has("1,204 events not shown")
}

func TestDetailShowsTheChain(t *testing.T) {
	r := newRig(t, rigOptions{})
	e := r.emit("build/log", model.KindNote, `{"text":"compiled ok","tags":["a","b"]}`)
	r.sync()
	r.press("enter")
	r.has("Payload")
	r.has(e.Hash[:32])
	r.press("Y")
	if !strings.Contains(r.term.copied, e.Hash) {
		t.Fatalf("copied %q", r.term.copied)
	}
	r.press("esc")
	r.hasNot("Payload")
}

func TestCausesAndEffects(t *testing.T) {
	r := newRig(t, rigOptions{})
	e := r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	if _, err := r.b.Ledger.Signal(context.Background(), ledger.SignalRequest{Action: "claim", Key: e.Key, By: "me"}); err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.press("enter <")
	r.has("Event 1")
	r.press(">")
	r.has("Event 2")
	r.press("esc")
	r.has("Event 1")
}

func TestPaletteFindsAndExplains(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.press("3 :")
	r.write("requeue")
	r.has("no directive is selected")
	r.press("esc :")
	r.write("zoom")
	r.press("enter")
	if !r.c.panes.Zoomed() {
		t.Fatal("zoom was not done")
	}
}

func TestEveryActionHasADeedOrIsAnOverlays(t *testing.T) {
	r := newRig(t, rigOptions{})
	overlay := map[string]bool{
		"next-button": true, "previous-button": true, "press": true, "dismiss": true, "accept": true, "cancel": true,
		"next-choice": true, "editor": true, "make": true, "previous-choice": true, "complete": true, "previous-field": true, "cause": true, "effect": true,
	}
	for _, a := range r.c.opt.Keys.Actions() {
		if _, ok := r.c.deeds[a.Name]; !ok && !overlay[a.Name] {
			t.Errorf("%s does nothing", a.Name)
		}
	}
	for name := range r.c.deeds {
		if _, ok := r.c.opt.Keys.Action(name); !ok {
			t.Errorf("%s has no record in the keymap", name)
		}
	}
}

// Whatever is pressed at whatever size, the frame has exactly that size.
func TestEveryFrameHasItsSize(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.notes(30)
	r.emit("build/alert", model.KindSignal, `{"summary":"evil \u001b[2J\u202e text 💰 日本語"}`)
	r.pushed("fix 👩‍👩‍👧 it", directive.P0, "release")
	r.take("release")
	r.pushed("and this", directive.P1, "")
	r.sync()
	keys := []string{
		"1", "2", "3", "4", "6", "up", "down", "pgup", "pgdown", "g", "G", "enter", "esc", "/", "x", ":", "?", "z", "t", "T",
		"d", "r", "+", "f", "a", "w", "space", "U", "u", "tab", "!", "left", "right", "backspace", "]", "<", ">", "y",
	}
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "resize") == 0 {
				r.size(fmt.Sprintf("%dx%d", rapid.IntRange(1, 220).Draw(rt, "w"), rapid.IntRange(1, 70).Draw(rt, "h")))
			}
			r.press(rapid.SampledFrom(keys).Draw(rt, "key"))
			lines := strings.Split(r.c.View(), "\n")
			if len(lines) != r.c.size.H {
				rt.Fatalf("%d lines at %v", len(lines), r.c.size)
			}
			for i, l := range lines {
				if w := width(l); w != r.c.size.W {
					rt.Fatalf("line %d has %d cells at %v: %q", i, w, r.c.size, l)
				}
			}
		}
		r.press("esc esc esc esc")
	})
}
