package screen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"
)

// pieces are what frames in the property tests are made of: the texts and
// styles that break painters.
var pieces = []string{
	"a", "b", "12:04:31", "word", " ", "   ", "               ", "─", "│", "──────────", "█", "✓", "…", "é",
	"日", "本語", "한", "👍", "👩\u200d👩\u200d👧", "👍🏽", "🇫🇷", "🇫", "🇷", "⚙", "⚙\ufe0f", "💰", "1\ufe0f\u20e3", "e\u0301",
	"\u0301", "\u200d", "\u0600", "ᄀ", "ᅡ", "क्षि", "ः",
	"\x1b[m", "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[22m", "\x1b[3m", "\x1b[4m", "\x1b[24m", "\x1b[7m", "\x1b[27m", "\x1b[9m",
	"\x1b[31m", "\x1b[97m", "\x1b[39m", "\x1b[44m", "\x1b[49m", "\x1b[38;5;200m", "\x1b[48;2;1;2;3m", "\x1b[38;2;250;128;7;1m",
	"\x1b[48;2;1;2;3m          ", "\x1b[4m      ",
	"\x1b[2J", "\x1b]52;c;aGk=\x07", "\x9b", "\u009b", "\x07", "\x1b", "\t",
}

// frameOf draws a frame of h lines, not all of them w wide.
func frameOf(w, h int) *rapid.Generator[string] {
	line := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 1+w/2).Draw(t, "line"), "")
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, h).Draw(t, "lines"), "\n")
	})
}

// changed draws a frame that comes from another one the way frames do: lines
// move, some are replaced, some lose or gain a piece.
func changed(frame string, w, h int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		lines := strings.Split(frame, "\n")
		for len(lines) < h {
			lines = append(lines, "")
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			y := rapid.IntRange(0, len(lines)-1).Draw(t, "y")
			switch rapid.SampledFrom([]string{"up", "down", "replace", "append", "cut", "swap"}).Draw(t, "change") {
			case "up":
				end := rapid.IntRange(y, len(lines)-1).Draw(t, "end")
				moved := append([]string{}, lines[y:end+1]...)
				copy(lines[y:], moved[1:])
				lines[end] = "new " + moved[0]
			case "down":
				end := rapid.IntRange(y, len(lines)-1).Draw(t, "end")
				moved := append([]string{}, lines[y:end+1]...)
				copy(lines[y+1:end+1], moved)
				lines[y] = "new " + moved[len(moved)-1]
			case "replace":
				lines[y] = frameOf(w, 1).Draw(t, "line")
			case "append":
				lines[y] += rapid.SampledFrom(pieces).Draw(t, "piece")
			case "cut":
				lines[y] = lines[y][:len(lines[y])/2]
			case "swap":
				lines[0], lines[y] = lines[y], lines[0]
			}
		}
		return strings.Join(lines, "\n")
	})
}

func anyCaps() *rapid.Generator[Caps] {
	return rapid.Custom(func(t *rapid.T) Caps {
		return Caps{
			Profile: rapid.SampledFrom([]colorprofile.Profile{
				colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII, colorprofile.NoTTY, colorprofile.Unknown,
			}).Draw(t, "profile"),
			Sync: rapid.Bool().Draw(t, "sync"),
			BCE:  rapid.Bool().Draw(t, "bce"),
			ECH:  rapid.Bool().Draw(t, "ech"),
		}
	})
}

// TestLawOfDiff: what the emulator shows after Diff(a, b) on a is b, for any two
// frames of any size, from 1x1 on.
func TestLawOfDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 14).Draw(t, "h")
		caps := anyCaps().Draw(t, "caps")
		first := frameOf(w, h).Draw(t, "first")
		second := rapid.OneOf(frameOf(w, h), changed(first, w, h)).Draw(t, "second")
		a, b := Parse(first, w, h), Parse(second, w, h)
		e := newEmulated(w, h, rapid.Bool().Draw(t, "autowrap"))
		if !caps.BCE {
			e.withoutBCE()
		}
		e.Write(Diff(nil, nil, a, caps))
		sameGrid(t, e, fitted(a, caps.Profile), "full frame")
		bytes := Diff(nil, a, b, caps)
		e.Write(bytes)
		sameGrid(t, e, fitted(b, caps.Profile), fmt.Sprintf("after %q", bytes))
	})
}

// TestLawOfMoves: the same for frames in which a part of the screen scrolled,
// beside text that did not: the case in which lines are moved.
func TestLawOfMoves(t *testing.T) {
	moves := 0
	deletesLines := regexp.MustCompile(`\x1b\[[0-9]*M`)
	rapid.Check(t, func(t *rapid.T) {
		w, h := 48, rapid.IntRange(6, 16).Draw(t, "h")
		top := rapid.IntRange(0, h-4).Draw(t, "top")
		bottom := rapid.IntRange(top+3, h).Draw(t, "bottom")
		n := rapid.SampledFrom([]int{1, 2, 3, -1, -2}).Draw(t, "n")
		aside := rapid.SampledFrom([]string{"", "│", "│ 日本", "\x1b[44m  x"}).Draw(t, "aside")
		frame := func(scrolled int) string {
			lines := make([]string, h)
			for y := range lines {
				no := y
				if y >= top && y < bottom {
					no += scrolled
				}
				// Each line is of letters of its own.
				lines[y] = strings.Repeat(string(rune('A'+(no+40)%57)), 36)
				if aside != "" {
					lines[y] += fmt.Sprintf(" %s%d", aside, y)
				}
			}
			return strings.Join(lines, "\n")
		}
		a, b := Parse(frame(0), w, h), Parse(frame(n), w, h)
		e := newEmulated(w, h, rapid.Bool().Draw(t, "autowrap"))
		e.Write(Diff(nil, nil, a, everything))
		bytes := Diff(nil, a, b, everything)
		if deletesLines.Match(bytes) {
			moves++
		}
		e.Write(bytes)
		sameGrid(t, e, b, fmt.Sprintf("after %q", bytes))
	})
	if moves == 0 {
		t.Error("no line was ever moved")
	}
}

// TestLawOfPainter: the same for a sequence of frames of changing sizes through
// a Painter, which reuses what it can.
func TestLawOfPainter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		caps := anyCaps().Draw(t, "caps")
		p := NewPainter(caps)
		w, h := 0, 0
		var e emulated
		frame := ""
		for i := range rapid.IntRange(1, 8).Draw(t, "frames") {
			if i == 0 || rapid.IntRange(0, 5).Draw(t, "resize") == 0 {
				w, h = rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 10).Draw(t, "h")
				e = newEmulated(w, h, rapid.Bool().Draw(t, "autowrap"))
				p.Forget()
			}
			frame = rapid.OneOf(frameOf(w, h), changed(frame, w, h)).Draw(t, "frame")
			if rapid.IntRange(0, 9).Draw(t, "forget") == 0 {
				e = newEmulated(w, h, true)
				p.Forget()
			}
			bytes := p.Frame(frame, w, h)
			e.Write(bytes)
			sameGrid(t, e, fitted(Parse(frame, w, h), caps.Profile), fmt.Sprintf("frame %d after %q", i, bytes))
			if again := p.Frame(frame, w, h); len(again) != 0 {
				t.Fatalf("frame %d painted again costs %q", i, again)
			}
		}
	})
}

// TestLawOfSlices: the emulator shows after each slice what the painter believes,
// and the frame once it is whole, whatever newer frames come between; no slice
// is larger than asked for but where a single row is.
func TestLawOfSlices(t *testing.T) {
	cut := 0
	rapid.Check(t, func(t *rapid.T) {
		caps := anyCaps().Draw(t, "caps")
		w, h := rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 10).Draw(t, "h")
		p := NewPainter(caps)
		e := newEmulated(w, h, rapid.Bool().Draw(t, "autowrap"))
		if !caps.BCE {
			e.withoutBCE()
		}
		frame := ""
		slice := func(first []bool) (whole bool) {
			budget := rapid.IntRange(1, 200).Draw(t, "budget")
			old := Blank(w, h).rows
			if p.shown != nil {
				old = slices.Clone(p.shown.rows)
			}
			bytes, whole := p.Slice(frame, w, h, budget, first)
			e.Write(bytes)
			sameGrid(t, e, p.shown, fmt.Sprintf("belief after %q", bytes))
			rows := 0
			for y := range p.shown.rows {
				if !slices.Equal(old[y].cells, p.shown.rows[y].cells) {
					rows++
				}
			}
			if len(bytes) > budget && rows > 1 {
				t.Fatalf("%d rows in %d bytes of %d", rows, len(bytes), budget)
			}
			if !whole {
				cut++
			}
			return whole
		}
		for range rapid.IntRange(1, 5).Draw(t, "frames") {
			frame = rapid.OneOf(frameOf(w, h), changed(frame, w, h)).Draw(t, "frame")
			first := rapid.SliceOfN(rapid.Bool(), 0, h+2).Draw(t, "first")
			for range rapid.IntRange(0, 3).Draw(t, "slices") {
				if slice(first) {
					break
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "forget") == 0 {
				p.Forget()
			}
		}
		for n := 0; !slice(nil); n++ {
			if n > h {
				t.Fatalf("%d slices for %d rows", n, h)
			}
		}
		sameGrid(t, e, fitted(Parse(frame, w, h), caps.Profile), "the whole frame")
	})
	if cut == 0 {
		t.Error("no frame was ever cut")
	}
}

// FuzzLawOfDiff holds the law for frames that no generator thought of.
func FuzzLawOfDiff(f *testing.F) {
	f.Add("one\ntwo\nthree\nfour", "two\nthree\nfour\nfive", 8, 4)
	f.Add("日本語日本語", "a日本語日本", 12, 1)
	f.Add("\x1b[41mab\x1b[0m  \x1b[4m   \x1b[0m", "\x1b[41m   \x1b[0mab", 9, 2)
	f.Add("🇫🇷🇫👩\u200d👩\u200d👧", "👍🏽🇷🇫⚙\ufe0f", 7, 1)
	f.Add("x", "", 1, 1)
	f.Fuzz(func(t *testing.T, first, second string, w, h int) {
		if w < 1 || h < 1 || w > 60 || h > 20 || len(first)+len(second) > 4000 {
			t.Skip()
		}
		a, b := Parse(first, w, h), Parse(second, w, h)
		e := newEmulated(w, h, true)
		e.Write(Diff(nil, nil, a, everything))
		sameGrid(t, e, a, "full frame")
		bytes := Diff(nil, a, b, everything)
		e.Write(bytes)
		sameGrid(t, e, b, fmt.Sprintf("after %q", bytes))
	})
}
