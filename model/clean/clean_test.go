package clean

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "disk 91 % full", "disk 91 % full"},
		{"accents and arrows", "déjà vu → 100 µs", "déjà vu → 100 µs"},
		{"clear the screen", "\x1b[2Jgone", "␛[2Jgone"},
		{"clipboard", "\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"},
		{"unterminated OSC", "\x1b]0;title", "␛]0;title"},
		{"cursor report", "\x1b[6n", "␛[6n"},
		{"raw CSI byte", "a\x9b31mb", "a<9b>31mb"},
		{"CSI as a character", "a\u009b31mb", "a<009b>31mb"},
		{"next line", "a\u0085b", "a<0085>b"},
		{"delete", "a\x7fb", "a␡b"},
		{"nul", "a\x00b", "a␀b"},
		{"newline and return", "a\r\nb", "a␍␊b"},
		{"tab", "a\tb", "a b"},
		{"right-to-left override", "user\u202etxt.exe", "user<202e>txt.exe"},
		{"isolates", "\u2066x\u2069", "<2066>x<2069>"},
		{"marks of direction", "\u200e\u200f\u061c", "<200e><200f><061c>"},
		{"zero width", "pass\u200bword\u200c\ufeff\u2060", "pass<200b>word<200c><feff><2060>"},
		{"soft hyphen", "co\u00adop", "co<00ad>op"},
		{"separators", "a\u2028b\u2029c", "a<2028>b<2029>c"},
		{"tag characters", "hi\U000E0041\U000E007F", "hi<e0041><e007f>"},
		{"interlinear", "\ufff9a\ufffab\ufffb", "<fff9>a<fffa>b<fffb>"},
		{"Hangul filler", "\u3164", "<3164>"},
		{"noncharacter", "\ufdd0\U0010ffff", "<fdd0><10ffff>"},
		{"encoded surrogate", "\xed\xa0\x80", "<ed><a0><80>"},
		{"cut UTF-8", "caf\xc3", "caf<c3>"},
		{"replacement character stays", "\ufffd", "\ufffd"},
		{"family", "👩‍👩‍👧‍👦 home", "👩‍👩‍👧‍👦 home"},
		{"kiss with skin tones", "👩🏻‍❤️‍💋‍👨🏼", "👩🏻‍❤️‍💋‍👨🏼"},
		{"warning sign", "⚠️ 💰 🔢 ⚙", "⚠️ 💰 🔢 ⚙"},
		{"keycap", "1️⃣ #️⃣", "1️⃣ #️⃣"},
		{"flag", "🇨🇭", "🇨🇭"},
		{"joiner between letters", "a\u200db", "a<200d>b"},
		{"joiner after an emoji", "👩\u200d done", "👩<200d> done"},
		{"joiner at the end", "👩\u200d", "👩<200d>"},
		{"two joiners", "👩\u200d\u200d👩", "👩<200d><200d>👩"},
		{"selector after a letter", "a\ufe0fb", "a<fe0f>b"},
		{"selector after a digit", "1\ufe0f", "1<fe0f>"},
		{"smuggled selectors", "😀\ufe0f\ufe0e\U000E0100", "😀\ufe0f<fe0e><e0100>"},
		{"marks in use", "e\u0301 שׁ֔", "e\u0301 שׁ֔"},
		{"zalgo", "h" + strings.Repeat("\u0335", 100) + "i", "h" + strings.Repeat("\u0335", 6) + "<+94>i"},
		{"mark without a character", "\u0301x", "◌\u0301x"},
		{"skin tone without an emoji", "🏽", "◌🏽"},
		{"mark on a mark of ours", "\x1b\u0301", "␛\u0301"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Line(tt.in)
			if got != tt.want {
				t.Errorf("Clean(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			checkClean(t, got)
		})
	}
}

func TestCleanBoundsJoiners(t *testing.T) {
	got := Line("👩" + strings.Repeat("\u200d👩", 50))
	for _, emoji := range strings.Split(got, "<200d>") {
		if n := strings.Count(emoji, "\u200d"); n > maxJoins {
			t.Errorf("%d joiners in one emoji", n)
		}
	}
	checkClean(t, got)
}

func TestCleanLines(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", []string{""}},
		{"one", []string{"one"}},
		{"one\n", []string{"one"}},
		{"one\r\ntwo\n\nfour", []string{"one", "two", "", "four"}},
		{"a\tb", []string{"a       b"}},
		{"\tb", []string{"        b"}},
		{"1234567\tb\tc", []string{"1234567 b       c"}},
		{"12345678\tb", []string{"12345678        b"}},
		{"\x1b\tb", []string{"␛       b"}},
		{"\x9b\tb", []string{"<9b>    b"}},
		{"over\rwritten", []string{"over␍written"}},
		{"a\n\u0301b", []string{"a", "◌\u0301b"}},
	}
	for _, tt := range tests {
		if got := Lines(tt.in); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("CleanLines(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
	if got := Text("a\r\nb\x1b\n"); got != "a\nb␛\n" {
		t.Errorf("CleanText: %q", got)
	}
}

func TestCleanAllocatesOnlyWhenItMust(t *testing.T) {
	for _, s := range []string{"plain text", "déjà vu ⚠️ 👩‍💻 → ok"} {
		if n := testing.AllocsPerRun(100, func() { Line(s) }); n != 0 {
			t.Errorf("Clean(%q) allocates %v times", s, n)
		}
	}
}

func TestUnsafeClasses(t *testing.T) {
	// The ranges that the fast paths of Unsafe and extends skip must hold nothing
	// that the tables name.
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if slow := unsafeByTables(r); Unsafe(r) != slow {
			t.Fatalf("Unsafe(%U) = %v, the tables say %v", r, Unsafe(r), slow)
		}
		if slow := extendsByTables(r); !Unsafe(r) && extends(r) != slow {
			t.Fatalf("extends(%U) = %v, the tables say %v", r, extends(r), slow)
		}
	}
}

func TestAppendSafeJSON(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", `{"a":[1,"b",null]}`, `{"a":[1,"b",null]}`},
		{"letters stay", `{"é":"→ 💰"}`, `{"é":"→ 💰"}`},
		{"C1", "{\"a\":\"\u009b31m\"}", `{"a":"\u009b31m"}`},
		{"DEL", "\"\x7f\"", `"\u007f"`},
		{"bidi", "\"\u202e\"", `"\u202e"`},
		{"separators", "\"\u2028\u2029\"", `"\u2028\u2029"`},
		{"past the BMP", "\"\U000E0041\"", `"\udb40\udc41"`},
		{"after an escape", "\"\\\\\u200b\\\"\u200b\"", `"\\\u200b\"\u200b"`},
		{"escapes stay", `"\u001b\n\ud83d\ude00"`, `"\u001b\n\ud83d\ude00"`},
		{"white space stays", "{\n\t\"a\": 1\r\n}", "{\n\t\"a\": 1\r\n}"},
		{"not UTF-8", "\"\x9b\"", `"\ufffd"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendJSON([]byte("x"), []byte(tt.in))); got != "x"+tt.want {
				t.Errorf("got %s, want %s", got[1:], tt.want)
			}
		})
	}
}

// checkClean fails when text is not fit to be shown: it looks at the output
// alone, with the tables instead of the walk.
func checkClean(t interface{ Fatalf(string, ...any) }, s string) {
	if !utf8.ValidString(s) {
		t.Fatalf("not UTF-8: %q", s)
	}
	rs := []rune(s)
	run := 0
	for i, r := range rs {
		if extendsByTables(r) && !isVariation(r) {
			if run++; run > maxMarks {
				t.Fatalf("more than %d marks in %q", maxMarks, s)
			}
			if i == 0 {
				t.Fatalf("%q begins with a mark", s)
			}
		} else {
			run = 0
		}
		if !unsafeByTables(r) {
			continue
		}
		switch {
		case i == 0:
			t.Fatalf("unsafe %U at the start of %q", r, s)
		case r == joiner && i+1 < len(rs) && isPictograph(rs[i+1]) &&
			(isPictograph(rs[i-1]) || isSkinTone(rs[i-1]) || isVariation(rs[i-1])):
		case isVariation(r) && (isPictograph(rs[i-1]) || strings.ContainsRune("0123456789#*", rs[i-1])):
		default:
			t.Fatalf("unsafe %U in %q", r, s)
		}
	}
}

func TestCleanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := modeltest.Hostile().Draw(t, "s")
		once := Line(s)
		checkClean(t, once)
		if twice := Line(once); twice != once {
			t.Fatalf("Clean is not idempotent:\n once %q\ntwice %q", once, twice)
		}
		for _, line := range Lines(s) {
			checkClean(t, line)
		}
		text := Text(s)
		if again := Text(text); again != text {
			t.Fatalf("CleanText is not idempotent:\n once %q\ntwice %q", text, again)
		}
		if strings.Count(text, "\n") != strings.Count(s, "\n") {
			t.Fatalf("CleanText changed the lines: %q", text)
		}
	})
}

func TestSafeJSONProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := json.Marshal(map[string]any{
			"s": modeltest.Hostile().Draw(t, "s"), modeltest.Hostile().Draw(t, "name"): []any{modeltest.Hostile().Draw(t, "item"), 1.5, nil},
		})
		if err != nil {
			t.Fatal(err)
		}
		checkSafeJSON(t, in)
	})
}

func checkSafeJSON(t interface{ Fatalf(string, ...any) }, in []byte) {
	out := AppendJSON(nil, in)
	if !utf8.Valid(out) {
		t.Fatalf("not UTF-8: %q", out)
	}
	for _, r := range string(out) {
		if unsafeByTables(r) && r != '\n' && r != '\t' && r != '\r' {
			t.Fatalf("unsafe %U in %q", r, out)
		}
	}
	if again := AppendJSON(nil, out); string(again) != string(out) {
		t.Fatalf("not idempotent: %q, %q", out, again)
	}
	if !json.Valid(in) {
		return
	}
	var a, b any
	if json.Unmarshal(in, &a) != nil {
		return // valid, but out of Go's range of numbers
	}
	if err := json.Unmarshal(out, &b); err != nil || !reflect.DeepEqual(a, b) {
		t.Fatalf("the value changed (%v):\n in %q\nout %q", err, in, out)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[31m\x9b0m\u009b", "👩\u200d👩\u200d\ufe0f", "a\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\t\r\n\u2028",
		"1\ufe0f\u20e3", "\xed\xa0\x80\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Line(s)
		checkClean(t, once)
		if Line(once) != once {
			t.Fatalf("not idempotent: %q", once)
		}
		for _, line := range Lines(s) {
			checkClean(t, line)
			if Line(line) != line {
				t.Fatalf("a line is not clean: %q", line)
			}
		}
	})
}

func FuzzAppendSafeJSON(f *testing.F) {
	for _, s := range []string{`{"a":"b"}`, "\"\u009b\"", `"\"\\` + "\u202e\"", "{\"\x9b", `"\ud800"`, "\x1b[2J"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkSafeJSON(t, b) })
}

func BenchmarkClean(b *testing.B) {
	for _, tt := range []struct{ name, s string }{
		{"ascii", "compiling module 41 of 97: backend/store"},
		{"unicode", "größer als erwartet → 12 µs ⚠️ retry"},
		{"hostile", "\x1b[2J\x9b31m\u202eabc\u200b"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Line(tt.s)
			}
		})
	}
}
