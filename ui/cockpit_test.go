package ui

import (
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/directive"
)

func TestFirstRunSaysWhatWillStandThere(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.has("binnacle ledger emit build/log")
	r.has("following")
}

func TestEventsArriveAndFold(t *testing.T) {
	r := newRig(t, rigOptions{})
	for range 3 {
		r.emit("build/log", model.KindNote, `{"text":"x"}`)
	}
	r.emit("build/log", model.KindNote, `{"text":"other"}`)
	r.sync()
	r.has("×3 ")
	r.has("other")
	if n := strings.Count(r.frame(), "build/log"); n != 2 {
		t.Fatalf("%d rows, want 2:\n%s", n, r.frame())
	}
}

func TestLook(t *testing.T) {
	r := newRig(t, rigOptions{size: "120x40"})
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	r.emit("build/log", model.KindNote, `{"text":"compiled"}`)
	r.pushed("fix the flaky test", directive.P1, "default")
	r.pushed("ship", directive.P0, "release")
	r.sync()
	t.Log("\n" + r.frame())
	r.press("3 down w")
	t.Log("\n" + r.frame())
	r.press("esc d")
	t.Log("\n" + r.frame())
}
