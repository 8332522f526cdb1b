package screen

import (
	"time"
	"unicode/utf8"
)

// tokenKind is what a piece of input is.
type tokenKind uint8

const (
	tokenText     tokenKind = iota // one character that was typed, controls included
	tokenSequence                  // a whole control sequence: CSI, SS3 or the Linux console's
	tokenPaste                     // the text of a paste
	tokenReceipt                   // the terminal's answer to a status request
)

// token is a piece of input: what was typed, or what the terminal said.
type token struct {
	kind tokenKind
	alt  bool   // tokenText: ESC came before it
	r    rune   // tokenText
	text string // tokenPaste
	// intro is '[' or 'O', final the last byte, params what stands between.
	intro, final byte
	params       string
}

// Bounds of what is not whole yet.
const (
	// quietFor is how long a string, a sequence or a paste may pause before it is
	// taken for over: the peer that has to end it may never do so.
	quietFor = time.Second
	// stringFor and stringLen are from when on the first pause of a tenth of that
	// ends a string: what goes on for so long may be somebody typing.
	stringFor = 5 * time.Second
	stringLen = 64 << 10
	// mercy is how long a ctrl+c in a paste waits for the paste's proper end. If
	// that comes, it was pasted; else it was pressed.
	mercy = 500 * time.Millisecond
	// lateFor is how long after an escape, which went on alone, its rest is still
	// known for what it is; holdFor how long its first byte is then held back.
	lateFor = time.Second
	holdFor = 300 * time.Millisecond
	// maxParams bounds a sequence, in bytes. A longer one is nothing.
	maxParams = 64
)

// inputState is where in a piece of input the tokeniser is.
type inputState uint8

const (
	ground    inputState = iota
	escaped              // after ESC
	escInter             // after ESC and a byte from the space to the slash
	csi                  // in a CSI sequence
	linuxKey             // after CSI [
	oldMouse             // after CSI M: three bytes
	shifted3             // after SS3
	shifted2             // after SS2
	strung               // in a DCS, OSC, SOS, PM or APC string
	strungEsc            // the same, after an ESC in it
	held                 // the byte after an escape that went on alone may be the rest of a sequence
)

// tokeniser cuts what comes from a terminal into tokens. It is pure: bytes and
// instants go in, tokens come out. However the bytes are cut and whatever pauses
// there are between, what the terminal says by itself is one token or none, never
// keys, and ctrl+c comes out of every state.
//
// Strings (DCS, OSC, SOS, PM, APC) are swallowed to their terminator: ST in its
// 7-bit and 8-bit forms, BEL for OSC, CAN and SUB for all. Another control
// sequence ends them, too.
type tokeniser struct {
	escDelay time.Duration // how long a lone ESC waits for what may follow
	out      func(token)

	state  inputState
	dead   bool   // the sequence is the rest of one whose ESC was given out: it is no key
	osc    bool   // the string is an OSC
	first  byte   // escInter, held: the byte
	params []byte // of control and shifted3
	broken bool   // the sequence is too long or has intermediate bytes
	need   int    // oldMouse: bytes still to come
	strLen int
	utf    []byte // of a character that is not whole
	last   time.Time
	since  time.Time // when the string began
	lone   time.Time // when the newest ESC was given out alone
	// pasting, and what of it has come so far; pressed is when a ctrl+c came.
	pasting bool
	paste   []rune
	wasCR   bool
	pressed time.Time
}

// newTokeniser returns a tokeniser that gives its tokens to out.
func newTokeniser(escDelay time.Duration, out func(token)) *tokeniser {
	return &tokeniser{escDelay: escDelay, out: out}
}

// feed takes bytes that were read at an instant.
func (t *tokeniser) feed(now time.Time, input []byte) {
	t.expire(now)
	t.last = now
	for _, b := range input {
		t.byte(now, b)
	}
}

// deadline returns when expire has something to do unless more comes before; the
// zero time when it has nothing.
func (t *tokeniser) deadline() time.Time {
	var at time.Time
	sooner := func(wait time.Duration, from time.Time) {
		if d := from.Add(wait); at.IsZero() || d.Before(at) {
			at = d
		}
	}
	switch {
	case t.pasting:
		sooner(quietFor, t.last)
		if !t.pressed.IsZero() {
			sooner(mercy, t.pressed)
		}
	case t.state == escaped || t.state == escInter:
		sooner(t.escDelay, t.last)
	case t.state == held:
		sooner(holdFor, t.last)
	case t.state == strung || t.state == strungEsc:
		if t.strLen > stringLen || t.last.Sub(t.since) > stringFor {
			sooner(quietFor/10, t.last)
		} else {
			sooner(quietFor, t.last)
		}
	case t.state != ground || len(t.utf) > 0:
		sooner(quietFor, t.last)
	}
	return at
}

// expire gives out, or gives up, what has waited for too long.
func (t *tokeniser) expire(now time.Time) {
	at := t.deadline()
	if at.IsZero() || now.Before(at) {
		return
	}
	state := t.state
	t.state, t.utf = ground, t.utf[:0]
	switch {
	case t.pasting:
		if state != ground {
			t.lone = now // its rest may come yet
		}
		t.endPaste()
	case state == escaped:
		t.typed(0x1b, false)
		t.lone = now
	case state == escInter:
		t.typed(rune(t.first), true)
	case state == held:
		t.typed(rune(t.first), false)
	case state == strungEsc:
		t.lone = now
	}
	t.dead = false
}

// typed gives out a character.
func (t *tokeniser) typed(r rune, alt bool) {
	if t.pasting {
		return
	}
	t.out(token{kind: tokenText, r: r, alt: alt})
}

// byte takes one byte.
func (t *tokeniser) byte(now time.Time, b byte) {
	if t.state == oldMouse && b >= ' ' {
		// Its three bytes are no characters: see the X10 mouse protocol.
		if t.need--; t.need == 0 {
			t.state = ground
		}
		return
	}
	if len(t.utf) == 0 && b < utf8.RuneSelf {
		t.rune(now, rune(b))
		return
	}
	t.utf = append(t.utf, b)
	for len(t.utf) > 0 && utf8.FullRune(t.utf) {
		r, n := utf8.DecodeRune(t.utf)
		if r == utf8.RuneError && n == 1 {
			// No UTF-8: a C1 control in its 8-bit form, or nothing.
			if r = rune(t.utf[0]); r >= 0xa0 {
				r = utf8.RuneError
			}
		}
		t.utf = append(t.utf[:0], t.utf[n:]...)
		t.rune(now, r)
	}
}

const (
	etx = 0x03 // ctrl+c
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// rune takes one character.
func (t *tokeniser) rune(now time.Time, r rune) {
	if r == etx {
		t.interrupt(now)
		return
	}
	if r >= 0x80 && r < 0xa0 && t.state != strung && t.state != strungEsc {
		// C1 controls are ESC and a letter in one.
		t.flush()
		t.start(now, byte(r-0x40))
		return
	}
	switch t.state {
	case ground:
		t.plain(now, r)
	case escaped:
		t.afterEsc(now, r)
	case escInter:
		t.state = ground // an nF sequence, whole or abandoned
		if r < ' ' {
			t.rune(now, r)
		}
	case csi:
		t.inControl(now, r)
	case linuxKey:
		t.state = ground
		if r < ' ' {
			t.rune(now, r)
		} else if r < 0x7f {
			t.sequence('[', byte(r), "[")
		}
	case oldMouse:
		t.state = ground // cut short: what is below the space is no part of it
		t.rune(now, r)
	case shifted3:
		t.inShifted(now, r)
	case shifted2:
		t.state = ground
		if r < ' ' {
			t.rune(now, r)
		}
	case strung, strungEsc:
		t.inString(now, r)
	case held:
		t.afterHeld(now, r)
	}
}

// interrupt is ctrl+c: it comes out of every state.
func (t *tokeniser) interrupt(now time.Time) {
	if t.pasting {
		if t.pressed.IsZero() {
			t.pressed = now
		}
		return
	}
	t.state, t.dead, t.utf = ground, false, t.utf[:0]
	t.out(token{kind: tokenText, r: etx})
}

// plain takes a character outside of any sequence.
func (t *tokeniser) plain(now time.Time, r rune) {
	late := !t.lone.IsZero() && now.Sub(t.lone) < lateFor
	t.dead = false
	switch {
	case r == esc:
		t.state, t.lone = escaped, time.Time{}
	case t.pasting:
		t.collect(r)
	case late && (r == '[' || r == 'O' || r == 'P' || r == ']' || r == 'X' || r == '^' || r == '_'):
		t.state, t.first = held, byte(r)
	case late && r == '\\':
		t.lone = time.Time{} // the rest of an ST
	default:
		t.lone = time.Time{}
		t.typed(r, false)
	}
}

// afterHeld decides on what follows the byte that was held back.
func (t *tokeniser) afterHeld(now time.Time, r rune) {
	first := t.first
	t.state, t.lone = ground, time.Time{}
	if restOf(first, r) {
		t.dead = true
		t.start(now, first)
		t.rune(now, r)
		return
	}
	t.typed(rune(first), false)
	t.rune(now, r)
}

// restOf says whether a byte and the next can be how a sequence goes on whose
// ESC was given out already.
func restOf(first byte, r rune) bool {
	digit := r >= '0' && r <= '9'
	switch first {
	case '[':
		return digit || r == '?' || r == '<' || r == '>' || r == '=' || r >= 'A' && r <= 'Z'
	case 'O':
		return r >= 'A' && r <= 'S'
	case 'P':
		return digit || r == '>' || r == '!' || r == '$' || r == '+'
	case ']':
		return digit || r == 'l' || r == 'L'
	default:
		return r >= ' '
	}
}

// flush gives out an ESC that something else than the rest of a sequence follows.
func (t *tokeniser) flush() {
	switch t.state {
	case escaped:
		t.typed(esc, false)
	case escInter:
		t.typed(rune(t.first), true)
	case held:
		t.typed(rune(t.first), false)
	}
	t.state, t.dead = ground, false
}

// afterEsc takes what follows an ESC.
func (t *tokeniser) afterEsc(now time.Time, r rune) {
	switch {
	case r == esc:
		// The one before was the key.
		t.typed(esc, false)
	case r == can || r == sub:
		t.state = ground
	case r >= ' ' && r <= '/':
		t.state, t.first = escInter, byte(r)
	case r < 0x7f && t.start(now, byte(r)):
	default:
		t.state = ground
		t.typed(r, true)
	}
}

// start begins the sequence that ESC and a byte begin, if there is one.
func (t *tokeniser) start(now time.Time, b byte) bool {
	switch b {
	case '[':
		t.state = csi
	case 'O':
		t.state = shifted3
	case 'N':
		t.state = shifted2
	case 'P', 'X', '^', '_', ']':
		t.state, t.osc, t.strLen, t.since = strung, b == ']', 0, now
	case '\\':
		t.state = ground // an ST with nothing to end
	default:
		return false
	}
	t.params, t.broken = t.params[:0], false
	return true
}

// inControl takes a character of a CSI sequence.
func (t *tokeniser) inControl(now time.Time, r rune) {
	switch {
	case r == can || r == sub:
		t.state, t.dead = ground, false
	case r == esc:
		t.state, t.dead = escaped, false
	case r < ' ' || r > '~':
		// A control in a sequence is none of the terminal's doing.
		t.state, t.dead = ground, false
		t.rune(now, r)
	case r < '@':
		if len(t.params) == maxParams || r < '0' {
			t.broken = true
		} else {
			t.params = append(t.params, byte(r))
		}
	default:
		t.endControl(byte(r))
	}
}

// endControl takes a CSI sequence whose last byte has come.
func (t *tokeniser) endControl(final byte) {
	params := string(t.params)
	t.state = ground
	switch {
	case final == '[' && params == "" && !t.broken:
		t.state = linuxKey
	case final == 'M' && params == "" && !t.broken:
		t.state, t.need = oldMouse, 3
	case t.broken:
		t.dead = false
	default:
		t.sequence('[', final, params)
	}
}

// inShifted takes a character after SS3. Old terminals put a modifier before the
// letter.
func (t *tokeniser) inShifted(now time.Time, r rune) {
	switch {
	case r >= '0' && r <= '9' || r == ';':
		t.broken = true
	case r == esc:
		t.state, t.dead = escaped, false
	case r < ' ' || r > '~':
		t.state, t.dead = ground, false
		t.rune(now, r)
	case t.broken:
		t.state, t.dead = ground, false
	default:
		t.state = ground
		t.sequence('O', byte(r), "")
	}
}

// inString swallows a character of a string.
func (t *tokeniser) inString(now time.Time, r rune) {
	t.strLen++
	after := t.state == strungEsc
	t.state = strung
	switch {
	case r == can || r == sub || r == 0x9c || r == bel && t.osc:
		t.state, t.dead = ground, false
	case r == esc:
		t.state = strungEsc
	case after && r == '\\':
		t.state, t.dead = ground, false
	case after && r < 0x7f && r != 'N':
		// A new sequence ends the string; anything else is part of it.
		if t.start(now, byte(r)) {
			t.dead = false
		}
	case r >= 0x80 && r < 0xa0:
		t.dead = false
		t.start(now, byte(r-0x40))
	}
}

// sequence takes a whole sequence: it ends or begins a paste, is a receipt, or
// is given out.
func (t *tokeniser) sequence(intro, final byte, params string) {
	dead := t.dead
	t.dead = false
	pasteEnd := final == '~' && intro == '['
	switch {
	case t.pasting && pasteEnd && params == "201":
		t.pressed = time.Time{}
		t.endPaste()
	case t.pasting:
		if isInterrupt(final, params) {
			t.pressed = t.last
		}
	case dead, pasteEnd && params == "201":
	case pasteEnd && params == "200":
		t.pasting, t.paste, t.wasCR, t.pressed = true, nil, false, time.Time{}
	case intro == '[' && final == 'n':
		if params == "0" {
			t.out(token{kind: tokenReceipt})
		}
	default:
		t.out(token{kind: tokenSequence, intro: intro, final: final, params: params})
	}
}

// isInterrupt reports that a sequence is ctrl+c in one of the protocols that
// write keys as numbers.
func isInterrupt(final byte, params string) bool {
	return final == 'u' && params == "99;5" || final == '~' && params == "27;5;99"
}

// collect adds a character to the paste: text, tabs and line ends (CR, LF and
// both together are one). Other controls are dropped.
func (t *tokeniser) collect(r rune) {
	cr := r == '\r'
	switch {
	case cr || r == '\n' && !t.wasCR:
		r = '\n'
	case r == '\t' || r >= ' ' && r != 0x7f:
	default:
		t.wasCR = cr
		return
	}
	t.wasCR = cr
	if len(t.paste) < maxPaste {
		t.paste = append(t.paste, r)
	}
}

// endPaste gives the paste out, and after it the ctrl+c that nothing took back.
func (t *tokeniser) endPaste() {
	text, pressed := string(t.paste), !t.pressed.IsZero()
	t.pasting, t.paste, t.pressed = false, nil, time.Time{}
	if text != "" {
		t.out(token{kind: tokenPaste, text: text})
	}
	if pressed {
		t.out(token{kind: tokenText, r: etx})
	}
}
