package ui

import (
	"testing"
)

// TestPushFormShowsWhatItWouldPush: a body of several lines is counted and its
// beginning shown; typing in the field makes the field the body.
func TestPushFormShowsWhatItWouldPush(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.term.left = "one\ntwo\n\nfour\nfive\nsix\nseven\neight\x1b[2J"
	r.press("a ctrl+e")
	r.has("8 lines in all:")
	r.has("six")
	r.hasNot("seven")
	r.has("… and 2 more")
	r.golden("state-push-lines-120x40")
	r.write("!")
	r.hasNot("lines in all")
	r.press("enter")
	if got := r.status(1).Body; got != "one!" {
		t.Fatalf("body is %q", got)
	}
	r.term.left = "only one"
	r.press("a ctrl+e")
	r.hasNot("in all")
}
