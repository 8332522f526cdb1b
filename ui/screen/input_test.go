package screen

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// At the other end of an ssh connection a lone ESC waits for longer, unless the
// setting says how long; an opened terminal goes by it.
func TestEscapeWaitsLongerOverSSH(t *testing.T) {
	for _, c := range []struct {
		name  string
		asked time.Duration
		set   string
		want  time.Duration
	}{
		{"here", 0, "", EscDelay},
		{"ssh", 0, "SSH_CONNECTION", EscDelayRemote},
		{"ssh by its terminal", 0, "SSH_TTY", EscDelayRemote},
		{"a setting here", 20 * time.Millisecond, "", 20 * time.Millisecond},
		{"a setting over ssh", 50 * time.Millisecond, "SSH_CONNECTION", 50 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			term, err := Open(Options{Tty: newFakeTty(9, 9), EscDelay: c.asked, Env: func(name string) string {
				switch name {
				case "TERM":
					return "xterm-256color"
				case c.set:
					return "10.0.0.1 40000 10.0.0.2 22"
				}
				return ""
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer term.Close()
			if got := term.input.tokens.escDelay; got != c.want {
				t.Errorf("a lone ESC waits %s, not %s", got, c.want)
			}
		})
	}
	if EscDelayRemote <= EscDelay {
		t.Error("the wait over ssh is no longer than the one here")
	}
}

// In a paste the terminal says nothing by itself: what looks like one of its
// replies is neither a receipt of a frame, which would let too much through, nor
// a key, nor text. After the paste receipts count again.
func TestRepliesInAPasteAreDropped(t *testing.T) {
	for _, r := range append(replies, "\x1b[0n") {
		var told []tea.Msg
		receipts := 0
		in := newInput(EscDelay, func(m tea.Msg) { told = append(told, m) }, func() { receipts++ }, func() {})
		in.read([]byte("\x1b[200~ab"))
		in.read([]byte(r))
		in.read([]byte("cd\x1b[201~"))
		got := ""
		for _, k := range keysOf(told) {
			got += k.String() + " "
		}
		if strings.TrimSpace(got) != "[abcd]" || len(told) != 1 || receipts != 0 {
			t.Errorf("%q in a paste: %q, %d messages, %d receipts", r, got, len(told), receipts)
		}
		in.read([]byte("\x1b[0n"))
		if receipts != 1 {
			t.Errorf("after a paste with %q %d receipts are told, not 1", r, receipts)
		}
		in.stop()
	}
}
