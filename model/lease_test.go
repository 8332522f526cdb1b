package model_test

import (
	"testing"
	"time"

	"binnacle/model"

	"pgregory.net/rapid"
)

func TestLeaseGoesByItsOwnClock(t *testing.T) {
	begin := model.Reading{Boot: "a", Up: time.Hour, Awake: 30 * time.Minute, Wall: noon}
	at := func(boot string, awake, wall time.Duration) model.Reading {
		return model.Reading{Boot: boot, Awake: begin.Awake + awake, Wall: noon.Add(wall)}
	}
	l := model.NewLease(begin, time.Minute)
	old := model.Lease{Until: l.Until}
	for _, c := range []struct {
		name  string
		lease model.Lease
		now   model.Reading
		left  time.Duration
	}{
		{"at its begin", l, begin, time.Minute},
		{"after a while", l, at("a", 20*time.Second, 20*time.Second), 40 * time.Second},
		{"a clock set forward a day", l, at("a", 20*time.Second, 24*time.Hour), 40 * time.Second},
		{"a clock set back a day", l, at("a", 20*time.Second, -24*time.Hour), 40 * time.Second},
		{"a machine that slept", l, at("a", 20*time.Second, 9*time.Hour), 40 * time.Second},
		{"over, with the clock set back", l, at("a", 61*time.Second, -24*time.Hour), -time.Second},
		{"after a restart, within its time", l, at("b", -29*time.Minute, 40*time.Second), 20 * time.Second},
		{"after a restart, over", l, at("b", -29*time.Minute, 61*time.Second), -time.Second},
		{"where no boot can be told", l, at("", 0, 61*time.Second), -time.Second},
		{"one of old", old, at("a", 0, 59*time.Second), time.Second},
		{"one of old, over", old, at("a", 0, time.Minute), 0},
		{"one of old where no boot can be told", old, at("", 0, 59*time.Second), time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.lease.Left(c.now); got != c.left {
				t.Fatalf("%s left, want %s", got, c.left)
			}
			if got := c.lease.Over(c.now); got != (c.left <= 0) {
				t.Fatalf("over: %v", got)
			}
			if got := c.lease.Ends(c.now); got != c.now.Wall.Add(c.left) {
				t.Fatalf("it ends at %s", got)
			}
		})
	}
	if (model.Lease{}).Over(begin) || (model.Lease{}).Ends(begin) != 0 {
		t.Error("what has no lease ends")
	}
}

// TestLeaseLastInstant: the last instant of a lease is the microsecond before
// its end, on either clock.
func TestLeaseLastInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		boot := rapid.SampledFrom([]string{"", "a"}).Draw(t, "boot")
		now := model.Reading{
			Boot: boot, Awake: time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "awake")) * time.Microsecond,
			Wall: model.Time(rapid.Int64Range(1, 4e15).Draw(t, "wall")),
		}
		d := time.Duration(rapid.Int64Range(1, 1e12).Draw(t, "length")) * time.Microsecond
		l := model.NewLease(now, d)
		pass := func(d time.Duration) model.Reading {
			r := now
			r.Awake, r.Wall = r.Awake+d, r.Wall.Add(d)
			return r
		}
		if l.Over(pass(d-time.Microsecond)) || !l.Over(pass(d)) {
			t.Fatalf("%+v of %+v", l, now)
		}
	})
}

func TestClockWatch(t *testing.T) {
	type move struct {
		name           string
		wall, up, wake time.Duration
		step           time.Duration
		jumped         bool
	}
	var w model.ClockWatch
	now := model.Reading{Boot: "a", Up: time.Hour, Awake: time.Hour, Wall: noon}
	w.Tick(now)
	for _, m := range []move{
		{"a second", time.Second, time.Second, time.Second, 0, false},
		{"a busy machine", time.Minute, time.Minute, time.Minute, 0, false},
		{"asleep for an hour", time.Hour, time.Hour, time.Second, 0, true},
		{"a little off", 3 * time.Second, time.Second, time.Second, 0, true},
		{"set forward", time.Hour + time.Second, time.Second, time.Second, time.Hour + 2*time.Second, true},
		{"it stands", time.Minute, time.Minute, time.Minute, time.Hour + 2*time.Second, false},
		{"set back where it was", -time.Hour - 2*time.Second, 0, 0, 0, true},
		{"set back", -2 * time.Hour, 0, 0, -2 * time.Hour, true},
		{"nine minutes", 9 * time.Minute, 9 * time.Minute, 9 * time.Minute, -2 * time.Hour, false},
		{"the new time is what it is", 2 * time.Minute, 2 * time.Minute, 2 * time.Minute, 0, false},
		{"and goes on", time.Minute, time.Minute, time.Minute, 0, false},
	} {
		now.Wall, now.Up, now.Awake = now.Wall.Add(m.wall), now.Up+m.up, now.Awake+m.wake
		if step, jumped := w.Tick(now); step != m.step || jumped != m.jumped {
			t.Fatalf("%s: step %s, jumped %v", m.name, step, jumped)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "", time.Hour + 30*time.Second: "the clock was set forward by 1 h 0 m", -7 * time.Second: "the clock was set back by 7 s",
	} {
		if got := model.StepText(d); got != want {
			t.Errorf("%s: %q", d, got)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 59 * time.Second: "59 s", 303 * time.Second: "5 m 3 s", 23*time.Hour + 59*time.Minute: "23 h 59 m", 51 * time.Hour: "2 d 3 h",
	} {
		if got := model.Span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
