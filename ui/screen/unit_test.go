package screen

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"
)

func anyStyle() *rapid.Generator[Style] {
	color := rapid.Custom(func(t *rapid.T) Color {
		n := rapid.Byte().Draw(t, "n")
		return rapid.SampledFrom([]Color{0, ANSI(n), Indexed(n), RGB(n, n/2, 255-n)}).Draw(t, "color")
	})
	return rapid.Custom(func(t *rapid.T) Style {
		return Style{FG: color.Draw(t, "fg"), BG: color.Draw(t, "bg"), Attrs: Attr(rapid.IntRange(0, 63).Draw(t, "attrs"))}
	})
}

// TestSGRRoundTrip: what is written to get from one style to another does so,
// and is never longer than starting over.
func TestSGRRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := anyStyle().Draw(t, "from"), anyStyle().Draw(t, "to")
		seq := string(appendSGR(nil, from, to))
		got := from
		if seq != "" {
			readSGR(strings.TrimSuffix(strings.TrimPrefix(seq, "\x1b["), "m"), &got)
		}
		if got != to {
			t.Fatalf("%q leads from %s to %s, want %s", seq, from, got, to)
		}
		if over := "\x1b[;" + string(appendDelta(nil, Style{}, to)); to != (Style{}) && len(seq) > len(over) {
			t.Fatalf("%q is longer than %q", seq, over)
		}
	})
}

func TestReadSGR(t *testing.T) {
	for in, want := range map[string]Style{
		"":                      {},
		"1;31":                  {FG: ANSI(1), Attrs: Bold},
		"38;5;200":              {FG: Indexed(200)},
		"38;5;3":                {FG: ANSI(3)},
		"38:5:200":              {FG: Indexed(200)},
		"48;2;1;2;3":            {BG: RGB(1, 2, 3)},
		"48:2::1:2:3":           {BG: RGB(1, 2, 3)},
		"48:2:1:2:3":            {BG: RGB(1, 2, 3)},
		"38;2;1;2;3;7":          {FG: RGB(1, 2, 3), Attrs: Reverse},
		"4:3":                   {Attrs: Underline},
		"4:0":                   {},
		"4;3":                   {Attrs: Underline | Italic},
		"58;5;9;1":              {Attrs: Bold},
		"58:2::1:2:3;1":         {Attrs: Bold},
		"5;8":                   {},
		"38;5;300":              {},
		"38;2;1;2":              {},
		"38":                    {},
		"99999999999999999999":  {},
		"1;2;22":                {},
		"97;107":                {FG: ANSI(15), BG: ANSI(15)},
		"31;41;39;49":           {},
		"38;2;1;2;300":          {},
		"3;9;23;7;27":           {Attrs: Strike},
		"1;;4":                  {Attrs: Underline},
		"38;5;1;48;5;2;1;2;3;9": {FG: ANSI(1), BG: ANSI(2), Attrs: Bold | Faint | Italic | Strike},
	} {
		var got Style
		readSGR(in, &got)
		if got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

// FuzzParse: a grid is as large as it should be and holds no control.
func FuzzParse(f *testing.F) {
	f.Add("\x1b[1;31mred\x1b[0m\n日本\x1b]52;c;x\x07\x9b2J", 5, 3)
	f.Add("e\u0301\u0301\u0301\u200d👩\u200d👩", 3, 1)
	f.Fuzz(func(t *testing.T, frame string, w, h int) {
		if w < 0 || h < 0 || w > 100 || h > 50 || len(frame) > 4000 {
			t.Skip()
		}
		g := Parse(frame, w, h)
		for y := range h {
			for x := 0; x < w; x++ {
				c := g.At(x, y)
				if c.Width == 0 || int(c.Width)+x > w || len(c.Content) > maxCluster {
					t.Fatalf("cell %d,%d of %q is %s", x, y, frame, describe(c))
				}
				for _, r := range c.Content {
					if r < 0x20 || r >= 0x7f && r < 0xa0 {
						t.Fatalf("cell %d,%d of %q holds %U", x, y, frame, r)
					}
				}
				if c.Width == 2 {
					x++
					if second := g.At(x, y); second.Width != 0 || second.Content != "" || second.Style != c.Style {
						t.Fatalf("second cell %d,%d of %q is %s", x, y, frame, describe(second))
					}
				}
			}
		}
	})
}

func TestGolden(t *testing.T) {
	g := Parse("\x1b[1;38;2;16;32;255mHi\x1b[0m 日\n\x1b[7mon\x1b[0m\x1b[38;2;16;32;255;1m!\x1b[0m  \x1b[31m ", 6, 2)
	want := strings.Join([]string{
		"size 6x2 theme dark",
		"Hi 日 │",
		"on!   │",
		"style",
		"aa....",
		"bba...",
		"legend",
		"a fg=#1020ff bold",
		"b reverse",
		"",
	}, "\n")
	if got := Golden(g, "dark"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFullRepaint(t *testing.T) {
	p := NewPainter(everything)
	first := string(p.Frame("one", 5, 2))
	if !strings.Contains(first, "\x1b[2J") {
		t.Errorf("the first frame %q erases nothing", first)
	}
	if again := p.Frame("one", 5, 2); len(again) != 0 {
		t.Errorf("an unchanged frame writes %q", again)
	}
	if next := string(p.Frame("ona", 5, 2)); strings.Contains(next, "\x1b[2J") || strings.Contains(next, "on") {
		t.Errorf("a changed letter writes %q", next)
	}
	p.Forget()
	if next := string(p.Frame("ona", 5, 2)); !strings.Contains(next, "\x1b[2J") {
		t.Errorf("after Forget %q erases nothing", next)
	}
	if next := string(p.Frame("ona", 6, 2)); !strings.Contains(next, "\x1b[2J") {
		t.Errorf("after a resize %q erases nothing", next)
	}
}

// TestBytes pins what typical changes cost.
func TestBytes(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"one letter", "abc", "abd", "\x1b[;3Hd"},
		{"a short gap is written", "abcdef", "xbcdex", "\x1b[Hxbcdex"},
		{"a long gap is jumped", "abcdefghijk", "xbcdefghijx", "\x1b[Hx\x1b[9Cx"},
		{"a column of digits", "x1\nx2\nx3", "x2\nx3\nx4", "\x1b[;2H2\n\b3\n\b4"},
		{"the end of a line is erased", "abcdefgh", "a", "\x1b[;2H\x1b[K"},
		{"in its colour", "\x1b[41mabcdefghijkl", "\x1b[41m            ", "\x1b[H\x1b[41m\x1b[K\x1b[m"},
		{"the middle of a line is erased", "abcdefgh  z", "a         z", "\x1b[;2H\x1b[7X"},
		{"only the style", "ab", "\x1b[1mab", "\x1b[H\x1b[1mab\x1b[m"},
		{"spaces keep the style of the text", "", "\x1b[31ma b c", "\x1b[H\x1b[31ma b c\x1b[m"},
		{"by style, not by line", "", "\x1b[38;2;1;2;3ma\x1b[m b\n\x1b[38;2;1;2;3mc\x1b[m d", "\x1b[H\x1b[38;2;1;2;3ma\n\bc \x1b[md\x1bM\bb"},
		{"an emoji is placed, and what follows it too", "", "💰x", "\x1b[H  \r💰\x1b[3Gx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			caps := everything
			caps.Sync = false
			w, h := 12, strings.Count(c.to, "\n")+1
			if got := string(Diff(nil, Parse(c.from, w, h), Parse(c.to, w, h), caps)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestScrollIsFewBytes: lines that moved are moved.
func TestScrollIsFewBytes(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, strings.Repeat(string(rune('a'+i%26)), 30+i))
	}
	from, to := Parse(strings.Join(lines[:20], "\n"), 60, 22), Parse(strings.Join(lines[1:21], "\n"), 60, 22)
	if out := Diff(nil, from, to, everything); len(out) > 110 || !bytes.Contains(out, []byte("\x1b[M")) {
		t.Errorf("a scroll by one line takes %d bytes: %q", len(out), out)
	}
}

// TestHostileFrame: the only controls a frame gets through are its styles.
func TestHostileFrame(t *testing.T) {
	frame := "a\x1b]52;c;aGk=\x07b\x1b[6nc\x1b[2Jd\x1b]0;title e\x9b31mf\x07\x1b[31mred"
	out := string(NewPainter(Caps{Profile: colorprofile.TrueColor}).Frame(frame, 40, 1))
	out = strings.TrimPrefix(out, wipe)
	for _, bad := range []string{"52;c", "[6n", "[2J", "title", "\x07", "\x9b", "]"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q holds %q", out, bad)
		}
	}
}

func TestDetectCaps(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want Caps
	}{
		{"true colour", map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Caps{colorprofile.TrueColor, true, true, true}},
		{"256", map[string]string{"TERM": "xterm-256color"}, Caps{colorprofile.ANSI256, true, true, true}},
		{"no colour", map[string]string{"TERM": "xterm-256color", "NO_COLOR": "yes"}, Caps{colorprofile.ASCII, true, true, true}},
		{"console", map[string]string{"TERM": "linux"}, Caps{colorprofile.ANSI, false, true, true}},
		{"screen", map[string]string{"TERM": "screen-256color", "STY": "1"}, Caps{colorprofile.ANSI256, true, false, true}},
		{"tmux as screen", map[string]string{"TERM": "screen-256color", "TMUX": "x"}, Caps{colorprofile.ANSI256, true, true, true}},
		{"vt100", map[string]string{"TERM": "vt100"}, Caps{colorprofile.ANSI, false, false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := DetectCaps(func(k string) string { return c.env[k] }); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCopySequence(t *testing.T) {
	none := func(string) string { return "" }
	in := func(name string) func(string) string {
		return func(k string) string {
			if k == name {
				return "1"
			}
			return ""
		}
	}
	if got, err := copySequence("hi", none); err != nil || got != "\x1b]52;c;aGk=\x07" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, _ := copySequence("hi", in("TMUX")); got != "\x1b]52;c;aGk=\x07\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\" {
		t.Errorf("in tmux %q", got)
	}
	if got, _ := copySequence("hi", in("STY")); got != "\x1bP\x1b]52;c;aGk=\x07\x1b\\" {
		t.Errorf("in screen %q", got)
	}
	most := base64.StdEncoding.DecodedLen(MaxCopy - MaxCopy%4)
	if _, err := copySequence(strings.Repeat("x", most), none); err != nil {
		t.Errorf("%d bytes are refused: %v", most, err)
	}
	if got, err := copySequence(strings.Repeat("x", most+3), none); !errors.Is(err, ErrTooLarge) || got != "" {
		t.Errorf("%d bytes: %d sent, %v", most+3, len(got), err)
	}
}

func TestPace(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	ms := time.Millisecond
	for _, c := range []struct {
		name   string
		since  time.Duration
		urgent bool
		want   time.Duration
	}{
		{"long ago", time.Second, false, 0},
		{"just now", 0, false, 33 * ms},
		{"in between", 20 * ms, false, 13 * ms},
		{"a key in between", 20 * ms, true, 0},
		{"a key just now", 4 * ms, true, 12 * ms},
		{"the clock went back", -time.Hour, false, 0},
	} {
		p := pace{every: 33 * ms, last: start}
		if got := p.wait(start.Add(c.since), c.urgent); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	first := pace{every: 33 * ms}
	if got := first.wait(start, false); got != 0 {
		t.Errorf("the first frame waits %s", got)
	}
}

func TestInboxKeepsTheNewestSize(t *testing.T) {
	b := newInbox()
	key := tea.KeyMsg{Type: tea.KeyEnter}
	b.put(tea.WindowSizeMsg{Width: 1})
	b.put(tea.WindowSizeMsg{Width: 2})
	b.put(key)
	b.put(tea.WindowSizeMsg{Width: 3})
	for range inboxSize + 10 {
		b.put(key)
	}
	b.put(ClosedMsg{Err: ErrLost})
	if n := len(b.items); n != inboxSize+1 {
		t.Fatalf("%d wait, want %d", n, inboxSize+1)
	}
	if b.items[0] != (tea.WindowSizeMsg{Width: 2}) || b.items[2] != (tea.WindowSizeMsg{Width: 3}) {
		t.Errorf("sizes are %v and %v", b.items[0], b.items[2])
	}
	if b.items[inboxSize] != (ClosedMsg{Err: ErrLost}) {
		t.Errorf("the end was lost in the flood")
	}
}

// panics runs something that panics under a guard and returns what came of it.
func panics(t *testing.T, dir string, run func(g *Guard)) (crash *Crash, printed string, restored int) {
	t.Helper()
	var out bytes.Buffer
	g := NewGuard(dir, &out, func() time.Time { return time.Date(2026, 3, 1, 12, 4, 31, 0, time.UTC) })
	g.OnCrash(func() {
		if out.Len() > 0 {
			t.Error("something was printed before the terminal was restored")
		}
		restored++
	})
	if g.Err() != nil {
		t.Fatal("crashed before anything ran")
	}
	run(g)
	select {
	case <-g.Crashed():
	case <-time.After(10 * time.Second):
		t.Fatal("the panic was not noticed")
	}
	if !errors.As(g.Err(), &crash) {
		t.Fatalf("error is %v", g.Err())
	}
	return crash, out.String(), restored
}

func TestGuard(t *testing.T) {
	boom := func() tea.Msg { panic("boom \x1b[2J") }
	fine := func() tea.Msg { return nil }
	for name, run := range map[string]func(g *Guard){
		"goroutine": func(g *Guard) { g.Go("goroutine", func() { panic("boom \x1b[2J") }) },
		"command":   func(g *Guard) { g.Cmd(boom)() },
		"batch":     func(g *Guard) { g.Cmd(tea.Batch(fine, boom))().(tea.BatchMsg)[1]() },
		"sequence": func(g *Guard) {
			msg := g.Cmd(tea.Sequence(fine, boom))()
			if got := g.msg(msg); got == nil {
				t.Error("a sequence came to nothing")
			}
			runSequence(g, boom)
		},
		"two at once": func(g *Guard) { g.Cmd(boom)(); g.Cmd(boom)() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "crash")
			crash, printed, restored := panics(t, dir, run)
			if restored != 1 {
				t.Errorf("restored %d times", restored)
			}
			if strings.Contains(printed, "\x1b") || !strings.Contains(printed, crash.Path) || filepath.Dir(crash.Path) != dir {
				t.Errorf("printed %q, the trace is in %q", printed, crash.Path)
			}
			trace, err := os.ReadFile(crash.Path)
			if err != nil || !strings.Contains(string(trace), "unit_test.go") || !strings.Contains(string(trace), "2026-03-01T12:04:31Z") {
				t.Errorf("the trace does not say where (%v):\n%s", err, trace)
			}
		})
	}
}

// runSequence runs a sequence the way Bubble Tea does: it ends with the panic
// of a command, which must not reach it.
func runSequence(g *Guard, boom tea.Cmd) {
	type sequence []tea.Cmd
	wrapped := g.msg(sequence{boom}).(sequence)
	wrapped[0]()
}

func TestGuardWithoutDirectory(t *testing.T) {
	_, printed, _ := panics(t, "", func(g *Guard) { g.Go("x", func() { panic("boom") }) })
	if !strings.Contains(printed, "unit_test.go") {
		t.Errorf("the trace is nowhere: %q", printed)
	}
}
