package ui

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/ui/overlay"
	"binnacle/ui/record"
	"binnacle/views"
)

// outcomeMsg is how actions ended.
type outcomeMsg struct {
	done   []desk.Outcome
	which  []int // of each of done: which of the things to be done it was
	failed []error
	undone []undoItem // what was to be undone, nil for an act
}

// acts does what the operator wants done, in the background, says how it ended,
// and takes it back.
type acts struct {
	desk desk.Desk
	undo []undoStep
	key  string // that undoes
}

// Times that an act may take.
const (
	actTimeout   = 15 * time.Second // a database that is busy for longer is said to be
	fetchTimeout = 90 * time.Second
)

// do does actions one after the other. Each is conditional on the revision that
// was on screen.
func (a *acts) do(actions []desk.Action) tea.Cmd {
	return each(len(actions), func(ctx context.Context, i int) (desk.Outcome, error) {
		return a.desk.Do(ctx, actions[i])
	})
}

// each does n things in the background, one after the other.
func each(n int, do func(context.Context, int) (desk.Outcome, error)) tea.Cmd {
	if n == 0 {
		return nil
	}
	return func() tea.Msg {
		var m outcomeMsg
		for i := range n {
			ctx, cancel := context.WithTimeout(background(), actTimeout)
			o, err := do(ctx, i)
			cancel()
			if err != nil {
				m.failed = append(m.failed, err)
				continue
			}
			m.done, m.which = append(m.done, o), append(m.which, i)
		}
		return m
	}
}

// fetch fetches the fleet's refs now.
func (a *acts) fetch() tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), fetchTimeout)
		defer cancel()
		o, err := a.desk.Do(ctx, desk.Action{Verb: desk.VerbFetch})
		if err != nil {
			return outcomeMsg{failed: []error{err}}
		}
		return outcomeMsg{done: []desk.Outcome{o}}
	}
}

// ended says in one line how an act ended, and remembers how to undo it.
func (a *acts) ended(m outcomeMsg) views.Flash {
	text := ""
	switch {
	case len(m.done) == 1:
		text = m.done[0].Text
	case len(m.done) > 1:
		text = tally(m.done)
		if m.undone != nil {
			text = "undone: " + text
		}
	}
	if m.undone != nil {
		for i, o := range m.done {
			a.undid(m.undone[m.which[i]], o.Record)
		}
	} else if a.stack(m.done) {
		text += " (" + a.key + " undoes)"
	}
	switch {
	case len(m.failed) == 0:
		return views.Flash{Text: text}
	case len(m.done) == 0 && len(m.failed) == 1:
		return views.Flash{Text: overlay.Reason(m.failed[0]), Level: views.Refused}
	}
	if text != "" {
		text += "; "
	}
	text += strconv.Itoa(len(m.failed)) + " left alone: " + overlay.Reason(m.failed[0])
	return views.Flash{Text: text, Level: views.Noticed}
}

// tally counts what was done: "3 dropped", "2 requeued, 1 dropped".
func tally(done []desk.Outcome) string {
	var words []string
	count := map[string]int64{}
	for _, o := range done {
		if count[o.Did]++; count[o.Did] == 1 {
			words = append(words, o.Did)
		}
	}
	for i, w := range words {
		n := strconv.FormatInt(count[w], 10) + " "
		if len(done) == 1 && done[0].Record.Key != "" {
			n = record.Label(done[0].Record) + " "
		}
		words[i] = n + w
	}
	return strings.Join(words, ", ")
}

// maxUndo bounds the memory of acts.
const maxUndo = 50

// undoStep is how one act is undone, record by record.
type undoStep struct {
	name  string // what was done, for the bottom line
	items []undoItem
}

// undoItem takes one record back to what it was at revision before. undo.Record
// is the record as the act left it; undoing what was done to it later leaves it
// at another revision, or under another id, and it is moved on to that.
type undoItem struct {
	undo   desk.Undo
	before int64
}

// stack puts an act on the stack of those that can be undone and says
// whether it can.
func (a *acts) stack(done []desk.Outcome) bool {
	step := undoStep{name: tally(done)}
	for _, o := range done {
		if o.Undo != nil {
			step.items = append(step.items, undoItem{undo: *o.Undo, before: o.Before})
		}
	}
	if len(step.items) == 0 {
		return false
	}
	a.undo = append(a.undo, step)
	if len(a.undo) > maxUndo {
		a.undo = a.undo[1:]
	}
	return true
}

// undoLast takes back the last act by its opposite.
func (a *acts) undoLast() tea.Cmd {
	n := len(a.undo) - 1
	step := a.undo[n]
	a.undo = a.undo[:n]
	cmd := each(len(step.items), func(ctx context.Context, i int) (desk.Outcome, error) {
		return a.desk.Undo(ctx, step.items[i].undo)
	})
	return func() tea.Msg {
		m, _ := cmd().(outcomeMsg)
		m.undone = step.items
		return m
	}
}

// undid moves the acts before an undone one on: the record is again as they
// left it, at the revision and under the id that the undo gave it.
func (a *acts) undid(item undoItem, now desk.At) {
	for i := range a.undo {
		for j := range a.undo[i].items {
			left := &a.undo[i].items[j].undo.Record
			if *left == (desk.At{Kind: item.undo.Record.Kind, Key: item.undo.Record.Key, Rev: item.before}) {
				*left = now
			}
		}
	}
}

// nextUndo names what undo would take back, "" when there is nothing.
func (a *acts) nextUndo() string {
	if len(a.undo) == 0 {
		return ""
	}
	return a.undo[len(a.undo)-1].name
}
