package screen

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/tcell/v2"
)

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
