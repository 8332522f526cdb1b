package cli

import (
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/filter"
)

// Flags that stand for clauses of the filter language mean what they say,
// whatever stands in them.
func TestFilterTextMeansTheFlags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ -~é日"\\,*?:-]{1,12}`).Draw(t, "key")
		other := rapid.StringMatching(`[ -~]{1,12}`).Draw(t, "other")
		text, err := filterText("", clause{"key", []string{key}, false})
		if err != nil {
			t.Fatal(err)
		}
		f, err := filter.Parse(text, at)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, k := range []string{key, other} {
			e := model.Event{Kind: model.KindSignal, Key: k, Topic: "a", Producer: "p", Payload: []byte("{}")}
			if f.Match(&e) != (k == key) {
				t.Fatalf("%s matches %q: %v", text, k, f.Match(&e))
			}
		}
	})
	text, err := filterText("-word", clause{"topic", []string{"build/*", "a"}, true}, clause{"kind", []string{"note"}, false})
	if want := `-word topic:build/*,"a" kind:"note"`; err != nil || text != want {
		t.Errorf("it is %s (%v), not %s", text, err, want)
	}
}
