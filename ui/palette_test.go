package ui

import (
	"strings"
	"testing"

	"binnacle/model/directive"
)

// TestPaletteKnowsOtherWords: the word that people have for a thing finds it
// first.
func TestPaletteKnowsOtherWords(t *testing.T) {
	r := newRig(t, rigOptions{})
	for word, want := range map[string]string{
		"delete": "drop", "remove": "drop", "retry": "requeue", "sort": "raise", "order": "raise", "lock": "claim",
		"take": "claim", "resolve": "clear", "close": "clear", "snooze": "defer", "search": "filter", "grep": "filter",
		"exit": "quit", "DELETE": "drop", "requeue": "requeue",
	} {
		r.press(":")
		r.write(word)
		if f := r.frame(); !strings.Contains(f, "▸ "+want+" ") {
			t.Errorf("%s does not find %s first:\n%s", word, want, f)
		}
		r.press("esc")
	}
	r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(1)
	r.press(":")
	r.write("delete")
	r.has("delete: Drop the directive")
	r.press("enter")
	r.has("A dropped directive is never done")
}
