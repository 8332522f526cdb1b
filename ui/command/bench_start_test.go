//go:build linux

package command_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart is the time from starting the program to its first frame with
// the events in it, and to the end of --version; beside it what starting any
// process takes here. The goals are 100 ms and 20 ms.
func BenchmarkStart(b *testing.B) {
	name := builtFor(b)
	b.Run("first-frame", func(b *testing.B) {
		dir := b.TempDir()
		w := workspaceIn(b, dir)
		fill(b, openIn(b, w, nil))
		var took, chrome []time.Duration
		for b.Loop() {
			s := begin(b, sessionOptions{dir: dir, w: 200, h: 60})
			s.timed("the first frame", func() {}, func() bool { return strings.Contains(s.row(1), "1 Events") })
			s.mu.Lock()
			chrome = append(chrome, s.seen.Sub(s.begun))
			s.mu.Unlock()
			s.timed("the events", func() { s.send("t") }, func() bool { return strings.Contains(s.em.String(), "compiled 119") })
			s.mu.Lock()
			took = append(took, s.seen.Sub(s.begun))
			s.mu.Unlock()
			s.send("q")
			s.leaves()
		}
		b.ReportMetric(quantile(chrome, 0), "min-ms")
		b.ReportMetric(quantile(chrome, 0.5), "median-ms")
		b.ReportMetric(quantile(chrome, 0.5)/100, "median/goal")
		b.ReportMetric(quantile(took, 0.5), "events-median-ms")
	})
	run := func(what string, args ...string) func(*testing.B) {
		return func(b *testing.B) {
			var took, cpu []time.Duration
			for b.Loop() {
				cmd := exec.Command(what, args...)
				from := time.Now()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(from))
				cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			}
			b.ReportMetric(quantile(took, 0), "min-ms")
			b.ReportMetric(quantile(took, 0.5), "median-ms")
			b.ReportMetric(quantile(cpu, 0.5), "cpu-ms")
		}
	}
	b.Run("version", run(name, "--version"))
	b.Run("true", run("true"))
}

// BenchmarkLargeLedger opens the cockpit on a large ledger, goes to its
// beginning, and looks for a rare word. BINNACLE_BENCH_EVENTS says how many
// events, 100,000 otherwise. The goal is a first frame within 100 ms, however
// many there are.
func BenchmarkLargeLedger(b *testing.B) {
	n := number(b, "BINNACLE_BENCH_EVENTS", 100_000)
	dir := b.TempDir()
	from := time.Now()
	filled(b, dir, n)
	b.Logf("%d events were written in %s", n, time.Since(from))
	var first, shown, top, rare, page []time.Duration
	var early, late float64
	for b.Loop() {
		s := begin(b, sessionOptions{dir: dir, w: 200, h: 60})
		s.timed("the first frame", func() {}, func() bool { return strings.Contains(s.row(1), "1 Events") })
		s.mu.Lock()
		first = append(first, s.seen.Sub(s.begun))
		s.mu.Unlock()
		s.until("the newest event", func() bool { return strings.Contains(s.em.String(), "package "+strconv.Itoa(n-1)) })
		shown = append(shown, time.Since(s.begun))
		early = max(early, resident(b, s.cmd.Process.Pid))
		top = append(top, s.timed("the beginning", func() { s.send("g") }, func() bool { return strings.Contains(s.row(2), "package 0 ") }))
		for range 20 {
			before := s.screen()
			page = append(page, s.timed("the next page", func() { s.send("\x1b[6~") }, func() bool { return s.em.String() != before }))
		}
		s.send("/")
		s.until("the filter", s.bottom("/"))
		s.send("quokka")
		rare = append(rare, s.timed("the rare word", func() { s.send("\r") }, func() bool {
			return strings.Contains(s.em.String(), "the quokka was here")
		}))
		s.until("the verified chain", func() bool { return strings.Contains(s.row(0), "✓") })
		late = max(late, resident(b, s.cmd.Process.Pid))
		s.send("q")
		s.leaves()
	}
	b.ReportMetric(quantile(first, 0.5), "first-frame-ms")
	b.ReportMetric(quantile(shown, 0.5), "events-ms")
	b.ReportMetric(quantile(top, 0.5), "to-top-ms")
	b.ReportMetric(quantile(page, 0.9), "page-p90-ms")
	b.ReportMetric(quantile(rare, 0.5), "rare-word-ms")
	b.ReportMetric(early, "rss-open-MiB")
	b.ReportMetric(late, "rss-verified-MiB")
}
