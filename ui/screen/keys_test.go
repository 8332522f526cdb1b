package screen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// typed returns the messages for bytes as a terminal sends them, in one piece
// and then nothing.
func typed(input string) []tea.Msg { return sent(EscDelay, piece{text: input}) }

// piece is what a terminal sends at once, after a pause.
type piece struct {
	pause time.Duration
	text  string
}

// sent returns the messages for pieces, on a clock of its own. After the last
// there is silence.
func sent(delay time.Duration, pieces ...piece) []tea.Msg {
	var out []tea.Msg
	d := newDecoder(func(m tea.Msg) { out = append(out, m) })
	tokens := newTokeniser(delay, d.token)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	until := func(end time.Time) {
		for at := tokens.deadline(); !at.IsZero() && !at.After(end); at = tokens.deadline() {
			tokens.expire(at)
		}
		now = end
	}
	for _, p := range pieces {
		until(now.Add(p.pause))
		tokens.feed(now, []byte(p.text))
	}
	until(now.Add(time.Minute))
	return out
}

// named is what messages are called, in one line.
func namesOf(msgs []tea.Msg) string {
	var got []string
	for _, msg := range msgs {
		switch msg := msg.(type) {
		case tea.KeyMsg:
			got = append(got, msg.String())
		case tea.MouseMsg:
			got = append(got, fmt.Sprintf("%s@%d,%d", msg, msg.X, msg.Y))
		case tea.FocusMsg:
			got = append(got, "focus")
		case tea.BlurMsg:
			got = append(got, "blur")
		default:
			got = append(got, fmt.Sprintf("%T", msg))
		}
	}
	return strings.Join(got, " ")
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"letter", "a", "a"},
		{"capital", "G", "G"},
		{"several", "gG", "g G"},
		{"space", " ", " "},
		{"not ascii", "é", "é"},
		{"wide", "日", "日"},
		{"enter", "\r", "enter"},
		{"tab", "\t", "tab"},
		{"shift+tab", "\x1b[Z", "shift+tab"},
		{"backspace", "\x7f", "backspace"},
		{"ctrl+c", "\x03", "ctrl+c"},
		{"ctrl+l", "\x0c", "ctrl+l"},
		{"ctrl+z", "\x1a", "ctrl+z"},
		{"ctrl+space", "\x00", "ctrl+@"},
		{"ctrl+j", "\n", "ctrl+j"},
		{"ctrl+_", "\x1f", "ctrl+_"},
		{"alt+x", "\x1bx", "alt+x"},
		{"alt+X", "\x1bX", ""}, // begins a string
		{"up", "\x1b[A", "up"},
		{"application up", "\x1bOA", "up"},
		{"ctrl+up", "\x1b[1;5A", "ctrl+up"},
		{"shift+right", "\x1b[1;2C", "shift+right"},
		{"ctrl+shift+end", "\x1b[1;6F", "ctrl+shift+end"},
		{"alt+left", "\x1b[1;3D", "alt+left"},
		{"home", "\x1b[H", "home"},
		{"end", "\x1b[4~", "end"},
		{"pgup", "\x1b[5~", "pgup"},
		{"pgdown", "\x1b[6~", "pgdown"},
		{"ctrl+pgdown", "\x1b[6;5~", "ctrl+pgdown"},
		{"delete", "\x1b[3~", "delete"},
		{"insert", "\x1b[2~", "insert"},
		{"f1", "\x1bOP", "f1"},
		{"f5", "\x1b[15~", "f5"},
		{"f12", "\x1b[24~", "f12"},
		{"kitty escape", "\x1b[27u", "esc"},
		{"kitty ctrl+l", "\x1b[108;5u", "ctrl+l"},
		{"kitty alt+x", "\x1b[120;3u", "alt+x"},
		{"modifyOtherKeys ctrl+l", "\x1b[27;5;108~", "ctrl+l"},
		{"modifyOtherKeys shift+a", "\x1b[27;2;65~", "A"},
		{"focus", "\x1b[I\x1b[O", "focus blur"},
		{"an answer that nobody asked for", "\x1b]11;rgb:0000/0000/0000\x07x", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if s := namesOf(typed(c.in)); s != c.want {
				t.Errorf("%q is %q, want %q", c.in, s, c.want)
			}
		})
	}
}

func TestPasteIsOneMessage(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "\x1b[200~hello world\x1b[201~", "hello world"},
		{"commands are text", "\x1b[200~q\x03\x1ay\x1b[201~", "qy"},
		{"line ends are kept", "\x1b[200~a\rb\r\nc\nd\x1b[201~", "a\nb\nc\nd"},
		{"empty lines are kept", "\x1b[200~a\r\rb\n\nc\x1b[201~", "a\n\nb\n\nc"},
		{"tabs are kept", "\x1b[200~a\tb\x1b[201~", "a\tb"},
		{"not ascii", "\x1b[200~日本é\x1b[201~", "日本é"},
		{"an escape in it", "\x1b[200~a\x1b[Ab\x1b[201~", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := typed("x" + c.in + "y")
			if len(got) != 3 {
				t.Fatalf("%d messages (%v), want key, paste, key", len(got), got)
			}
			paste, ok := got[1].(tea.KeyMsg)
			if !ok || !paste.Paste || paste.Type != tea.KeyRunes || string(paste.Runes) != c.want {
				t.Errorf("paste is %#v, want %q", got[1], c.want)
			}
			if s := paste.String(); s != "["+c.want+"]" {
				t.Errorf("a binding sees %q", s)
			}
		})
	}
}

func TestEmptyPasteIsNothing(t *testing.T) {
	if got := typed("\x1b[200~\x1b[201~"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestMouse(t *testing.T) {
	in := "\x1b[<0;5;3M" + "\x1b[<32;6;3M" + "\x1b[<0;6;3m" + "\x1b[<2;1;1M\x1b[<2;1;1m" + "\x1b[<64;9;9M\x1b[<65;9;9M" + "\x1b[<16;2;2M\x1b[<0;2;2m"
	var got []string
	for _, msg := range typed(in) {
		m, ok := msg.(tea.MouseMsg)
		if !ok {
			t.Fatalf("unexpected %T", msg)
		}
		got = append(got, fmt.Sprintf("%s@%d,%d", m, m.X, m.Y))
	}
	want := "left press@4,2|left motion@5,2|left release@5,2|right press@0,0|right release@0,0|wheel up@8,8|wheel down@8,8|ctrl+left press@1,1|left release@1,1"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// FuzzInput: whatever a terminal sends, no message is made of what is inside a
// paste, and nothing panics.
func FuzzInput(f *testing.F) {
	f.Add([]byte("\x1b[200~a\x1b[201~q"))
	f.Add([]byte("\x1b[<0;1;1M\x1b[1;5A\xff\x1b"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1000 {
			t.Skip()
		}
		for _, msg := range typed(string(in)) {
			if k, ok := msg.(tea.KeyMsg); ok && k.String() == "" {
				t.Fatalf("%q is a key without a name: %#v", in, k)
			}
		}
	})
}
