package screen

import (
	"encoding/base64"
	"fmt"

	"github.com/charmbracelet/x/ansi"
)

// MaxCopy is the size up to which Copy takes a text, in bytes of base64:
// terminals drop sequences longer than about 100,000 bytes, some at 74,994.
const MaxCopy = 74994

// Copy sends a text to the terminal's clipboard (OSC 52), through tmux and
// screen where the program runs in one. Whether the terminal takes it can't be
// known. A text larger than MaxCopy is ErrTooLarge, and nothing is sent.
func (t *Terminal) Copy(text string) error {
	seq, err := copySequence(text, t.env)
	if err != nil {
		return err
	}
	return t.send(seq)
}

// copySequence returns the bytes that copy a text.
func copySequence(text string, env func(string) string) (string, error) {
	n := base64.StdEncoding.EncodedLen(len(text))
	if n > MaxCopy {
		return "", fmt.Errorf("%w: %d bytes of at most %d", ErrTooLarge, n, MaxCopy)
	}
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	switch {
	case env("TMUX") != "":
		// tmux takes either the sequence as such (set-clipboard on) or the
		// wrapped one (allow-passthrough on). Doing both sets the same text.
		return seq + ansi.TmuxPassthrough(seq), nil
	case env("STY") != "":
		return ansi.ScreenPassthrough(seq, 76), nil
	default:
		return seq, nil
	}
}
