package overlay

import (
	"context"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/ui/record"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

func newStack() *Stack {
	return &Stack{On: Screen{
		Size: canvas.Size{W: 80, H: 24}, Keys: keymap.Default(),
		Look: &canvas.Look{Theme: themes.Mono(), Glyphs: themes.Unicode()},
	}}
}

// press hands a key to the uppermost overlay, as the cockpit does.
func (s *Stack) press(key tea.KeyMsg) Result {
	a, _ := s.On.Keys.Lookup(key.String(), s.Top().Scopes()...)
	return s.Key(key, a.Name)
}

var enter, tab = tea.KeyMsg{Type: tea.KeyEnter}, tea.KeyMsg{Type: tea.KeyTab}

// TestADialogIsGoneBeforeItsDeed: so that a second press of the key, however
// soon, can't do it again.
func TestADialogIsGoneBeforeItsDeed(t *testing.T) {
	s := newStack()
	open := -1
	s.Push(NewDialog(dialog.Dialog{Title: "Drop", Buttons: []string{"Cancel", "Drop"}}, func() tea.Cmd { open = s.Len(); return nil }))
	s.press(tab)
	r := s.press(enter)
	if s.Len() != 0 || open != -1 || r.Then == nil {
		t.Fatalf("%d are open, %+v", s.Len(), r)
	}
	if r.Then(); open != 0 {
		t.Errorf("%d were open when it was done", open)
	}
	s.Push(NewDialog(dialog.Dialog{Buttons: []string{"Cancel", "Drop"}}, func() tea.Cmd { t.Error("the safe button did it"); return nil }))
	if r := s.press(enter); s.Len() != 0 || r.Then != nil {
		t.Errorf("%d are open, %+v", s.Len(), r)
	}
}

// TestAnswersReachWhoAsked: a detail's answer is its own, and the editor's text
// goes to the form that has the keys.
func TestAnswersReachWhoAsked(t *testing.T) {
	s := newStack()
	read := &Reader{From: func(_ context.Context, r desk.Ref) (desk.Detail, error) { return desk.Detail{}, context.Canceled }}
	first, second := NewDetail(read, record.Event(1)), NewDetail(read, record.Event(2))
	s.Push(first)
	s.Push(second)
	first.Load()
	answer := second.Load()()
	s.Update(answer)
	if first.fault != "" || second.fault == "" || !first.loading || second.loading {
		t.Errorf("the answer went to %+v and %+v", first, second)
	}
	var got []string
	form := func() *Form {
		return NewForm(dialog.Form{Fields: []dialog.Field{{Label: "body"}}}, nil, &LongText{}, func(v []string) (func() tea.Cmd, int, error) {
			got = append(got, v...)
			return nil, 0, nil
		})
	}
	below, above := form(), form()
	s.Push(below)
	s.Push(above)
	s.Update(Edited{Text: "one\ntwo"})
	s.press(enter)
	s.press(enter)
	if strings.Join(got, "|") != "one\ntwo|" {
		t.Errorf("submitted %q", got)
	}
}
