package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/ui/pane"
	"binnacle/ui/screen"
)

// benchCaps is a terminal that can do all that is used.
var benchCaps = screen.Caps{Profile: colorprofile.TrueColor, Sync: true, BCE: true, ECH: true}

// busyRig is a cockpit as it stands on a fleet that works: every pane is full.
func busyRig(b *testing.B, size string) *rig {
	b.Helper()
	r := newRig(b, rigOptions{size: size})
	r.busy()
	for i := range 40 {
		r.pushed(fmt.Sprintf("look after part %d of the release", i), directive.Priority(i%3), []string{"default", "release", "docs", "review"}[i%4])
	}
	for range 8 {
		if _, err := r.b.Queue.Next(context.Background(), queue.Next{Lane: "docs", Consumer: "builder-2", Lease: time.Hour}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 80 {
		r.step(i)
	}
	r.sync()
	return r
}

// step is one thing that happens: no two in a row are alike.
func (r *rig) step(i int) {
	r.t.Helper()
	r.pass(700 * time.Millisecond)
	switch i % 5 {
	case 0, 2:
		r.emit("build/log", model.KindNote, fmt.Sprintf(`{"text":"compiling package %d of the tree"}`, i*7919%1000))
	case 1:
		r.emit("host/load", model.KindMetric, fmt.Sprintf(`{"name":"load1","value":%d.%02d}`, i%7, i*37%100))
	case 3:
		r.emit("test/log", model.KindNote, fmt.Sprintf(`{"text":"381 tests, %d skipped, %d s"}`, i%9, i*13%90))
	case 4:
		r.emit("build/alert", model.KindGeneric, fmt.Sprintf(`{"text":"artifact %d is ready"}`, i))
	}
}

// BenchmarkFrame is what one new event costs in a busy cockpit: taking the
// snapshot and the event, building the frame, and turning it into bytes. The
// goal at 200x60 is 3 ms for building and painting, and nothing for a frame in
// which nothing changed.
func BenchmarkFrame(b *testing.B) {
	for _, size := range []string{"120x40", "200x60"} {
		b.Run("one-event/"+size, func(b *testing.B) {
			r := busyRig(b, size)
			p := screen.NewPainter(benchCaps)
			w, h := r.c.size.W, r.c.size.H
			p.Frame(r.c.View(), w, h)
			var update, build, paint []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				r.step(i)
				s, err := r.b.Snapshot(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				page, err := r.b.Page(context.Background(), desk.PageRequest{After: r.after, Limit: 10})
				if err != nil {
					b.Fatal(err)
				}
				r.after = page.Next
				b.StartTimer()
				t0 := time.Now()
				r.c.Update(snapshotMsg{s})
				r.c.Update(pane.Arrived{Generation: r.gen, Events: page.Events})
				t1 := time.Now()
				frame := r.c.View()
				t2 := time.Now()
				if len(p.Frame(frame, w, h)) == 0 {
					b.Fatal("an event changes nothing on the screen")
				}
				t3 := time.Now()
				update, build, paint = append(update, t1.Sub(t0)), append(build, t2.Sub(t1)), append(paint, t3.Sub(t2))
			}
			b.ReportMetric(middle(update), "update-ms")
			b.ReportMetric(middle(build), "build-ms")
			b.ReportMetric(middle(paint), "paint-ms")
			b.ReportMetric((middle(build)+middle(paint))/3, "median/goal")
		})
	}
	b.Run("unchanged/200x60", func(b *testing.B) {
		r := busyRig(b, "200x60")
		p := screen.NewPainter(benchCaps)
		p.Frame(r.c.View(), 200, 60)
		var took []time.Duration
		b.ReportAllocs()
		for b.Loop() {
			t0 := time.Now()
			if n := len(p.Frame(r.c.View(), 200, 60)); n != 0 {
				b.Fatalf("%d bytes for nothing", n)
			}
			took = append(took, time.Since(t0))
		}
		b.ReportMetric(middle(took), "median-ms")
	})
}

// middle is the median in milliseconds.
func middle(took []time.Duration) float64 {
	s := slices.Sorted(slices.Values(took))
	return float64(s[len(s)/2].Nanoseconds()) / 1e6
}
