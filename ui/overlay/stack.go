package overlay

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/views/canvas"
)

// Stack is the overlays that are open, one over the other. The uppermost takes
// the keys.
type Stack struct {
	On   Screen // what all of them stand on; Top is set for each
	open []Overlay
}

// Push opens an overlay over the others.
func (s *Stack) Push(o Overlay) { s.open = append(s.open, o) }

// Len is how many are open.
func (s *Stack) Len() int { return len(s.open) }

// Top is the uppermost, nil where none is open.
func (s *Stack) Top() Overlay {
	if n := len(s.open); n > 0 {
		return s.open[n-1]
	}
	return nil
}

// screen is what the overlay at i stands on.
func (s *Stack) screen(i int) *Screen {
	on := s.On
	on.Top = i == len(s.open)-1
	return &on
}

// Update hands a message to all of them.
func (s *Stack) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for i, o := range s.open {
		if cmd := o.Update(msg, s.screen(i)); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

// Key hands a key to the uppermost, or pasted text, and takes it away when it
// closes.
func (s *Stack) Key(k tea.KeyMsg, action string) Result {
	i := len(s.open) - 1
	var r Result
	if k.Paste {
		r = s.open[i].Paste(string(k.Runes), s.screen(i))
	} else {
		r = s.open[i].Key(k, action, s.screen(i))
	}
	if r.Close {
		s.open = s.open[:i]
	}
	return r
}

// Draw lays them over a frame.
func (s *Stack) Draw(frame string) string {
	for i, o := range s.open {
		on := s.screen(i)
		at := o.Place(on)
		frame = canvas.Overlay(frame, on.Size, o.Draw(at.Size(), on), at)
	}
	return frame
}
