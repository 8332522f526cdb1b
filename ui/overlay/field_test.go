package overlay

import (
	"slices"
	"testing"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"binnacle/keymap"
	"binnacle/views/text"
)

// The keys are those of bubbles' line, which is not linked for them.
func TestFieldKeysAreThoseOfBubbles(t *testing.T) {
	ours, theirs := keymap.NewEditing(), textinput.DefaultKeyMap
	for name, pair := range map[string][2]key.Binding{
		"forward": {ours.Forward, theirs.CharacterForward}, "back": {ours.Back, theirs.CharacterBackward},
		"a word forward": {ours.WordForward, theirs.WordForward}, "a word back": {ours.WordBack, theirs.WordBackward},
		"to the start": {ours.Start, theirs.LineStart}, "to the end": {ours.End, theirs.LineEnd},
		"cut forward": {ours.CutForward, theirs.DeleteCharacterForward}, "cut back": {ours.CutBack, theirs.DeleteCharacterBackward},
		"cut a word forward": {ours.CutWordForward, theirs.DeleteWordForward}, "cut a word back": {ours.CutWordBack, theirs.DeleteWordBackward},
		"cut to the start": {ours.CutToStart, theirs.DeleteBeforeCursor}, "cut to the end": {ours.CutToEnd, theirs.DeleteAfterCursor},
	} {
		if !slices.Equal(pair[0].Keys(), pair[1].Keys()) {
			t.Errorf("%s: %v, and in bubbles %v", name, pair[0].Keys(), pair[1].Keys())
		}
	}
}

// What is typed is edited by grapheme: a family, a flag and a letter with its
// marks are one step each.
func TestFieldGoesByGrapheme(t *testing.T) {
	press := map[string]tea.KeyMsg{
		"backspace": {Type: tea.KeyBackspace}, "delete": {Type: tea.KeyDelete}, "left": {Type: tea.KeyLeft}, "right": {Type: tea.KeyRight},
		"home": {Type: tea.KeyHome}, "ctrl+w": {Type: tea.KeyCtrlW}, "ctrl+k": {Type: tea.KeyCtrlK}, "ctrl+u": {Type: tea.KeyCtrlU},
		"alt+left": {Type: tea.KeyLeft, Alt: true}, "alt+right": {Type: tea.KeyRight, Alt: true}, "alt+d": {Type: tea.KeyRunes, Runes: []rune("d"), Alt: true},
		"mark": {Type: tea.KeyRunes, Runes: []rune("\u0301")}, "x": {Type: tea.KeyRunes, Runes: []rune("x")},
	}
	for _, c := range []struct {
		name, text string
		keys       []string
		want       string // the cursor is the bar
	}{
		{"backspace over a family", "ab👨\u200d👩\u200d👧", []string{"backspace"}, "ab|"},
		{"backspace over a flag", "🇫🇷🇩🇪", []string{"backspace"}, "🇫🇷|"},
		{"backspace over marks", "ae\u0301\u0323", []string{"backspace"}, "a|"},
		{"left and delete", "a👍🏽b", []string{"left", "left", "delete"}, "a|b"},
		{"left and right", "a👍🏽b", []string{"home", "right", "right"}, "a👍🏽|b"},
		{"a mark joins", "eb", []string{"left", "mark"}, "e\u0301|b"},
		{"words", "kind:x 日本 y", []string{"alt+left", "alt+left"}, "kind:x |日本 y"},
		{"a word forward", "kind:x 日本 y", []string{"home", "alt+right", "alt+right"}, "kind:x 日本| y"},
		{"a word cut", "kind:x 👨\u200d👩\u200d👧 ", []string{"ctrl+w"}, "kind:x |"},
		{"a word cut forward", "a b", []string{"home", "alt+d"}, "| b"},
		{"cut to the end", "aé b", []string{"home", "right", "ctrl+k"}, "a|"},
		{"cut to the start", "aé b", []string{"left", "ctrl+u"}, "|b"},
		{"typed in between", "ab", []string{"left", "x"}, "ax|b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(c.text)
			for _, k := range c.keys {
				f.key(press[k])
			}
			if got := f.text()[:f.cursor()] + "|" + f.text()[f.cursor():]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever is done, the cursor stands before a grapheme or at the end, and going
// left for long enough empties the field.
func TestFieldCursorIsAtAGrapheme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newField("")
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				f.insert(rapid.String().Draw(t, "text"))
			case 1:
				f.insert(rapid.SampledFrom([]string{"\u200d", "\u0301", "👨", "🇫", "🇷", "e", " "}).Draw(t, "piece"))
			default:
				f.key(tea.KeyMsg{Type: rapid.SampledFrom([]tea.KeyType{
					tea.KeyBackspace, tea.KeyDelete, tea.KeyLeft, tea.KeyRight, tea.KeyCtrlLeft, tea.KeyCtrlRight, tea.KeyCtrlW,
				}).Draw(t, "key")})
			}
			at := 0
			for at < f.cursor() {
				n, _, _ := text.Next(f.text()[at:])
				at += n
			}
			if at != f.cursor() {
				t.Fatalf("the cursor is at %d of %q, within a grapheme", f.cursor(), f.text())
			}
		}
		f.at = len(f.value)
		for range len(f.value) {
			f.key(tea.KeyMsg{Type: tea.KeyBackspace})
		}
		if f.text() != "" {
			t.Fatalf("%q is left", f.text())
		}
	})
}
