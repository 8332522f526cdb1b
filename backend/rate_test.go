package backend

import (
	"testing"

	"binnacle/model"
	"binnacle/model/desk"
)

func TestRateMeter(t *testing.T) {
	var m rateMeter
	at := func(second int64) model.Time { return model.Time((1_000_000 + second) * 1e6) }
	m.observe(at(0), 100) // what was there before counts for nothing
	m.observe(at(0), 110)
	m.observe(at(1), 140)
	m.observe(at(2), 170)
	r := m.observe(at(3), 170)
	if want := (10.0 + 30 + 30) / 3; r.PerSecond != want {
		t.Fatalf("%v a second, want %v", r.PerSecond, want)
	}
	if got := r.History[desk.RateSeconds-4:]; got[0] != 10 || got[1] != 30 || got[2] != 30 || got[3] != 0 {
		t.Fatalf("history ends with %v", got)
	}
	if r = m.observe(at(3+desk.RateSeconds), 170); m.moving() || r.PerSecond != 0 {
		t.Fatalf("after the window something still moves: %+v", r)
	}
	// A clock set back starts anew instead of counting into the future.
	if r = m.observe(at(-1000), 180); r.PerSecond != 0 {
		t.Fatalf("%+v", r)
	}
}
