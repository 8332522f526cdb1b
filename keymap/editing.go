package keymap

import "github.com/charmbracelet/bubbles/key"

// Editing are the keys that edit a line of input. They are those of bubbles'
// textinput, which people know from other programs. That package is not linked
// for them: with it comes one that looks for clipboard programs in the PATH at
// every start, a hook's too.
type Editing struct {
	Forward, Back               key.Binding
	WordForward, WordBack       key.Binding
	Start, End                  key.Binding
	CutForward, CutBack         key.Binding
	CutWordForward, CutWordBack key.Binding
	CutToStart, CutToEnd        key.Binding
}

// NewEditing returns the keys.
func NewEditing() Editing {
	on := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return Editing{
		Forward:        on("right", "ctrl+f"),
		Back:           on("left", "ctrl+b"),
		WordForward:    on("alt+right", "ctrl+right", "alt+f"),
		WordBack:       on("alt+left", "ctrl+left", "alt+b"),
		Start:          on("home", "ctrl+a"),
		End:            on("end", "ctrl+e"),
		CutForward:     on("delete", "ctrl+d"),
		CutBack:        on("backspace", "ctrl+h"),
		CutWordForward: on("alt+delete", "alt+d"),
		CutWordBack:    on("alt+backspace", "ctrl+w"),
		CutToStart:     on("ctrl+u"),
		CutToEnd:       on("ctrl+k"),
	}
}
