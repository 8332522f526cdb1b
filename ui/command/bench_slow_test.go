//go:build linux

package command_test

import (
	"strings"
	"testing"
	"time"
)

// slowLine is how many bytes a second a slow terminal takes.
const slowLine = 2000

// BenchmarkSlowLine is the time from `?` to the first lines of the help, on a
// terminal that takes 2 KB a second, while the demo's fleet works. The goal is
// 1.5 s for 95 in a hundred. BINNACLE_BENCH_KEYS says how often it is pressed,
// 20 times otherwise.
func BenchmarkSlowLine(b *testing.B) {
	dir := b.TempDir()
	s := begin(b, sessionOptions{
		dir: dir, args: []string{"demo", "--seed", "1"}, env: []string{"TMPDIR=" + dir}, rate: slowLine,
	})
	s.shows("1 Events", "3 Lanes", "quit")
	helps := func() bool {
		for y, text := range []string{"Keys", "Move", "Go one row up.", "Go one row down.", "Go to the pane on the left"} {
			if !strings.Contains(s.row(1+y), text) {
				return false
			}
		}
		return true
	}
	var took, gone []time.Duration
	for b.Loop() {
		for i := range number(b, "BINNACLE_BENCH_KEYS", 20) {
			time.Sleep(time.Duration(700+370*(i%7)) * time.Millisecond)
			from := time.Now()
			s.send("?")
			s.until("the help", helps)
			took = append(took, time.Since(from))
			time.Sleep(time.Duration(300+410*(i%5)) * time.Millisecond)
			from = time.Now()
			s.send("\x1b")
			s.until("the panes", func() bool {
				return !strings.Contains(s.row(1), "Keys") && !strings.Contains(s.row(3), "Go one row up")
			})
			gone = append(gone, time.Since(from))
		}
	}
	s.send("q")
	s.leaves()
	p95 := quantile(took, 0.95) / 1000
	b.ReportMetric(quantile(took, 0.5)/1000, "p50-s")
	b.ReportMetric(p95, "p95-s")
	b.ReportMetric(quantile(took, 1)/1000, "max-s")
	b.ReportMetric(p95/1.5, "p95/goal")
	b.ReportMetric(quantile(gone, 0.95)/1000, "closed-p95-s")
}
