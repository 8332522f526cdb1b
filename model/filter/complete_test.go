package filter

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

func TestComplete(t *testing.T) {
	known := func(field string) []string {
		switch field {
		case "topic":
			return []string{"build/log", "build/alert", "host/load", "build/log"}
		case "producer":
			return []string{"ci, east", "builder"}
		}
		return nil
	}
	tests := []struct {
		text string // | is the cursor
		want []string
	}{
		{"ki|", []string{"kind:"}},
		{"st|", []string{"state:", "status:"}},
		{"-La|", []string{"-lane:"}},
		{"kind:|", []string{"kind:note", "kind:signal", "kind:metric", "kind:work", "kind:generic", "kind:directive", "kind:coord", "kind:system"}},
		{"kind:s|", []string{"kind:signal", "kind:system"}},
		{"x kind:note,ME| y", []string{"x kind:note,metric y"}},
		{"topic:buil|", []string{"topic:build/log", "topic:build/alert"}},
		{"topic:lo|", []string{"topic:build/log", "topic:host/load"}},
		{"producer:c|", []string{`producer:"ci, east"`}},
		{`producer:"ci, e|`, []string{`producer:"ci, east"`}},
		{`producer:"ci, east",b|`, []string{`producer:"ci, east",builder`}},
		{`producer:"ci, east" pri|`, []string{`producer:"ci, east" priority:`}},
		{"priority:|", []string{"priority:P0", "priority:P1", "priority:P2"}},
		{"status:dr|", []string{"status:dropped"}},
		{`"ki|`, nil},
		{`"a ki|`, nil},
		{"zzz|", nil},
		{"nofield:x|", nil},
		{"key:|", nil},
	}
	for _, tt := range tests {
		cursor := strings.Index(tt.text, "|")
		text := strings.Replace(tt.text, "|", "", 1)
		var got []string
		for _, s := range Complete(text, cursor, known) {
			got = append(got, text[:s.From]+s.Text+text[s.To:])
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
	if got := Complete("", 0, nil); len(got) != len(Fields()) || got[0].Note == "" {
		t.Errorf("an empty filter gets %v", got)
	}
	if got := Complete("topic:", 99, func(string) []string {
		var many []string
		for i := range 200 {
			many = append(many, fmt.Sprint("t", i))
		}
		return many
	}); len(got) != MaxSuggestions {
		t.Errorf("%d suggestions", len(got))
	}
}

func TestCompleteStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(filterText(), modeltest.Hostile()).Draw(t, "text")
		cursor := rapid.IntRange(-1, len(text)+1).Draw(t, "cursor")
		for _, s := range Complete(text, cursor, func(string) []string { return []string{"a b", `q"`, "*", "\xff"} }) {
			if s.From < 0 || s.From > s.To || s.To > len(text) || !utf8.ValidString(s.Text) {
				t.Fatalf("%q at %d: %+v", text, cursor, s)
			}
		}
	})
}
