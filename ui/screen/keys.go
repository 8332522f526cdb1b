package screen

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/tcell/v2"
)

// translator turns tcell's events into Bubble Tea's messages. It remembers what
// spans several events: a paste, and which mouse button is down.
type translator struct {
	pasting bool
	paste   []rune
	wasCR   bool
	buttons tcell.ButtonMask
}

// maxPaste bounds a paste, in runes. What is beyond is dropped, not typed.
const maxPaste = 1 << 20

// message returns the message for an event, or nil when there is none (yet). A
// paste is one message, whatever is in it, when it ends.
func (t *translator) message(ev tcell.Event) tea.Msg {
	switch ev := ev.(type) {
	case *tcell.EventPaste:
		return t.bracket(ev.Start())
	case *tcell.EventKey:
		if t.pasting {
			t.collect(ev)
			return nil
		}
		return key(ev)
	case *tcell.EventMouse:
		return t.mouse(ev)
	case *tcell.EventFocus:
		if ev.Focused {
			return tea.FocusMsg{}
		}
		return tea.BlurMsg{}
	default:
		return nil
	}
}

// bracket starts a paste, or ends it and returns it.
func (t *translator) bracket(start bool) tea.Msg {
	text := t.paste
	ended := t.pasting && !start
	t.pasting, t.paste, t.wasCR = start, nil, false
	if !ended || len(text) == 0 {
		return nil
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: text, Paste: true}
}

// collect adds a key to the paste: text, tabs and line ends (CR, LF and both
// together are one). Other keys are what became of control bytes; they are
// dropped.
func (t *translator) collect(ev *tcell.EventKey) {
	r := rune(-1)
	cr := false
	switch k := ev.Key(); {
	case k == tcell.KeyRune && ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt) == 0:
		r = ev.Rune()
	case k == tcell.KeyTab:
		r = '\t'
	case k == tcell.KeyEnter:
		r, cr = '\n', true
	case k == tcell.KeyCtrlJ || k == tcell.KeyLF:
		if !t.wasCR {
			r = '\n'
		}
	}
	t.wasCR = cr
	if r >= 0 && len(t.paste) < maxPaste {
		t.paste = append(t.paste, r)
	}
}

// mouse tells press, release and motion apart by what was down before.
func (t *translator) mouse(ev *tcell.EventMouse) tea.Msg {
	const wheels = tcell.WheelUp | tcell.WheelDown | tcell.WheelLeft | tcell.WheelRight
	x, y := ev.Position()
	mod := ev.Modifiers()
	m := tea.MouseMsg{
		X: x, Y: y,
		Shift: mod&tcell.ModShift != 0, Alt: mod&tcell.ModAlt != 0, Ctrl: mod&tcell.ModCtrl != 0,
	}
	now := ev.Buttons()
	if now&wheels != 0 {
		m.Button = button(now & wheels)
		m.Action = tea.MouseActionPress
		return m
	}
	before := t.buttons
	t.buttons = now
	switch {
	case now&^before != 0:
		m.Button, m.Action = button(now&^before), tea.MouseActionPress
	case before&^now != 0:
		m.Button, m.Action = button(before&^now), tea.MouseActionRelease
	default:
		m.Button, m.Action = button(now), tea.MouseActionMotion
	}
	return m
}

func button(b tcell.ButtonMask) tea.MouseButton {
	switch {
	case b&tcell.Button1 != 0:
		return tea.MouseButtonLeft
	case b&tcell.Button2 != 0:
		return tea.MouseButtonRight
	case b&tcell.Button3 != 0:
		return tea.MouseButtonMiddle
	case b&tcell.WheelUp != 0:
		return tea.MouseButtonWheelUp
	case b&tcell.WheelDown != 0:
		return tea.MouseButtonWheelDown
	case b&tcell.WheelLeft != 0:
		return tea.MouseButtonWheelLeft
	case b&tcell.WheelRight != 0:
		return tea.MouseButtonWheelRight
	case b&tcell.Button4 != 0:
		return tea.MouseButtonBackward
	case b&tcell.Button5 != 0:
		return tea.MouseButtonForward
	default:
		return tea.MouseButtonNone
	}
}

// key returns the message for a key, or nil for one that has no name in Bubble
// Tea: better dead than taken for another.
func key(ev *tcell.EventKey) tea.Msg {
	k, mod := ev.Key(), ev.Modifiers()
	m := tea.KeyMsg{Alt: mod&(tcell.ModAlt|tcell.ModMeta) != 0}
	ctrl, shift := mod&tcell.ModCtrl != 0, mod&tcell.ModShift != 0
	switch {
	case k == tcell.KeyRune && ctrl:
		t, ok := control(ev.Rune())
		if !ok {
			return nil
		}
		m.Type = t
	case k == tcell.KeyRune && ev.Rune() == ' ':
		m.Type, m.Runes = tea.KeySpace, []rune{' '}
	case k == tcell.KeyRune:
		m.Type, m.Runes = tea.KeyRunes, []rune{ev.Rune()}
	case k >= tcell.KeyCtrlSpace && k <= tcell.KeyCtrlUnderscore:
		m.Type = tea.KeyType(k - tcell.KeyCtrlSpace)
	case k == tcell.KeyBackspace || k == tcell.KeyDEL:
		m.Type = tea.KeyBackspace
	case k < ' ':
		m.Type = tea.KeyType(k)
	case k >= tcell.KeyF1 && k <= tcell.KeyF20:
		m.Type = tea.KeyF1 - tea.KeyType(k-tcell.KeyF1)
	default:
		t, ok := named(k, ctrl, shift)
		if !ok {
			return nil
		}
		m.Type = t
	}
	return m
}

// control returns the control key of a character typed with ctrl, where a
// terminal reports the two apart.
func control(r rune) (tea.KeyType, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return tea.KeyType(r - 'a' + 1), true
	case r >= '@' && r <= '_':
		return tea.KeyType(r - '@'), true
	case r == ' ' || r == '`' || r == '2':
		return tea.KeyCtrlAt, true
	case r == '/' || r == '7' || r == '-':
		return tea.KeyCtrlUnderscore, true
	case r == '?' || r == '8':
		return tea.KeyCtrlQuestionMark, true
	default:
		return 0, false
	}
}

// named returns the key that a cursor or editing key is with its modifiers.
// Where Bubble Tea has no name for the combination the modifiers are dropped.
func named(k tcell.Key, ctrl, shift bool) (tea.KeyType, bool) {
	// plain, ctrl, shift, ctrl+shift
	var with [4]tea.KeyType
	switch k {
	case tcell.KeyUp:
		with = [4]tea.KeyType{tea.KeyUp, tea.KeyCtrlUp, tea.KeyShiftUp, tea.KeyCtrlShiftUp}
	case tcell.KeyDown:
		with = [4]tea.KeyType{tea.KeyDown, tea.KeyCtrlDown, tea.KeyShiftDown, tea.KeyCtrlShiftDown}
	case tcell.KeyLeft:
		with = [4]tea.KeyType{tea.KeyLeft, tea.KeyCtrlLeft, tea.KeyShiftLeft, tea.KeyCtrlShiftLeft}
	case tcell.KeyRight:
		with = [4]tea.KeyType{tea.KeyRight, tea.KeyCtrlRight, tea.KeyShiftRight, tea.KeyCtrlShiftRight}
	case tcell.KeyHome:
		with = [4]tea.KeyType{tea.KeyHome, tea.KeyCtrlHome, tea.KeyShiftHome, tea.KeyCtrlShiftHome}
	case tcell.KeyEnd:
		with = [4]tea.KeyType{tea.KeyEnd, tea.KeyCtrlEnd, tea.KeyShiftEnd, tea.KeyCtrlShiftEnd}
	case tcell.KeyPgUp:
		with = [4]tea.KeyType{tea.KeyPgUp, tea.KeyCtrlPgUp, tea.KeyPgUp, tea.KeyCtrlPgUp}
	case tcell.KeyPgDn:
		with = [4]tea.KeyType{tea.KeyPgDown, tea.KeyCtrlPgDown, tea.KeyPgDown, tea.KeyCtrlPgDown}
	case tcell.KeyDelete:
		return tea.KeyDelete, true
	case tcell.KeyInsert:
		return tea.KeyInsert, true
	case tcell.KeyBacktab:
		return tea.KeyShiftTab, true
	default:
		return 0, false
	}
	i := 0
	if ctrl {
		i |= 1
	}
	if shift {
		i |= 2
	}
	return with[i], true
}
