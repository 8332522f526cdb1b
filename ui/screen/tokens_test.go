package screen

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// replies are what terminals say by themselves, one of each kind.
var replies = []string{
	"\x1bP>|tmux 3.4\x1b\\", "\x1bP1+r544e=787465726d\x1b\\", "\x1bP0$r0m\x1b\\", "\x1bP!|00000000\x1b\\",
	"\x1b]11;rgb:0000/0000/0000\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\", "\x1b]52;c;YWJj\x07", "\x1b]lquit\x1b\\", "\x1b]0;Übung 日本\x1b\\",
	"\x1b_Gi=31;OK\x1b\\", "\x1b^privacy q\x1b\\", "\x1bXstring q\x1b\\",
	"\x90>|q\x9c", "\x9d11;rgb:0\x07", "\x9fGq\x9c", "\u0090q\u009c", "\x98q\x9c", "\x9eq\x9c",
	"\x1bPq\x18", "\x1bPq\x1a",
	"\x1b[?62;1;6c", "\x1b[>41;354;0c", "\x1b[=0c", "\x1b[0n", "\x1b[3n", "\x1b[12;40R", "\x1b[?1;1R", "\x1b[1;5R",
	"\x1b[?2026;2$y", "\x1b[4;1$y", "\x1b[8;40;120t", "\x1b[6;18;9t", "\x1b[?1u", "\x1b[?0u", "\x1b[?997;1n",
	"\x1b[97;1:3u", "\x1b[57441;2u", "\x1b[1;1:3A", "\x1b[M !!", "\x1b[32;5;3M", "\x9b?62c", "\x1bO5q", "\x1bNq", "\x1b(B",
	"\x1b[0;0;0;0;0;1_",
}

// keysOf leaves out what is no key.
func keysOf(msgs []tea.Msg) (keys []tea.KeyMsg) {
	for _, m := range msgs {
		if k, ok := m.(tea.KeyMsg); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// cutAt cuts a text at each of its bytes, with a pause between.
func cutAt(text string, pause time.Duration) [][]piece {
	var out [][]piece
	for i := 1; i < len(text); i++ {
		out = append(out, []piece{{text: text[:i]}, {pause: pause, text: text[i:]}})
	}
	var each []piece
	for i := range len(text) {
		each = append(each, piece{pause: pause, text: text[i : i+1]})
	}
	return append(out, each)
}

// No key comes out of a reply, in one piece or cut at any byte or at each, after
// pauses shorter than the wait for an ESC's rest. What is typed after it is keys.
func TestRepliesAreNoKeys(t *testing.T) {
	for _, r := range replies {
		ways := [][]piece{{{text: r}}}
		for _, pause := range []time.Duration{0, 30 * time.Millisecond, 80 * time.Millisecond} {
			ways = append(ways, cutAt(r, pause)...)
		}
		for _, w := range ways {
			w = append(w, piece{pause: 2 * time.Second, text: "x"})
			if got := keysOf(sent(EscDelay, w...)); len(got) != 1 || got[0].String() != "x" {
				t.Errorf("%+v is %q, want x", w, namesOf(sent(EscDelay, w...)))
			}
		}
	}
}

// The rest of a sequence whose ESC went on alone is not keys either.
func TestRestAfterEscapeIsNoKeys(t *testing.T) {
	for _, r := range []string{"\x1b[6~", "\x1b[?62;1c", "\x1bP>|tmux 3.4\x1b\\", "\x1b]11;rgb:0/0/0\x07", "\x1b_Gi=1;OK\x1b\\", "\x1bOA", "\x1b[1;5A"} {
		for _, w := range [][]piece{
			{{text: r[:1]}, {pause: 200 * time.Millisecond, text: r[1:]}},
			{{text: r[:1]}, {pause: 200 * time.Millisecond, text: r[1:2]}, {pause: 200 * time.Millisecond, text: r[2:]}},
		} {
			if got := namesOf(sent(EscDelay, w...)); got != "esc" {
				t.Errorf("%+v is %q, want esc", w, got)
			}
		}
	}
}

// TestCutKeys: a key that comes in two parts is that key, or nothing.
func TestCutKeys(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[6~": "pgdown", "\x1b[1;5A": "ctrl+up", "\x1bOP": "f1", "\x1b[[A": "f1", "日": "日", "\x1b[Z": "shift+tab", "\x1b[108;5u": "ctrl+l",
	} {
		for _, w := range cutAt(in, 80*time.Millisecond) {
			if got := namesOf(sent(EscDelay, w...)); got != want {
				t.Errorf("%+v is %q, want %q", w, got, want)
			}
		}
	}
}

// TestEscape: a lone ESC is a key after its wait, which may be longer, and keys
// typed after it are those keys.
func TestEscape(t *testing.T) {
	for _, c := range []struct {
		name  string
		delay time.Duration
		in    []piece
		want  string
	}{
		{"alone", EscDelay, []piece{{0, "\x1b"}}, "esc"},
		{"twice", EscDelay, []piece{{0, "\x1b\x1b"}}, "esc esc"},
		{"then a letter", EscDelay, []piece{{0, "\x1b"}, {200 * time.Millisecond, "x"}}, "esc x"},
		{"then a bracket", EscDelay, []piece{{0, "\x1b"}, {200 * time.Millisecond, "["}}, "esc ["},
		{"then brackets", EscDelay, []piece{{0, "\x1b"}, {200 * time.Millisecond, "]"}, {90 * time.Millisecond, "]"}}, "esc ] ]"},
		{"remote", EscDelayRemote, []piece{{0, "\x1b"}, {250 * time.Millisecond, "[6~"}}, "pgdown"},
		{"alt", EscDelay, []piece{{0, "\x1b"}, {50 * time.Millisecond, "x"}}, "alt+x"},
		{"alt and a slash", EscDelay, []piece{{0, "\x1b/"}}, "alt+/"},
		{"Windows", EscDelay, []piece{{0, "\x1b[81;16;113;1;0;1_\x1b[81;16;113;0;0;1_"}}, "q"},
		{"Windows, bytes", EscDelay, []piece{{0, "\x1b[0;0;27;1;0;1_\x1b[0;0;91;1;0;1_\x1b[0;0;65;1;0;1_"}}, "up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := namesOf(sent(c.delay, c.in...)); got != c.want {
				t.Errorf("%+v is %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// TestNothingLocksTheKeyboard: what the other end began and never ends is over
// after a quiet second, and ctrl+c comes out of it at any time.
func TestNothingLocksTheKeyboard(t *testing.T) {
	for _, begun := range []string{
		"\x1b", "\x1b[", "\x1b[1;", "\x1bO", "\x1bN", "\x1bP", "\x1bP>|tm", "\x1b]11;", "\x1b_G", "\x1bX", "\x1b^", "\x1b[M", "\x1b[M ",
		"\x1b[[", "\x1b(", "\xe6", "\x90", "\x1bPq\x1b", "\x1b[200~abc", "\x1b[200~abc\x1b", "\x1b[200~\x1b[20", "\x1b[200~\x1bPabc",
	} {
		got := namesOf(sent(EscDelay, piece{text: begun}, piece{pause: 1100 * time.Millisecond, text: "q"}))
		if !strings.HasSuffix(" "+got, " q") {
			t.Errorf("%q and after a second q: %q", begun, got)
		}
		for _, pause := range []time.Duration{0, 30 * time.Millisecond, 700 * time.Millisecond} {
			for _, key := range []string{"\x03", "\x1b[99;5u", "\x1b[27;5;99~"} {
				if strings.HasSuffix(begun, "\x1b") && key != "\x03" && pause == 0 {
					continue
				}
				got := namesOf(sent(EscDelay, piece{text: begun}, piece{pause: pause, text: key}))
				if !strings.HasSuffix(" "+got, " ctrl+c") && !strings.HasPrefix(begun, "\x1b[M") {
					t.Errorf("%q and after %s %q: %q", begun, pause, key, got)
				}
			}
		}
	}
}

// A paste goes on across a cut end; a ctrl+c in it is text when the paste ends
// properly, and a key when it does not.
func TestPasteEnds(t *testing.T) {
	const pause = 30 * time.Millisecond
	for _, c := range []struct {
		name string
		in   []piece
		want string
	}{
		{"a cut end", []piece{{0, "\x1b[200~abc\x1b"}, {pause, "[201~"}}, "[abc]"},
		{"an end that comes too late", []piece{{0, "\x1b[200~abc\x1b"}, {1500 * time.Millisecond, "[201~x"}}, "[abc] x"},
		{"no end", []piece{{0, "/\x1b[200~abc"}, {1100 * time.Millisecond, "x"}}, "/ [abc] x"},
		{"ctrl+c in it", []piece{{0, "\x1b[200~a\x03b"}, {pause, "c\x1b[201~"}}, "[abc]"},
		{"ctrl+c and no end", []piece{{0, "\x1b[200~a\x03b"}}, "[ab] ctrl+c"},
		{"ctrl+c, and it goes on for ever", []piece{
			{0, "\x1b[200~a\x03"}, {200 * time.Millisecond, "b"}, {200 * time.Millisecond, "c"}, {200 * time.Millisecond, "d"},
		}, "[abc] ctrl+c d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := namesOf(sent(EscDelay, c.in...)); got != c.want {
				t.Errorf("%+v is %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// FuzzReplies holds two laws, on a clock of its own: no key comes out of a reply,
// cut at any byte and after any pause shorter than the waits, and ctrl+c always
// comes out.
func FuzzReplies(f *testing.F) {
	for i := range replies {
		f.Add(uint(i), "q", uint(i), uint(80), []byte("\x1bPx"))
	}
	f.Fuzz(func(t *testing.T, which uint, body string, cut, pause uint, before []byte) {
		r := replies[which%uint(len(replies))]
		if strings.HasPrefix(r, "\x1bP") && strings.HasSuffix(r, "\x1b\\") {
			// Any body that is one.
			clean := strings.Map(func(c rune) rune {
				if c < ' ' || c >= 0x7f && c < 0xa0 || c == 0xfffd {
					return -1
				}
				return c
			}, body)
			r = "\x1bP" + clean + "\x1b\\"
		}
		wait := time.Duration(pause%95) * time.Millisecond
		at := int(cut % uint(len(r)))
		if got := keysOf(sent(EscDelay, piece{text: r[:at]}, piece{pause: wait, text: r[at:]})); len(got) != 0 {
			t.Fatalf("%q cut at %d, %s: %q", r, at, wait, namesOf(sent(EscDelay, piece{text: r[:at]}, piece{pause: wait, text: r[at:]})))
		}
		if len(before) > 1000 {
			return
		}
		msgs := keysOf(sent(EscDelay, piece{text: string(before)}, piece{pause: wait, text: "\x03"}))
		if len(msgs) == 0 || msgs[len(msgs)-1].String() != "ctrl+c" {
			t.Fatalf("%q, %s, ctrl+c: %v", before, wait, msgs)
		}
	})
}
