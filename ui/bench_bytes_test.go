package ui

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"binnacle/model"
	"binnacle/ui/pane"
	"binnacle/ui/screen"
)

// BenchmarkBytesOfOneEvent compares the bytes of a frame of the real cockpit
// with one new event in it with what Bubble Tea's renderers write for the same
// two frames: at most 0.12 of v1's (whole lines) and 0.8 of v2's (changed cells,
// lines moved by regions). An act of a worker changes counts, lanes and leases as
// well.
func BenchmarkBytesOfOneEvent(b *testing.B) {
	const frames = 25
	for _, size := range []string{"120x40", "200x60"} {
		b.Run(size, func(b *testing.B) {
			ours, theirs, newer := 0, 0, 0
			for b.Loop() {
				r := busyRig(b, size)
				w, h := r.c.size.W, r.c.size.H
				p := screen.NewPainter(benchCaps)
				last := r.c.View()
				p.Frame(last, w, h)
				tea := newTeaRenderer(b, w, h, last)
				v2 := newCellRenderer(w, h)
				v2.show(last)
				for i := range frames {
					r.step(i + 1000)
					r.sync()
					next := r.c.View()
					ours += len(p.Frame(next, w, h))
					theirs += tea.show(next)
					newer += v2.show(next)
				}
				tea.stop()
			}
			n := float64(b.N * frames)
			b.ReportMetric(float64(ours)/n, "bytes/frame")
			b.ReportMetric(float64(theirs)/n, "bytes/frame-bubbletea")
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(ours)/float64(theirs)/0.12, "ratio/goal")
			b.ReportMetric(float64(newer)/n, "bytes/frame-bubbletea2")
			b.ReportMetric(float64(ours)/float64(newer), "ratio-bubbletea2")
		})
	}
}

// TestBytesOfOneEvent keeps a frame with one new event from becoming a
// screenful without notice: the goal's ratio is to what whole lines cost.
func TestBytesOfOneEvent(t *testing.T) {
	for _, size := range []string{"120x40", "200x60"} {
		r := newRig(t, rigOptions{size: size})
		r.busy()
		for i := range 80 {
			r.step(i)
		}
		r.sync()
		w, h := r.c.size.W, r.c.size.H
		p := screen.NewPainter(benchCaps)
		full := len(p.Frame(r.c.View(), w, h))
		for i := range 10 {
			r.step(i + 1000)
			r.sync()
			if n := len(p.Frame(r.c.View(), w, h)); n == 0 || n > full/2 {
				t.Errorf("%s: one event is %d bytes, a whole frame %d", size, n, full)
			}
		}
	}
}

// teaRenderer is Bubble Tea's own renderer, fed frame by frame.
type teaRenderer struct {
	b     *testing.B
	p     *tea.Program
	wrote chan int
	done  chan error
}

// teaFrames is a model that shows what it is sent.
type teaFrames struct{ frame string }

func (m teaFrames) Init() tea.Cmd { return nil }

func (m teaFrames) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if s, ok := msg.(string); ok {
		m.frame = s
	}
	return m, nil
}

func (m teaFrames) View() string { return m.frame }

// Write counts.
func (r *teaRenderer) Write(p []byte) (int, error) {
	r.wrote <- len(p)
	return len(p), nil
}

func newTeaRenderer(b *testing.B, w, h int, first string) *teaRenderer {
	b.Helper()
	r := &teaRenderer{b: b, wrote: make(chan int, 64), done: make(chan error, 1)}
	r.p = tea.NewProgram(teaFrames{frame: first}, tea.WithInput(nil), tea.WithOutput(r), tea.WithoutSignalHandler(), tea.WithAltScreen())
	go func() {
		_, err := r.p.Run()
		r.done <- err
	}()
	r.p.Send(tea.WindowSizeMsg{Width: w, Height: h})
	r.settle(len(first) / 2)
	return r
}

// show returns how many bytes a frame takes.
func (r *teaRenderer) show(frame string) int {
	r.p.Send(frame)
	return r.settle(200)
}

// settle sums what is written until there was at least as much, and nothing
// more follows within several ticks of the renderer.
func (r *teaRenderer) settle(least int) int {
	r.b.Helper()
	const ticks = 80 * time.Millisecond // of 60 a second
	sum := 0
	limit := time.After(10 * time.Second)
	quiet := time.NewTimer(10 * time.Second)
	defer quiet.Stop()
	for {
		select {
		case n := <-r.wrote:
			if sum += n; sum >= least {
				quiet.Reset(ticks)
			}
		case <-quiet.C:
			return sum
		case <-limit:
			r.b.Fatalf("the renderer wrote %d bytes and did not come to rest", sum)
		}
	}
}

func (r *teaRenderer) stop() {
	r.p.Quit()
	if err := <-r.done; err != nil {
		r.b.Fatal(err)
	}
}

// cellRenderer is the renderer of Bubble Tea v2, set up as its Program does on
// a terminal of today, and held in synchronised output like ours.
type cellRenderer struct {
	out  bytes.Buffer
	term *uv.TerminalRenderer
	grid uv.ScreenBuffer
}

func newCellRenderer(w, h int) *cellRenderer {
	r := &cellRenderer{grid: uv.NewScreenBuffer(w, h)}
	r.term = uv.NewTerminalRenderer(&r.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	r.term.SetColorProfile(colorprofile.TrueColor)
	r.term.SetFullscreen(true)
	r.term.SetRelativeCursor(false)
	r.term.SetTabStops(w)
	r.term.SetBackspace(true)
	r.term.SetScrollOptim(true)
	return r
}

// show returns how many bytes a frame takes.
func (r *cellRenderer) show(frame string) int {
	r.out.Reset()
	r.grid.Clear()
	uv.NewStyledString(frame).Draw(r.grid, r.grid.Bounds())
	r.term.Render(r.grid.RenderBuffer)
	_ = r.term.Flush() // into a buffer
	return r.out.Len() + len(ansi.SetModeSynchronizedOutput+ansi.ResetModeSynchronizedOutput)
}

// BenchmarkStorm is what a message of a thousand events costs the loop that
// also has to answer keys: at 20,000 a second and 30 messages a second there
// are 667 in each.
func BenchmarkStorm(b *testing.B) {
	r := busyRig(b, "200x60")
	all := make([]model.Event, 667)
	var took []time.Duration
	for seq := int64(1_000_000); b.Loop(); {
		b.StopTimer()
		for i := range all {
			seq++
			all[i] = model.Event{
				Seq: seq, TS: r.now, Kind: model.KindNote, Topic: "build/log", Producer: "chatty",
				Payload: []byte(fmt.Sprintf(`{"text":"line %d"}`, seq)),
			}
		}
		s, err := r.b.Snapshot(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		t0 := time.Now()
		r.c.Update(snapshotMsg{s})
		r.c.Update(pane.Arrived{Generation: r.gen, Events: append([]model.Event(nil), all...)})
		_ = r.c.View()
		took = append(took, time.Since(t0))
	}
	b.ReportMetric(middle(took), "median-ms")
}
