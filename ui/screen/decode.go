package screen

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/tcell/v2"
)

// maxPaste bounds a paste, in runes. What is beyond is dropped, not typed.
const maxPaste = 1 << 20

// decoder turns tokens into Bubble Tea's messages. Which sequence is which key
// is tcell's knowledge; it sees only those that are keys.
type decoder struct {
	events chan tcell.Event
	tcell  tcell.InputProcessor
	// nested reads the bytes that a Windows terminal writes as keys of their own.
	nested *tokeniser
	out    func(tea.Msg)
}

// newDecoder returns a decoder that gives its messages to out.
func newDecoder(out func(tea.Msg)) *decoder {
	d := &decoder{events: make(chan tcell.Event, 256), out: out}
	d.tcell = tcell.NewInputProcessor(d.events)
	return d
}

// token takes one token. A receipt is no message.
func (d *decoder) token(t token) {
	switch t.kind {
	case tokenText:
		if msg := typedKey(t.r, t.alt); msg != nil {
			d.out(msg)
		}
	case tokenPaste:
		d.out(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(t.text), Paste: true})
	case tokenSequence:
		d.sequence(t)
	}
}

// typedKey returns the key that a typed character is, or nil for none.
func typedKey(r rune, alt bool) tea.Msg {
	m := tea.KeyMsg{Alt: alt}
	switch {
	case r == ' ':
		m.Type, m.Runes = tea.KeySpace, []rune{' '}
	case r == '\b' || r == 0x7f:
		m.Type = tea.KeyBackspace
	case r < ' ':
		m.Type = tea.KeyType(r)
		if r == etx {
			m.Alt = false
		}
	case r == utf8.RuneError || r >= 0x80 && r < 0xa0:
		return nil
	default:
		m.Type, m.Runes = tea.KeyRunes, []rune{r}
	}
	return m
}

// sequence takes a control sequence: a key, the mouse or the focus. What is
// none of these is the terminal's own and dropped.
func (d *decoder) sequence(t token) {
	numbers := strings.Split(t.params, ";")
	switch {
	case t.intro == '[' && strings.HasPrefix(t.params, "<") && (t.final == 'M' || t.final == 'm'):
		if m, ok := mouse(t.params[1:], t.final); ok {
			d.out(m)
		}
	case t.intro == '[' && t.params == "" && t.final == 'I':
		d.out(tea.FocusMsg{})
	case t.intro == '[' && t.params == "" && t.final == 'O':
		d.out(tea.BlurMsg{})
	case t.intro == '[' && t.final == '_' && plainNumbers(numbers):
		d.windows(numbers, t.params)
	case isKey(t.intro, t.final, numbers):
		d.ask(t, numbers)
	}
}

// ask has tcell name a key.
func (d *decoder) ask(t token, numbers []string) {
	for i, n := range numbers {
		numbers[i], _, _ = strings.Cut(n, ":") // kitty's details
	}
	d.tcell.ScanUTF8([]byte("\x1b" + string(t.intro) + strings.Join(numbers, ";") + string(t.final)))
	for {
		select {
		case ev := <-d.events:
			if k, ok := ev.(*tcell.EventKey); ok {
				if msg := key(k); msg != nil {
					d.out(msg)
				}
			}
		default:
			return
		}
	}
}

// plainNumbers reports that all parameters are numbers or left out.
func plainNumbers(numbers []string) bool {
	for _, n := range numbers {
		if strings.Trim(n, "0123456789") != "" {
			return false
		}
	}
	return true
}

// isKey says whether a sequence is a key. Answers have a private mark before
// their parameters, or a last byte that no key has.
func isKey(intro, final byte, numbers []string) bool {
	if intro == 'O' {
		return strings.IndexByte("ABCDFHPQRStuvlwx", final) >= 0
	}
	if len(numbers) == 1 && numbers[0] == "[" { // the Linux console's
		return final >= 'A' && final <= 'E'
	}
	first, rest, details := numbers[0], numbers[1:], ""
	if len(rest) > 0 {
		var mod string
		mod, details, _ = strings.Cut(rest[0], ":")
		rest = append([]string{mod}, rest[1:]...)
	}
	if details == "3" {
		return false // the key was let go
	}
	code, alternatives, _ := strings.Cut(first, ":")
	if !plainNumbers([]string{code}) || !plainNumbers(rest) || alternatives != "" && final != 'u' {
		return false
	}
	switch {
	case strings.IndexByte("ABCDFHPQSZ", final) >= 0:
		return code == "" && len(rest) == 0 || code == "1" && len(rest) == 1
	case final >= 'a' && final <= 'd':
		return code == "" && len(rest) == 0
	case final == '^' || final == '@':
		return code != "" && len(rest) == 0
	case final == '~':
		return code == "27" && len(rest) == 2 || code != "" && len(code) <= 2 && len(rest) < 2
	case final == 'u':
		return isCode(code) && len(rest) < 3
	}
	return false
}

// isCode says whether the number of a key in kitty's protocol is a character, or
// a key that has a name. Its private numbers also stand for shift and its like,
// media keys and what else makes no text.
func isCode(code string) bool {
	n, err := strconv.Atoi(code)
	switch {
	case err != nil || n > utf8.MaxRune:
		return false
	case n >= 0xe000 && n < 0xf900:
		return n >= 57376 && n <= 57398 || n >= 57399 && n <= 57426
	case n < ' ' || n == 0x7f:
		return n == '\t' || n == '\r' || n == esc || n == 0x7f
	}
	return utf8.ValidRune(rune(n)) && (n < 0x80 || n >= 0xa0)
}

// windows takes a key as Windows' terminals report it. Bytes of other sequences
// come as keys without a number: they are read anew, as bytes.
func (d *decoder) windows(numbers []string, params string) {
	var n [6]int
	for i := range min(len(numbers), 6) {
		n[i], _ = strconv.Atoi(numbers[i])
	}
	down := n[3] != 0
	switch {
	case !down:
	case n[0] == 0 && n[1] == 0:
		if d.nested == nil {
			d.nested = newTokeniser(0, func(t token) {
				if t.kind != tokenSequence || t.final != '_' {
					d.token(t)
				}
			})
		}
		if n[2] > 0 && n[2] < 0x80 {
			d.nested.feed(d.nested.last, []byte{byte(n[2])})
		}
	default:
		d.ask(token{intro: '[', final: '_'}, strings.Split(params, ";"))
	}
}

// mouse reads an SGR report. Motion without a button is not asked for.
func mouse(params string, final byte) (m tea.MouseMsg, ok bool) {
	parts := strings.Split(params, ";")
	if len(parts) != 3 || !plainNumbers(parts) {
		return m, false
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return m, false
		}
		n[i] = v
	}
	b := n[0]
	m.X, m.Y = max(n[1]-1, 0), max(n[2]-1, 0)
	m.Shift, m.Alt, m.Ctrl = b&4 != 0, b&8 != 0, b&16 != 0
	buttons := map[int]tea.MouseButton{
		0: tea.MouseButtonLeft, 1: tea.MouseButtonMiddle, 2: tea.MouseButtonRight, 3: tea.MouseButtonNone,
		64: tea.MouseButtonWheelUp, 65: tea.MouseButtonWheelDown, 66: tea.MouseButtonWheelLeft, 67: tea.MouseButtonWheelRight,
		128: tea.MouseButtonBackward, 129: tea.MouseButtonForward,
	}
	m.Button, ok = buttons[b&^(4|8|16|32)]
	switch {
	case final == 'm':
		m.Action = tea.MouseActionRelease
	case b&32 != 0 || m.Button == tea.MouseButtonNone:
		m.Action = tea.MouseActionMotion
	default:
		m.Action = tea.MouseActionPress
	}
	return m, ok
}
