package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
)

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
func (c *Cockpit) stack(done []desk.Outcome) bool {
	step := undoStep{name: tally(done)}
	for _, o := range done {
		if o.Undo != nil {
			step.items = append(step.items, undoItem{undo: *o.Undo, before: o.Before})
		}
	}
	if len(step.items) == 0 {
		return false
	}
	c.undo = append(c.undo, step)
	if len(c.undo) > maxUndo {
		c.undo = c.undo[1:]
	}
	return true
}

// undoLast takes back the last act by its opposite.
func (c *Cockpit) undoLast() tea.Cmd {
	n := len(c.undo) - 1
	step := c.undo[n]
	c.undo = c.undo[:n]
	d := c.desk
	cmd := c.each(len(step.items), func(ctx context.Context, i int) (desk.Outcome, error) {
		return d.Undo(ctx, step.items[i].undo)
	})
	return func() tea.Msg {
		m, _ := cmd().(outcomeMsg)
		m.undone = step.items
		return m
	}
}

// undid moves the acts before an undone one on: the record is again as they
// left it, at the revision and under the id that the undo gave it.
func (c *Cockpit) undid(item undoItem, now desk.At) {
	for i := range c.undo {
		for j := range c.undo[i].items {
			left := &c.undo[i].items[j].undo.Record
			if *left == (desk.At{Kind: item.undo.Record.Kind, Key: item.undo.Record.Key, Rev: item.before}) {
				*left = now
			}
		}
	}
}

// nextUndo names what undo would take back, "" when there is nothing.
func (c *Cockpit) nextUndo() string {
	if len(c.undo) == 0 {
		return ""
	}
	return c.undo[len(c.undo)-1].name
}

func noUndo(c *Cockpit) string {
	if len(c.undo) == 0 {
		return "there is nothing to undo"
	}
	return ""
}
