package text_test

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"binnacle/views/text"
)

const (
	family = "👩\u200d👩\u200d👧\u200d👦"
	flag   = "🇫🇷"
	eAcute = "e\u0301"
	red    = "\x1b[31m"
	off    = "\x1b[0m"
)

func TestWidth(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"empty":             {"", 0},
		"ascii":             {"hello", 5},
		"family":            {family, 2},
		"flag":              {flag, 2},
		"combining":         {eAcute + "x", 2},
		"cjk":               {"日本", 4},
		"box":               {"╭──╮", 4},
		"styled":            {red + "ab" + off, 2},
		"true colour":       {"\x1b[1;38;2;1;2;3mab\x1b[m", 2},
		"osc has no width":  {"a\x1b]52;c;aGk=\x07b", 2},
		"unterminated osc":  {"a\x1b]52;c;aGk=", 1},
		"clear screen":      {"a\x1b[2Jb", 2},
		"c1 csi":            {"a\u009b2Jb", 4},
		"raw 0x9b":          {"a\x9bb", 3},
		"newline":           {"a\nb", 2},
		"emoji in a column": {"💰 🔢", 5},
		"prepended mark":    {"\u0600 ", text.Width("\u0600") + 1},
	} {
		if got := text.Width(c.in); got != c.want {
			t.Errorf("%s: Width(%q) = %d, want %d", name, c.in, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, in string
		w        int
		want     string
	}{
		{"ascii", "hello", 3, "hel"},
		{"all", "hello", 9, "hello"},
		{"none", "hello", 0, ""},
		{"negative", "hello", -4, ""},
		{"wide straddles", "a日b", 2, "a"},
		{"whole family", family + "x", 2, family},
		{"mark stays with its base", eAcute + "x", 1, eAcute},
		{"style is closed", red + "hello" + off, 2, red + "he" + off},
		{"closed style is not opened again", red + "he" + off + "llo", 3, red + "he" + off + "l"},
		{"control dropped", "a\x1b[2Jbc", 2, "ab"},
		{"invalid byte", "a\x9bbc", 2, "a\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := text.Cut(c.in, c.w); got != c.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
			}
		})
	}
}

func TestFitAndTails(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"fits", text.Fit("abc", 5), "abc  "},
		{"exact", text.Fit("abcde", 5), "abcde"},
		{"cut", text.Fit("abcdef", 5), "abcd…"},
		{"ascii tail", text.FitTail("abcdef", 5, text.EllipsisASCII), "abcd~"},
		{"wide before tail", text.Fit("日本語", 4), "日… "},
		{"tail within the style", text.CutTail(red+"abcdef"+off, 3, "…"), red + "ab…" + off},
		{"tail wider than the room", text.CutTail("abcdef", 2, "..."), ".."},
		{"nothing", text.Fit("abc", 0), ""},
		{"one cell", text.Fit("日本", 1), "…"},
		{"left", text.PadLeft("ab", 4), "  ab"},
		{"left too long", text.PadLeft("abcdef", 4), "abcd"},
		{"wide at the edge", text.Pad("a日", 2), "a "},
		{"open style closed before the pad", text.Pad(red+"ab", 4), red + "ab" + off + "  "},
		{"tabs", text.ExpandTabs("a\tb\t日\tc", 4), "a   b   日  c"},
		{"tabs after a newline", text.ExpandTabs("abc\n\tx", 0), "abc\n        x"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		w        int
		want     []string
	}{
		{"fits", "one two", 10, []string{"one two"}},
		{"words", "one two three", 7, []string{"one two", "three"}},
		{"long word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"long word after a short one", "ab cdefghij", 4, []string{"ab", "cdef", "ghij"}},
		{"newlines", "a\n\nb", 5, []string{"a", "", "b"}},
		{"indent stays", "  ab cd", 5, []string{"  ab", "cd"}},
		{"wide words", "日本語 テスト", 5, []string{"日本", "語", "テス", "ト"}},
		{"empty", "", 5, []string{""}},
		{"no room", "abc", 0, nil},
		{"wider than the line", "日", 1, []string{" "}},
		{"style goes on", red + "one two" + off, 4, []string{red + "one" + off, red + "two" + off}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := text.Wrap(c.in, c.w)
			if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
				t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
			}
		})
	}
}

func TestCharts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ name, got, want string }{
		{"spark", text.Spark([]float64{0, 1, 7, 3.5}, false), "▁▂█▅"},
		{"spark ascii", text.Spark([]float64{0, 8}, true), "_#"},
		{"all zero", text.Spark([]float64{0, 0}, false), "▁▁"},
		{"odd values", text.Spark([]float64{nan, inf, -3, 2}, false), "▁█▁█"},
		{"bar", text.Bar(0.5, 4, false), "██░░"},
		{"bar ascii", text.Bar(0.5, 4, true), "##--"},
		{"hardly any", text.Bar(0.001, 5, true), "#----"},
		{"nearly full", text.Bar(0.999, 5, true), "####-"},
		{"full", text.Bar(2, 5, true), "#####"},
		{"none", text.Bar(nan, 3, true), "---"},
		{"no room", text.Bar(1, -2, true), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// anyText draws strings of the pieces that break naive width code.
func anyText() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "word", " ", "  ", "─", "│", "█", "日", "本", family, flag, "🇩", "🇪", eAcute, "\u0301",
			"\u200d", "\u200b", "\ufe0f", "❤\ufe0f", "❤", "👍🏽", "\u0600", "ᄀ", "ᅡ", "ᆨ", "क्षि", "ｱ", "\u202e", "\u00ad",
			red, off, "\x1b[m", "\x1b[1;38;2;9;8;7m", "\x1b[2J", "\x1b]0;t\x07", "\x1b", "\x1b[", "\x9b", "\xff",
			"\u009b", "\x00", "\x7f", "\t", "\n", "\r",
		}),
		rapid.StringN(0, 4, 16),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

// check holds a result to what every result promises.
func check(t interface{ Fatalf(string, ...any) }, what, got string, w int) {
	if n := text.Width(got); n != w {
		t.Fatalf("%s: %q is %d cells, want %d", what, got, n, w)
	}
	checkClean(t, what, got)
}

func checkClean(t interface{ Fatalf(string, ...any) }, what, got string) {
	open := false
	for s := got; len(s) > 0; {
		n, _, k := text.Next(s)
		switch k {
		case text.Control, text.Invalid:
			t.Fatalf("%s: %q holds a control or an invalid byte", what, got)
		case text.Style:
			open = s[:n] != off && s[:n] != "\x1b[m"
		}
		s = s[n:]
	}
	if open {
		t.Fatalf("%s: %q leaves a style open", what, got)
	}
}

func TestExactForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exactFor(t, anyText().Draw(t, "s"), rapid.IntRange(-1, 30).Draw(t, "w"))
	})
}

func exactFor(t interface{ Fatalf(string, ...any) }, s string, w int) {
	want := max(w, 0)
	check(t, "Pad", text.Pad(s, w), want)
	check(t, "PadLeft", text.PadLeft(s, w), want)
	check(t, "Fit", text.Fit(s, w), want)
	check(t, "FitTail", text.FitTail(s, w, text.EllipsisASCII), want)
	cut := text.Cut(s, w)
	if n := text.Width(cut); n > want {
		t.Fatalf("Cut: %q is %d cells, want at most %d", cut, n, want)
	}
	checkClean(t, "Cut", cut)
	for _, line := range text.Wrap(s, w) {
		if n := text.Width(line); n > want {
			t.Fatalf("Wrap: %q is %d cells, want at most %d", line, n, want)
		}
		checkClean(t, "Wrap", line)
	}
	block := text.Block([]string{s, "x", s}, w, 2)
	if len(block) != 2 {
		t.Fatalf("Block: %d lines, want 2", len(block))
	}
	for _, line := range block {
		check(t, "Block", line, want)
	}
}

// TestWrapKeepsEveryWord: nothing but spaces and controls is lost.
func TestWrapKeepsEveryWord(t *testing.T) {
	squeeze := strings.NewReplacer(" ", "", "\n", "", "\t", "")
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", " ", "\n", "─", eAcute, "word"}), 0, 30).Draw(t, "s"), "")
		w := rapid.IntRange(1, 12).Draw(t, "w")
		if got, want := squeeze.Replace(strings.Join(text.Wrap(s, w), "")), squeeze.Replace(s); got != want {
			t.Fatalf("Wrap(%q, %d) holds %q, want %q", s, w, got, want)
		}
	})
}

// TestAgreesWithAnsi: on text without controls the library and we count alike.
func TestAgreesWithAnsi(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "日", family, flag, eAcute, "─", " ", "👍🏽", "❤\ufe0f", red, off,
		})).Draw(t, "s"), "")
		if got, want := text.Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("Width(%q) = %d, the library says %d", s, got, want)
		}
	})
}

func FuzzExact(f *testing.F) {
	f.Add("plain words here", 7)
	f.Add(family+flag+eAcute+"日本", 3)
	f.Add(red+"a\x1b]52;c;AAAA\x07b"+off+"\x9b2J", 4)
	f.Add("\u0600 x\ufe0f\u200d", 2)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w > 200 || len(s) > 2000 {
			t.Skip()
		}
		exactFor(t, s, w)
	})
}

func BenchmarkPad(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  "12:04:31 directive taken builder-2 queue/release",
		"styled": "\x1b[38;2;9;8;7m12:04:31\x1b[0m directive \x1b[1mtaken\x1b[0m │ ──",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.Pad(s, 60)
			}
		})
	}
}
