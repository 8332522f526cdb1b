package model

import (
	"strings"
	"testing"
)

func TestCheckTopic(t *testing.T) {
	for _, s := range []string{"a", "build/log", "A-Z_0.9/x", "..", strings.Repeat("x", 255)} {
		if err := CheckTopic(s); err != nil {
			t.Errorf("%q is refused: %v", s, err)
		}
	}
	for _, tt := range []struct{ in, want string }{
		{"", "is empty"},
		{strings.Repeat("x", 256), "longer than 255 bytes"},
		{"/a", "an empty segment"},
		{"a/", "an empty segment"},
		{"a//b", "an empty segment"},
		{"a b", "a character"},
		{"a*", "a character"},
		{"é", "a character"},
		{"a\x1b[2J", `"a␛[2J" has a character`},
		{"a\n", "a character"},
	} {
		err := CheckTopic(tt.in)
		if CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), tt.want) || HintOf(err) == "" {
			t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
		}
	}
}

func TestCheckProducer(t *testing.T) {
	for _, s := range []string{"x", "user@host", "ci, east", "é", strings.Repeat("x", 128)} {
		if err := CheckProducer(s); err != nil {
			t.Errorf("%q is refused: %v", s, err)
		}
	}
	for _, tt := range []struct{ in, want string }{
		{"", "the producer is empty"},
		{strings.Repeat("é", 65), "the producer has 130 bytes; at most 128 fit"},
		{"a\xff", "not valid UTF-8"},
		{"a\x1b", "a control character"},
		{"a\u009b", "a control character"},
		{"a\n", "a control character"},
	} {
		if err := CheckProducer(tt.in); CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
		}
	}
}

func TestDraftCheck(t *testing.T) {
	good := Draft{Topic: "a/b", Producer: "p", Kind: KindNote, Payload: []byte(`{ "text": "x" }`)}
	d := good
	if err := d.Check(); err != nil || string(d.Payload) != `{"text":"x"}` {
		t.Errorf("%s (%v)", d.Payload, err)
	}
	tests := []struct {
		name string
		edit func(*Draft)
		want string
	}{
		{"topic", func(d *Draft) { d.Topic = "a b" }, "the topic"},
		{"producer", func(d *Draft) { d.Producer = "" }, "the producer is empty"},
		{"kind", func(d *Draft) { d.Kind = "no\x1bte" }, `"no␛te" is not a kind`},
		{"no kind", func(d *Draft) { d.Kind = "" }, "is not a kind"},
		{"long key", func(d *Draft) { d.Key = strings.Repeat("x", 256) }, "the key has 256 bytes; at most 255 fit"},
		{"key", func(d *Draft) { d.Key = "a\x00" }, "the key has a control character"},
		{"long state", func(d *Draft) { d.State = strings.Repeat("x", 33) }, "the state has 33 bytes; at most 32 fit"},
		{"state", func(d *Draft) { d.State = "\x1b" }, "the state has a control character"},
		{"causation", func(d *Draft) { d.Causation = -1 }, "causation must be"},
		{"payload", func(d *Draft) { d.Payload = []byte(`[]`) }, "must be a JSON object, not an array"},
		{"no payload", func(d *Draft) { d.Payload = nil }, "not valid JSON"},
	}
	for _, tt := range tests {
		d := good
		tt.edit(&d)
		if err := d.Check(); CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, k := range Kinds() {
		if !k.Valid() {
			t.Errorf("%s is not valid", k)
		}
	}
	for _, k := range []Kind{"", "Note", "notes", "*"} {
		if k.Valid() {
			t.Errorf("%q is valid", k)
		}
	}
}

func TestCutBytes(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aé", 2, "a…"}, {"\x80\x80\x80", 1, "…"}} {
		if got := CutBytes(tt.in, tt.most); got != tt.want {
			t.Errorf("%q cut at %d is %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}
