package note

import (
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"

	"binnacle/model"
)

// What a note's text passes with is valid, has nothing that can't be seen, keeps
// its lines, and comes back from its event as it was.
func FuzzText(f *testing.F) {
	f.Add("title", "body\n\nmore\tand more", "f()", "m-1")
	for _, hidden := range []string{
		"\x00", "\x1b[31m", "\u0085", "\u009b", "\u202e", "\u2066", "\u200b", "\u200d", "\u200e", "\u061c", "\u2028", "\u2029", "\ufeff", "\ufff9", "\U000e0041", "\u2060", "\xff",
	} {
		f.Add("a"+hidden, "", "", "")
		f.Add("a", "b"+hidden, "", "")
		f.Add("a", "b", "c"+hidden, "")
		f.Add("a", "b", "c", "d"+hidden)
	}
	f.Fuzz(func(t *testing.T, title, body, anchor, by string) {
		in := Text{Title: title, Body: body, Anchor: anchor, Model: by}
		if err := in.Check(); err != nil {
			if model.CodeOf(err) != model.CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		for _, s := range []string{title, body, anchor, by} {
			if !utf8.ValidString(s) {
				t.Fatalf("%q", s)
			}
			for _, c := range s {
				if seen := s == body && (c == '\n' || c == '\t'); !seen && (unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Bidi_Control, c) || unicode.In(c, unicode.Zl, unicode.Zp) ||
					c >= 0x200b && c <= 0x200f || c >= 0xfff9 && c <= 0xfffb || c >= 0xe0000 && c <= 0xe007f || c == 0xfeff || c >= 0x2060 && c <= 0x2064) {
					t.Fatalf("U+%04X passes in %q", c, s)
				}
			}
		}
		raw, err := json.Marshal(in.Payload())
		if err != nil {
			t.Fatal(err)
		}
		var out Text
		if err := out.Apply(model.Event{Seq: 3, Key: "3", Payload: raw}); err != nil {
			t.Fatal(err)
		}
		in.ID, in.State, in.FirstSeq, in.LastSeq = "3", Written, 3, 3
		if in != out {
			t.Fatalf("%+v came back as %+v", in, out)
		}
	})
}

// A path that passes stays below the project, and leads up to it.
func FuzzPath(f *testing.F) {
	for _, s := range []string{".", "a/b", "a//b", "../a", "a/..", "/a", "a/", "a\\b", "a\u200b", "-a", "a/./b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if CheckPath(p) != nil {
			return
		}
		above := Above(p)
		if above[len(above)-1] != Root || len(above) > MaxPath/2+2 {
			t.Fatalf("%q: %q", p, above)
		}
	})
}
