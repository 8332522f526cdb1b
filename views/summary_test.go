package views_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/views"
)

func TestSummary(t *testing.T) {
	for name, c := range map[string]struct {
		e    model.Event
		want string
	}{
		"note":               {event(1, 0, "note", "p", "t", "", "", `{"tags":["a"],"text":"hello \"you\"\n"}`), `hello "you"␊`},
		"metric":             {event(1, 0, "metric", "p", "t", "", "", `{"name":"load","unit":"1m","value":1.42}`), "load 1.42 1m"},
		"signal":             {event(1, 0, "signal", "p", "t", "disk", "pending", `{"summary":"full"}`), "disk full"},
		"signal claimed":     {event(1, 0, "signal", "p", "t", "disk", "claimed", `{"by":"ana"}`), "disk by ana"},
		"signal cleared":     {event(1, 0, "signal", "p", "t", "disk", "cleared", `{"reason":"cleaned up"}`), "disk: cleaned up"},
		"work":               {event(1, 0, "work", "p", "t", "job-1", "failed", `{"action":"fail","executor":"e","reason":"no disk"}`), "job-1 fail by e: no disk"},
		"directive pushed":   {event(1, 0, "directive", "p", "t", "7", "pending", `{"action":"push","body":"\n fix it\nnow"}`), "#7 fix it"},
		"directive by other": {event(1, 0, "directive", "p", "t", "7", "taken", `{"action":"take","by":"w"}`), "#7 by w"},
		"directive parked":   {event(1, 0, "directive", "p", "t", "7", "parked", `{"action":"poison","why":"10 lapses"}`), "#7 poison: 10 lapses"},
		"directive priority": {event(1, 0, "directive", "p", "t", "7", "pending", `{"action":"reprioritize","priority":"P0"}`), "#7 now P0"},
		"generic":            {event(1, 0, "generic", "p", "t", "", "", `{"a":1,"b":{"c":[true]},"d":"x y"}`), `a=1 b={"c":[true]} d=x y`},
		"coord":              {event(1, 0, "coord", "p", "note.added", "src/a.go", "", `{"text":"careful"}`), "src/a.go careful"},
		"system":             {event(1, 0, "system", "p", "t", "", "", `{"action":"import","from":"changi"}`), "import from=changi"},
		"empty":              {event(1, 0, "note", "p", "t", "", "", `{}`), ""},
		"damaged":            {event(1, 0, "note", "p", "t", "", "", `{"text":"cut sho`), "cut sho"},
		"cut in an escape":   {event(1, 0, "note", "p", "t", "", "", `{"text":"a\n\ud83d\ude`), "a␊\uFFFD"},
		"cut after a quote":  {event(1, 0, "note", "p", "t", "", "", `{"text":"a\"`), `a"`},
		"escape":             {event(1, 0, "note", "p", "t", "", "", `{"text":"\u001b[2Jx"}`), "␛[2Jx"},
		"not an object":      {event(1, 0, "note", "p", "t", "", "", `[1]`), ""},
		"a nested text":      {event(1, 0, "note", "p", "t", "", "", `{"a":{"text":"no"},"text":"yes"}`), "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := views.Summary(c.e); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSummaryReadsWhatTheLibraryReads: of any object, the text is found as
// encoding/json finds it.
func TestSummaryReadsWhatTheLibraryReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			m[rapid.String().Draw(t, "name")] = rapid.SampledFrom([]any{
				1.5, nil, true, "x\"y\\", []any{"text", map[string]any{"text": "no"}}, map[string]any{"text": `"}`},
			}).Draw(t, "value")
		}
		want := rapid.StringN(0, 40, 120).Draw(t, "text")
		m["text"] = want
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := views.Summary(model.Event{Kind: model.KindNote, Payload: b}); got != clean.Line(want) {
			t.Fatalf("of %s: %q, want %q", b, got, clean.Line(want))
		}
	})
}

func FuzzSummary(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"a":{"b":[1,"\ud83d"]}}`, `{"text":"\`, `{"text"`, `{`, "{\"text\":\"\x9b\"}"} {
		f.Add(s, "note")
		f.Add(s, "directive")
	}
	f.Fuzz(func(t *testing.T, payload, kind string) {
		got := views.Summary(model.Event{Kind: model.Kind(kind), Key: "1", Payload: json.RawMessage(payload)})
		if c := clean.Line(got); c != got {
			t.Fatalf("%q is not clean", got)
		}
	})
}

// TestPrettyJSONLosesNothing: the lines of a payload, with their indentation
// taken away, are the payload again, whatever the width.
func TestPrettyJSONLosesNothing(t *testing.T) {
	value := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.SampledFrom([]any{
			nil, true, 12.5, "", "short", "two words and a\nnewline", strings.Repeat("日本", 20), "q\"\\u0000",
			[]any{},
			map[string]any{},
			[]any{1.0, "x", []any{map[string]any{"k": "v"}}},
			map[string]any{"deep": map[string]any{"er": []any{nil}}},
		})
	})
	squeeze := strings.NewReplacer(" ", "", "│", "", "┃", "", "\n", "", "▐", "")
	rapid.Check(t, func(t *rapid.T) {
		m := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			m[rapid.StringMatching(`[a-z]{1,30}`).Draw(t, "name")] = value.Draw(t, "value")
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		e := model.Event{Seq: 1, Kind: model.KindGeneric, Payload: b}
		w := rapid.IntRange(12, 100).Draw(t, "w")
		l := look(themes.Mono())
		doc := views.Detail{Of: desk.Detail{Event: &e}, Link: -1}.Lay(w, l)
		frame := squeeze.Replace(plain(doc.Draw(views.Chrome{}, 0, views.Size{W: w, H: doc.Height() + 2}, l)))
		if want := squeeze.Replace(string(b)); !strings.Contains(frame, want) {
			t.Fatalf("at %d wide the payload %s is not in\n%s", w, want, frame)
		}
	})
}

func TestPrettyJSONIsBounded(t *testing.T) {
	b := []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat("1,", 20000), ",") + `]}`)
	e := model.Event{Seq: 1, Kind: model.KindGeneric, Payload: b}
	l := look(themes.Mono())
	doc := views.Detail{Of: desk.Detail{Event: &e}, Link: -1}.Lay(60, l)
	if doc.Height() > 4100 {
		t.Fatalf("%d lines", doc.Height())
	}
	all := plain(doc.Draw(views.Chrome{}, 0, views.Size{W: 60, H: doc.Height() + 2}, l))
	if !strings.Contains(all, "the rest of 40,007 bytes is not shown here") {
		t.Error("what is left out is not said")
	}
}
