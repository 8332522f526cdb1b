//go:build linux

package command_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkSoak runs the cockpit with the demo's fleet working without a pause,
// while keys are pressed, and compares what the process holds in the last
// quarter of the time with what it held in the second one. BINNACLE_BENCH_SOAK
// is how long, in seconds, 20 otherwise. The goal is that nothing grows.
func BenchmarkSoak(b *testing.B) {
	long := time.Duration(number(b, "BINNACLE_BENCH_SOAK", 20)) * time.Second
	for b.Loop() {
		dir := b.TempDir()
		workspaceIn(b, dir)
		file := filepath.Join(dir, "held")
		s, status := child(b, "soak:"+file, sessionOptions{dir: dir, w: 200, h: 60})
		s.shows("1 Events", "2 Planes")
		var took []time.Duration
		for end := time.Now().Add(long); time.Now().Before(end); {
			// What a person does in an hour: looks around, opens, closes, scrolls.
			for _, key := range []string{"3", "j", "j", "\r", "\x1b", "1", "p", "k", "k", "\r", "\x1b", "G", "z", "z", "4", "2", "6", "t", "1"} {
				s.send(key)
				s.quietly(80 * time.Millisecond) // after which an escape is one
			}
			s.send("\x1b")
			s.quietly(80 * time.Millisecond)
			s.send("1G")
			s.until("the panes, following", func() bool {
				return strings.Contains(s.row(1), "2 Planes") && strings.Contains(s.row(1), "following")
			})
			took = append(took, keys(b, s, 9)...)
			s.mark() // this process is not to grow either
		}
		s.send("\x03")
		if got := status(); got != 0 {
			b.Errorf("it ends with %d", got)
		}
		all := heldIn(b, file)
		if len(all) < 8 {
			b.Fatalf("only %d lines were written", len(all))
		}
		q := len(all) / 4
		early, late := middle(all[q:2*q]), middle(all[len(all)-q:])
		b.Logf("%-12s %10s %10s", "in "+long.String(), "early", "late")
		for _, x := range []struct {
			name, unit  string
			early, late float64
		}{
			{"goroutines", "", float64(early.Goroutines), float64(late.Goroutines)},
			{"files", "", float64(early.Files), float64(late.Files)},
			{"heap", "MiB", early.Heap, late.Heap},
			{"resident", "MiB", early.Resident, late.Resident},
			{"log", "MiB", early.Log, late.Log},
		} {
			b.Logf("%-12s %10.1f %10.1f %s", x.name, x.early, x.late, x.unit)
			b.ReportMetric(x.late/max(x.early, 1), x.name+"-late/early")
		}
		b.Logf("longest frame %.1f ms, longest key to frame %.1f ms of %d", late.Frame, quantile(took, 1), len(took))
		b.ReportMetric(late.Frame, "frame-max-ms")
		b.ReportMetric(quantile(took, 1), "key-max-ms")
	}
}

// heldIn reads what a soaking process has written.
func heldIn(b *testing.B, file string) (all []held) {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for in := json.NewDecoder(bytes.NewReader(text)); ; {
		var is held
		if err := in.Decode(&is); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			b.Fatal(err)
		}
		all = append(all, is)
	}
}

// middle is the mean of what was held, and the longest frame.
func middle(all []held) (m held) {
	n := float64(len(all))
	for _, is := range all {
		m.Goroutines += is.Goroutines
		m.Files += is.Files
		m.Heap += is.Heap / n
		m.Resident += is.Resident / n
		m.Log += is.Log / n
		m.Frame = max(m.Frame, is.Frame)
	}
	m.Goroutines, m.Files = m.Goroutines/len(all), m.Files/len(all)
	return m
}

// quietly waits a while, whatever comes.
func (s *session) quietly(long time.Duration) {
	select {
	case <-s.drained:
	case <-time.After(long):
	}
}
