package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
)

// lastLine is the bottom line.
func (r *rig) lastLine() string {
	lines := strings.Split(strings.TrimRight(r.frame(), "\n"), "\n")
	left, _, _ := strings.Cut(lines[len(lines)-1], " ws: ")
	return strings.TrimSpace(left)
}

// TestTheBottomLineOffersWhatIsPossible: no more than what a key would do now,
// and a refusal names the keys that would.
func TestTheBottomLineOffersWhatIsPossible(t *testing.T) {
	r := newRig(t, rigOptions{size: "120x40"})
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	one := r.pushed("one", directive.P0, "")
	two := r.pushed("two", directive.P1, "")
	r.take("")
	r.sync()
	line := func(where string, offered, not []string) {
		t.Helper()
		got := " " + r.lastLine()
		for _, x := range offered {
			if !strings.Contains(got, " "+x) {
				t.Errorf("%s: %q does not offer %q", where, got, x)
			}
		}
		for _, x := range not {
			if strings.Contains(got, " "+x) {
				t.Errorf("%s: %q offers %q", where, got, x)
			}
		}
	}
	refused := func(key, want string) {
		t.Helper()
		r.press(key)
		got := r.lastLine()
		if !strings.Contains(got, want) || strings.Contains(got, "…") || utf8.RuneCountInString(got) > 110 {
			t.Errorf("%s says %q, not %q", key, got, want)
		}
		r.pass(flashRead)
		r.sync()
	}
	r.press("6")
	line("a pending signal", []string{"c claim", "enter open"}, []string{"x clear", "v release"})
	refused("x", "is pending, so it can't be cleared; possible: c claim")
	refused("v", "is pending, so it can't be released; possible: c claim")
	r.press("c")
	r.sync()
	r.pass(flashRead)
	r.sync()
	r.press("k")
	line("a claimed signal", []string{"x clear", "v release"}, []string{"c claim"})
	refused("c", "is claimed, so it can't be claimed; possible: x clear, v release")
	r.onDirective(two.ID)
	line("a pending directive", []string{"d drop", "f defer"}, []string{"L extend", "r requeue"})
	refused("L", "#2 is pending, so it has no lease; possible: d drop, +/- priority, f defer")
	refused("r", "#2 is pending, so it can't be requeued; possible: d drop, +/- priority, f defer")
	r.onDirective(one.ID)
	line("a taken directive", []string{"r requeue", "d drop", "L extend"}, []string{"c claim"})
	r.press("3 g")
	line("a lane", []string{"enter open"}, []string{"d drop", "r requeue", "w why"})
}

// TestTheDialogNamesEveryTarget: with what it is; past ten it scrolls, also on a
// small screen.
func TestTheDialogNamesEveryTarget(t *testing.T) {
	for _, size := range []string{"120x40", "80x24", "60x14"} {
		t.Run(size, func(t *testing.T) {
			r := newRig(t, rigOptions{size: size})
			const n = 14
			for i := range n {
				r.pushed(fmt.Sprintf("tidy number %d", i+1), directive.P1, "")
			}
			r.sync()
			r.onDirective(1)
			r.press("z")
			for range n {
				r.press("space")
			}
			r.press("d")
			r.has(fmt.Sprintf("Drop these %d:", n))
			seen := map[int]bool{}
			for range n {
				frame := r.frame()
				box := frame[strings.Index(frame, "Drop these"):]
				for i := 1; i <= n; i++ {
					if strings.Contains(box, fmt.Sprintf("tidy number %d ", i)) {
						seen[i] = true
					}
				}
				if !strings.Contains(frame, "pending ┃") || !strings.Contains(frame, "Cancel") || !strings.Contains(frame, "Type 14") {
					t.Fatalf("not said what they are, or no buttons:\n%s", frame)
				}
				r.press("down")
			}
			if len(seen) != n {
				t.Errorf("seen: %v", seen)
			}
			r.press("1 4 tab enter")
			r.has("14 dropped (u undoes)")
		})
	}
}

// TestALongLeaseKeepsNobodyAwake: it steps by the minute until seconds matter,
// and what is drawn at each tick is what it is by then.
func TestALongLeaseKeepsNobodyAwake(t *testing.T) {
	r := newRig(t, rigOptions{size: "120x40"})
	r.pushed("one", directive.P0, "")
	if _, err := r.b.Queue.Next(context.Background(), queue.Next{Consumer: "w", Lease: 45 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	r.pass(90 * time.Second)
	r.sync()
	r.has("43m left")
	ticks := 0
	for range 120 {
		d := r.c.NextTick()
		if d <= 0 || d > time.Minute {
			t.Fatalf("the next tick is in %s", d)
		}
		words := func() string { return strings.ReplaceAll(r.frame(), "█", "░") } // the bar may step a little later
		before := words()
		ticks++
		r.pass(d - 2*time.Millisecond)
		r.send(tickMsg{})
		if d > 10*time.Second && words() != before {
			t.Fatalf("the screen changed before the tick:\n%s", r.frame())
		}
		r.pass(2 * time.Millisecond)
		r.send(tickMsg{})
		if r.now.Sub(r.c.snap.Taken[0].TakenAt) >= 34*time.Minute {
			break
		}
	}
	if ticks > 110 { // the clock's minutes, the lease's and the age's
		t.Errorf("%d ticks in 34 minutes", ticks)
	}
	r.has("11m left")
	for range 4 {
		r.pass(30 * time.Second)
		r.send(tickMsg{})
	}
	r.has("9:") // by the second
	if d := r.c.NextTick(); d > time.Second {
		t.Errorf("a short lease's next tick is in %s", d)
	}
}
