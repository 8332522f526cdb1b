package model

import (
	"strings"
	"testing"

	"binnacle/model/clean"
)

func TestCheckProse(t *testing.T) {
	for _, s := range []string{"one line", "⚠️ careful", "été 1️⃣", "日本語"} {
		if err := CheckProse("title", s, 100, clean.OneLine); err != nil {
			t.Errorf("%q is refused: %v", s, err)
		}
	}
	if err := CheckProse("body", "a\n\n\tb", 100, clean.Paragraphs); err != nil {
		t.Errorf("paragraphs are refused: %v", err)
	}
	tests := []struct {
		in, want string
	}{
		{"", "the title is empty"},
		{strings.Repeat("x", 101), "the title has 101 bytes; at most 100 fit"},
		{"a\xff", "the title is not valid UTF-8 at byte 1 (0xff)"},
		{"a\nb", "the title must be one line; byte 1 is a newline"},
		{"a\tb", "the title has the character U+0009 at byte 1"},
		{"a\x1b", "U+001B"},
		{"a\u009b", "U+009B"},
		{"é\u202e", "U+202E at byte 2"},
		{"a\u200b", "U+200B"},
		{"👩\u200d💻", "U+200D"},
		{"a\ufe0f", "U+FE0F"},
		{"\ufeffa", "U+FEFF"},
		{"a\u2028", "U+2028"},
		{"\ufff9", "U+FFF9"},
		{"a\U000E0041", "U+E0041"},
	}
	for _, tt := range tests {
		err := CheckProse("title", tt.in, 100, clean.OneLine)
		if err == nil || !strings.Contains(err.Error(), tt.want) || CodeOf(err) != CodeInvalid {
			t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
		}
	}
}
