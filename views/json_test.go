package views_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/document"
)

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
		doc := document.Detail{Of: desk.Detail{Event: &e}, Link: -1}.Lay(w, l)
		frame := squeeze.Replace(plain(doc.Draw(canvas.Chrome{}, 0, canvas.Size{W: w, H: doc.Height() + 2}, l)))
		if want := squeeze.Replace(string(b)); !strings.Contains(frame, want) {
			t.Fatalf("at %d wide the payload %s is not in\n%s", w, want, frame)
		}
	})
}

func TestPrettyJSONIsBounded(t *testing.T) {
	b := []byte(`{"a":[` + strings.TrimSuffix(strings.Repeat("1,", 20000), ",") + `]}`)
	e := model.Event{Seq: 1, Kind: model.KindGeneric, Payload: b}
	l := look(themes.Mono())
	doc := document.Detail{Of: desk.Detail{Event: &e}, Link: -1}.Lay(60, l)
	if doc.Height() > 4100 {
		t.Fatalf("%d lines", doc.Height())
	}
	all := plain(doc.Draw(canvas.Chrome{}, 0, canvas.Size{W: 60, H: doc.Height() + 2}, l))
	if !strings.Contains(all, "the rest of 40,007 bytes is not shown here") {
		t.Error("what is left out is not said")
	}
}
