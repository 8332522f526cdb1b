package screen

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"binnacle/views/text"
)

// cockpit draws a frame like the cockpit's: a header, a full event list that
// follows, panes of state beside it (three planes, three lanes with one open,
// three leases, six machines), a line of keys. With each event the list moves
// up, and two counts change.
type cockpit struct {
	w, h  int
	head  int // number of the newest event
	style map[string]lipgloss.Style
}

func newCockpit(w, h int) *cockpit {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	fg := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)) }
	return &cockpit{w: w, h: h, head: 18204, style: map[string]lipgloss.Style{
		"border": fg("#3b4261"), "focus": fg("#7aa2f7"), "title": fg("#c0caf5").Bold(true), "muted": fg("#565f89"),
		"text": fg("#c0caf5"), "ok": fg("#9ece6a"), "warn": fg("#e0af68"), "danger": fg("#f7768e").Bold(true),
		"directive": fg("#7dcfff"), "signal": fg("#bb9af7"), "note": fg("#a9b1d6"), "metric": fg("#73daca"), "work": fg("#ff9e64"),
		"header": fg("#c0caf5").Background(lipgloss.Color("#1f2335")), "key": fg("#7aa2f7").Bold(true),
	}}
}

// event draws the n-th event: time, kind, state, producer, topic, text.
func (c *cockpit) event(n, w int) string {
	pick := func(salt int, of ...string) string { return of[(n*2654435761>>7+n*salt)%len(of)] }
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n*700) * time.Millisecond)
	kind := pick(3, "note", "note", "metric", "directive", "note", "signal", "work")
	state := map[string]string{"directive": pick(5, "taken", "done"), "signal": pick(7, "pending", "cleared"), "work": pick(11, "claimed", "done")}[kind]
	producer := pick(13, "builder-1", "builder-2", "probe", "ci-3", "reviewer", "builder-2")
	topic := pick(17, "build/log", "build/log", "host/load", "queue/release", "build/alert", "deploy/eu")
	body := map[string]string{
		"note":      pick(19, "compiling ./ui/screen", "compiling ./backend/store", "go test ./model ok", "retry 3 of 5 after timeout", "linking binnacle"),
		"metric":    fmt.Sprintf("load %d.%02d", n%7, n*37%100),
		"directive": fmt.Sprintf("#%d fix the flaky upload test", n%90),
		"signal":    pick(23, "disk nearly full on /var", "tests red on main", "waiting for an answer"),
		"work":      fmt.Sprintf("job-%d attempt %d", n%400, n%3+1),
	}[kind]
	line := " " + c.style["muted"].Render(at.Format("15:04:05")) + " " + c.style[kind].Render(text.Pad(kind, 9)) + " " +
		c.style["warn"].Render(text.Pad(state, 8)) + " " + c.style["muted"].Render(text.Pad(producer, 10)) + " " +
		c.style["muted"].Render(text.Pad(topic, 13)) + " " + c.style["text"].Render(body)
	return text.Fit(line, w)
}

// pane frames lines.
func (c *cockpit) pane(title, note, border string, lines []string, w, h int) []string {
	b := c.style[border]
	top := "╭─" + title + " "
	out := []string{b.Render("╭─") + c.style["title"].Render(title+" ") + b.Render(strings.Repeat("─", max(w-text.Width(top)-text.Width(note)-4, 0))+" ") +
		c.style["muted"].Render(note) + b.Render(" ─╮")}
	for _, l := range text.Block(lines, w-2, h-2) {
		out = append(out, b.Render("│")+l+b.Render("│"))
	}
	return append(out, b.Render("╰"+strings.Repeat("─", w-2)+"╯"))
}

// frame draws the whole.
func (c *cockpit) frame() string {
	cols := 2
	if c.w >= 150 {
		cols = 3
	}
	left := c.w * 53 / 100
	if cols == 3 {
		left = c.w * 45 / 100
	}
	body := c.h - 2
	var events []string
	for i := range body - 2 {
		events = append(events, c.event(c.head-(body-2)+i+1, left-2))
	}
	columns := [][]string{c.pane("1 Events", "following", "focus", events, left, body)}
	rest := c.w - left
	columns = append(columns, c.state(rest/(cols-1), body, 0))
	if cols == 3 {
		columns = append(columns, c.state(rest-rest/2, body, 1))
	}
	s := c.style
	head := s["header"].Render(" binnacle  ~/src/harbour      ") + s["ok"].Background(lipgloss.Color("#1f2335")).Render("● live") +
		s["header"].Render(fmt.Sprintf("   %d,%03d events ✓   42/s ▁▂▅▇▃▁   queue 37   fleet 5/6   needs you 3", c.head/1000, c.head%1000))
	lines := []string{head + s["header"].Render(text.Spaces(c.w-text.Width(head)-6)+"12:04 ")}
	for y := range body {
		var b strings.Builder
		for _, col := range columns {
			b.WriteString(col[y])
		}
		lines = append(lines, b.String())
	}
	keys := ""
	for _, k := range []string{"r requeue", "d drop", "+/- priority", "w why", "enter open", "/ filter", ": do", "? help"} {
		name, rest, _ := strings.Cut(k, " ")
		keys += " " + s["key"].Render(name) + " " + s["muted"].Render(rest) + " "
	}
	return strings.Join(append(lines, text.Pad(keys, c.w)), "\n")
}

// state draws a column of panes of state; a new event changes one number in it.
func (c *cockpit) state(w, h, column int) []string {
	s := c.style
	rows := func(n int, f func(i int) string) []string {
		var out []string
		for i := range n {
			out = append(out, text.Fit(f(i), w-2))
		}
		return out
	}
	planes := []string{
		s["text"].Render(fmt.Sprintf(" record %d,%03d", c.head/1000, c.head%1000)) + s["muted"].Render("   note 9,120  metric 6,002  generic 3,082"),
		s["signal"].Render(" signal") + s["warn"].Render("  3 pending") + s["muted"].Render("   1 claimed   88 cleared   2 expired"),
		s["work"].Render(" work") + s["text"].Render("    4 claimed  ") + s["ok"].Render("120 done") + s["danger"].Render("     3 failed"),
	}
	lanes := rows(6, func(i int) string {
		if i < 2 || i == 5 {
			return s["title"].Render(fmt.Sprintf(" ▸ lane-%c", 'a'+min(i, 2))) + s["muted"].Render(fmt.Sprintf("  P0 %d  P1 %d P2 %d   taken %d   deferred %d", i%3, 21-i, i%4, i%3, i%2))
		}
		return s["muted"].Render(fmt.Sprintf("    #%d P%d ", 57+i, i%3)) + s["ok"].Render("pending") + s["text"].Render("   fix the flaky upload test") + s["muted"].Render(fmt.Sprintf("  %dm", 3+i))
	})
	leases := rows(3, func(i int) string {
		return s["text"].Render(fmt.Sprintf(" #%d builder-%d  release   ", 41+i, i%3)) + s["ok"].Render(text.Bar(float64(i+3)/9, 9, false)) + s["muted"].Render(fmt.Sprintf(" %02d:14 left", 21-i))
	})
	fleet := rows(6, func(i int) string {
		return s["muted"].Render(fmt.Sprintf(" m-k3f%d laptop-%d  ", i*7, i)) + s["text"].Render("builder-2  claude-code  ") + s["ok"].Render("working") + s["muted"].Render("  #41")
	})
	if column == 1 {
		planes, lanes = lanes[:6], planes
	}
	var out []string
	out = append(out, c.pane("2 Planes", "", "border", planes, w, len(planes)+2)...)
	out = append(out, c.pane("3 Lanes", "37 open", "border", lanes, w, len(lanes)+2)...)
	out = append(out, c.pane("4 Leases", "", "border", leases, w, len(leases)+2)...)
	if left := h - len(out); left >= 3 {
		out = append(out, c.pane("5 Fleet", "fetched 12 s ago", "border", fleet, w, left)...)
	}
	return out[:h]
}

// sizes are the two that the goal is for.
var sizes = []struct{ w, h int }{{120, 40}, {200, 60}}

// counter counts what a renderer writes, and says when it has.
type counter struct{ wrote chan int }

func (c *counter) Write(p []byte) (int, error) {
	c.wrote <- len(p)
	return len(p), nil
}

// framed is a model that shows what it is sent.
type framed struct{ frame string }

func (f framed) Init() tea.Cmd { return nil }
func (f framed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if s, ok := msg.(string); ok {
		f.frame = s
	}
	return f, nil
}
func (f framed) View() string { return f.frame }

// teaBytes returns what Bubble Tea's own renderer writes for a frame after
// another one.
func teaBytes(b *testing.B, w, h int, first, second string) int {
	b.Helper()
	out := &counter{wrote: make(chan int, 64)}
	p := tea.NewProgram(framed{frame: first}, tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignalHandler(), tea.WithAltScreen())
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	p.Send(tea.WindowSizeMsg{Width: w, Height: h})
	// settle sums what is written until a frame's worth has been, and nothing
	// more follows within several ticks of the renderer.
	settle := func(least int) int {
		sum := 0
		limit := time.After(5 * time.Second)
		quiet := time.NewTimer(5 * time.Second)
		for {
			select {
			case n := <-out.wrote:
				sum += n
				if sum >= least {
					quiet.Reset(200 * time.Millisecond)
				}
			case <-quiet.C:
				return sum
			case <-limit:
				b.Fatal("the renderer never stopped writing")
			}
		}
	}
	settle(len(first) / 2)
	p.Send(second)
	n := settle(1000)
	p.Quit()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkBytesOfOneEvent compares the bytes of a frame with one new event in
// it with those of Bubble Tea's renderer. The goal is a ratio of 0.12.
func BenchmarkBytesOfOneEvent(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(b *testing.B) {
			c := newCockpit(size.w, size.h)
			first := c.frame()
			c.head++
			theirs := teaBytes(b, size.w, size.h, first, c.frame())
			p := NewPainter(everything)
			ours, frames := 0, 0
			p.Frame(first, size.w, size.h)
			for b.Loop() {
				ours += len(p.Frame(c.frame(), size.w, size.h))
				frames++
				c.head++
			}
			b.ReportMetric(float64(ours)/float64(frames), "bytes/frame")
			b.ReportMetric(float64(theirs), "bytes/frame-bubbletea")
			b.ReportMetric(float64(ours)/float64(frames)/float64(theirs), "ratio")
		})
	}
}

// BenchmarkFrame is the time to read and diff a frame with one new event, as
// the mean and as the median.
func BenchmarkFrame(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(b *testing.B) {
			c := newCockpit(size.w, size.h)
			frames := make([]string, 64)
			for i := range frames {
				frames[i] = c.frame()
				c.head++
			}
			p := NewPainter(everything)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				p.Frame(frames[i%len(frames)], size.w, size.h)
				took = append(took, time.Since(start))
			}
			sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
		})
	}
}

// BenchmarkUnchanged is the time for a frame that differs in nothing, made anew
// so that the strings are not the same ones.
func BenchmarkUnchanged(b *testing.B) {
	c := newCockpit(200, 60)
	frames := [2]string{c.frame(), strings.Clone(c.frame())}
	p := NewPainter(everything)
	p.Frame(frames[0], 200, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if n := len(p.Frame(frames[i%2], 200, 60)); n != 0 {
			b.Fatalf("%d bytes for nothing", n)
		}
	}
}

// BenchmarkKeypress is the time for a frame in which one line changed, as after
// most keys.
func BenchmarkKeypress(b *testing.B) {
	c := newCockpit(200, 60)
	lines := strings.Split(c.frame(), "\n")
	other := append([]string{}, lines...)
	other[20] = "\x1b[7m" + text.Pad("selected", 40) + "\x1b[0m" + lines[20]
	frames := [2]string{strings.Join(lines, "\n"), strings.Join(other, "\n")}
	p := NewPainter(everything)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Frame(frames[i%2], 200, 60)
	}
}

// TestBytesOfOneEvent keeps the goal from being lost without notice: the bytes
// of a whole line for each line that changed are what Bubble Tea writes.
func TestBytesOfOneEvent(t *testing.T) {
	for _, size := range sizes {
		c := newCockpit(size.w, size.h)
		before := strings.Split(c.frame(), "\n")
		c.head++
		after := c.frame()
		whole := 0
		for y, line := range strings.Split(after, "\n") {
			if line != before[y] {
				whole += len(line)
			}
		}
		p := NewPainter(everything)
		p.Frame(strings.Join(before, "\n"), size.w, size.h)
		out := p.Frame(after, size.w, size.h)
		if got := float64(len(out)) / float64(whole); got > 0.12 {
			t.Errorf("%dx%d: %d bytes, %.3f of the %d of whole lines, want at most 0.12", size.w, size.h, len(out), got, whole)
		}
		if bytes.Count(out, []byte(syncOn)) != 1 {
			t.Errorf("%dx%d: not one synchronized update", size.w, size.h)
		}
	}
}
