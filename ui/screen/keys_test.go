package screen

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/tcell/v2"
)

// typed returns the messages for bytes as a terminal sends them, through
// tcell's own parser.
func typed(input string) []tea.Msg {
	events := make(chan tcell.Event, 4096)
	tcell.NewInputProcessor(events).ScanUTF8([]byte(input))
	var tr translator
	var out []tea.Msg
	for {
		select {
		case ev := <-events:
			if msg := tr.message(ev); msg != nil {
				out = append(out, msg)
			}
		default:
			// What a timer may add later (a lone escape) is not waited for.
			return out
		}
	}
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
		{"alt+X", "\x1bX", ""}, // starts a string; tcell takes it for one
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
			var got []string
			for _, msg := range typed(c.in) {
				switch msg := msg.(type) {
				case tea.KeyMsg:
					got = append(got, msg.String())
				case tea.FocusMsg:
					got = append(got, "focus")
				case tea.BlurMsg:
					got = append(got, "blur")
				default:
					t.Errorf("unexpected %T", msg)
				}
			}
			if s := strings.Join(got, " "); s != c.want {
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
	events := make(chan tcell.Event, 64)
	ip := tcell.NewInputProcessor(events)
	ip.SetSize(80, 24)
	<-events // the size has to be known, for places are clipped to it
	ip.ScanUTF8([]byte(in))
	var tr translator
	var got []string
	for len(events) > 0 {
		ev := <-events
		if m, ok := tr.message(ev).(tea.MouseMsg); ok {
			got = append(got, fmt.Sprintf("%s@%d,%d", m, m.X, m.Y))
		}
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
