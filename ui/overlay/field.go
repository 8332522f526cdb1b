package overlay

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// field is a line of input. It is ours, for bubbles' goes by code point: half an
// emoji would stay.
//
// Invariant: at is before a grapheme or at the end.
type field struct {
	value string
	at    int // bytes
}

// maxInput bounds a line of input, in code points.
const maxInput = 2000

func newField(text string) field {
	var f field
	f.set(text)
	return f
}

func (f *field) text() string { return f.value }

func (f *field) set(text string) {
	f.value, f.at = "", 0
	f.insert(text)
}

// cursor is where it is typed, in bytes.
func (f *field) cursor() int { return f.at }

// stops are where the cursor may stand, in bytes, the end included.
func (f *field) stops() []int {
	var out []int
	for i := 0; i < len(f.value); {
		out = append(out, i)
		n, _, _ := text.Next(f.value[i:])
		i += n
	}
	return append(out, len(f.value))
}

// before and after are the stops next to the cursor.
func (f *field) before() int {
	to := 0
	for _, s := range f.stops() {
		if s < f.at {
			to = s
		}
	}
	return to
}

func (f *field) after() int {
	for _, s := range f.stops() {
		if s > f.at {
			return s
		}
	}
	return len(f.value)
}

// wordBefore and wordAfter are the ends of the words next to the cursor. A blank
// that a mark joins is no blank.
func (f *field) wordBefore() int {
	at := strings.LastIndexByte(strings.TrimRight(f.value[:f.at], " "), ' ') + 1
	to := 0
	for _, s := range f.stops() {
		if s <= at {
			to = s
		}
	}
	return to
}

func (f *field) wordAfter() int {
	rest := f.value[f.at:]
	blanks := len(rest) - len(strings.TrimLeft(rest, " "))
	end := len(f.value)
	if i := strings.IndexByte(rest[blanks:], ' '); i >= 0 {
		end = f.at + blanks + i
	}
	for _, s := range f.stops() {
		if s >= end {
			return s
		}
	}
	return len(f.value)
}

// cut takes what stands between two places out; the cursor stays between what
// is left of it and right of it.
func (f *field) cut(from, to int) {
	f.value = f.value[:from] + f.value[to:]
	f.settle(from)
}

// settle puts the cursor at a place, or behind the grapheme that the place is
// in: what is typed or cut may join what stands beside it.
func (f *field) settle(at int) {
	f.at = len(f.value)
	for _, s := range f.stops() {
		if s >= at {
			f.at = s
			return
		}
	}
}

func (f *field) key(k tea.KeyMsg) {
	keys := keymap.NewEditing()
	switch {
	case key.Matches(k, keys.Forward):
		f.at = f.after()
	case key.Matches(k, keys.Back):
		f.at = f.before()
	case key.Matches(k, keys.WordForward):
		f.at = f.wordAfter()
	case key.Matches(k, keys.WordBack):
		f.at = f.wordBefore()
	case key.Matches(k, keys.Start):
		f.at = 0
	case key.Matches(k, keys.End):
		f.at = len(f.value)
	case key.Matches(k, keys.CutBack):
		f.cut(f.before(), f.at)
	case key.Matches(k, keys.CutForward):
		f.cut(f.at, f.after())
	case key.Matches(k, keys.CutWordBack):
		f.cut(f.wordBefore(), f.at)
	case key.Matches(k, keys.CutWordForward):
		f.cut(f.at, f.wordAfter())
	case key.Matches(k, keys.CutToStart):
		f.cut(0, f.at)
	case key.Matches(k, keys.CutToEnd):
		f.cut(f.at, len(f.value))
	case (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) && !k.Alt:
		f.insert(string(k.Runes))
	}
}

// insert puts text in at the cursor, as far as there is room; what is no text of
// one line becomes spaces.
func (f *field) insert(more string) {
	room := maxInput - utf8.RuneCountInString(f.value)
	var b strings.Builder
	for _, r := range more {
		if room--; room < 0 {
			break
		}
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		b.WriteRune(r)
	}
	f.value = f.value[:f.at] + b.String() + f.value[f.at:]
	f.settle(f.at + b.Len())
}

func (f *field) view() canvas.Input { return canvas.Input{Text: f.value, Cursor: f.at, Focus: true} }
