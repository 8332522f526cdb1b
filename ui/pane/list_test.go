package pane

import (
	"testing"

	"binnacle/views"
)

func TestSelectionStaysOnItsRecord(t *testing.T) {
	var l list[views.ID]
	l.size(5)
	ids := func(keys ...string) []views.ID {
		out := make([]views.ID, len(keys))
		for i, k := range keys {
			out[i] = views.ID{Noun: views.NounSignal, Key: k}
		}
		return out
	}
	l.set(ids("a", "b", "c"))
	l.to(1)
	l.set(ids("x", "c", "b", "a"))
	if l.cursor.Key != "b" {
		t.Fatalf("the cursor is on %s", l.cursor.Key)
	}
	l.set(ids("x", "c", "a"))
	if l.cursor.Key != "a" {
		t.Fatalf("after its row vanished the cursor is on %s", l.cursor.Key)
	}
	l.set(nil)
	l.set(ids("q"))
	if l.cursor.Key != "q" {
		t.Fatalf("the cursor is on %q", l.cursor.Key)
	}
}
