package ui

import (
	"context"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/directive"
)

// TestLinksFromRows: < and > go from any row that has an event, and say so
// where there is nothing to go to.
func TestLinksFromRows(t *testing.T) {
	r := newRig(t, rigOptions{})
	cause := r.emit("build/log", model.KindNote, `{"text":"the cause"}`)
	_, err := r.b.Ledger.Emit(context.Background(), ledger.EmitRequest{
		Topic: "build/alert", Kind: model.KindSignal, Producer: "probe", Payload: []byte(`{"summary":"the effect"}`), Causation: cause.Seq,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.pushed("fix it", directive.P1, "")
	r.sync()
	for _, c := range []struct{ at, key, want string }{
		{"1 p up", "<", "Event 1"},
		{"g", ">", "the effect"},
		{"", "<", "nothing caused event 1"},
		{"6", "<", "Event 1"},
		{"2", "<", "Event 1"},
		{"2 enter", "<", "Event 1"},
		{"", ">", "caused nothing"},
		{"3 down", "<", "nothing caused event 3"},
		{"up", ">", "this row is of none"},
	} {
		r.press(c.at)
		r.press(c.key)
		r.has(c.want)
		for r.c.over.Len() > 0 {
			r.press("esc")
		}
	}
}
