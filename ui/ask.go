package ui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/ui/overlay"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// act is an action on a row.
type act struct {
	on record.Target
	desk.Action
}

// actsOn makes one act a target, with a verb and what else f sets.
func actsOn(verb desk.Verb, targets []record.Target, f func(*act)) []act {
	out := make([]act, len(targets))
	for i, t := range targets {
		out[i] = act{on: t, Action: desk.Action{Verb: verb, Key: t.Key, Rev: t.Rev}}
		if f != nil {
			f(&out[i])
		}
	}
	return out
}

// do does acts in the background.
func (c *Cockpit) do(all []act) tea.Cmd {
	actions := make([]desk.Action, len(all))
	for i, a := range all {
		c.panes.Unmark(a.on.ID) // it is dealt with: should it leave now, that is no news
		actions[i] = a.Action
	}
	return c.acts.do(actions)
}

// question is something that is asked before acts are done.
type question struct {
	verb string // as the button says it
	on   []record.Target
	says string // the consequence
	acts []act
	sure bool // it need not be asked
}

// ask asks, and does the acts when the answer is yes. More than one target wants
// the count typed.
func (c *Cockpit) ask(q question) tea.Cmd {
	if q.sure {
		return c.do(q.acts)
	}
	d := dialog.Dialog{Title: q.verb, Says: []string{q.says}, Buttons: []string{"Cancel", q.verb}}
	if n := len(q.on); n == 1 {
		d.Target = q.on[0].Label
		if q.on[0].State != "" {
			d.Target += ", " + q.on[0].State
		}
	} else {
		d.Target = q.verb + " these " + strconv.Itoa(n) + ":"
		for _, t := range q.on {
			d.List = append(d.List, dialog.Named{Label: t.Label, State: t.State})
		}
		d.Count = &dialog.Count{Want: int64(n), Input: canvas.Input{Focus: true}}
	}
	c.over.Push(overlay.NewDialog(d, func() tea.Cmd { return c.do(q.acts) }))
	return nil
}

// clearing clears signals, which ends them.
func clearing(ts []record.Target) question {
	return question{
		verb: "Clear", on: ts, acts: actsOn(desk.VerbSignalClear, ts, nil),
		says: "A cleared signal is closed for good. It stays in the ledger.",
	}
}

// dropping drops directives.
func dropping(ts []record.Target) question {
	says := "A dropped directive is never done. What waits for it no longer waits."
	if record.Taken(ts) > 0 {
		says += " Whoever holds it loses the claim: its token is refused from then on."
	}
	return question{verb: "Drop", on: ts, says: says, acts: actsOn(desk.VerbDrop, ts, nil)}
}

// requeueing gives directives back to their lanes.
func requeueing(ts []record.Target) question {
	return question{
		verb: "Requeue", on: ts, sure: record.Taken(ts) == 0 && len(ts) == 1,
		says: "It goes back to its lane. Whoever holds it loses the claim: its token is refused from then on.",
		acts: actsOn(desk.VerbRequeue, ts, func(a *act) {
			if a.on.State == directive.StatusParked {
				a.Verb = desk.VerbUnpark
			}
		}),
	}
}

// reprioritizing moves directives by one priority step, as far as there is one.
func reprioritizing(s *desk.Snapshot, ts []record.Target, step int) []act {
	var all []act
	for _, t := range ts {
		d, ok := record.Directive(s, t.Key)
		if !ok {
			continue
		}
		p := max(directive.P0, min(directive.P2, d.Priority+directive.Priority(step)))
		if p != d.Priority {
			all = append(all, actsOn(desk.VerbPriority, []record.Target{t}, func(a *act) { a.Priority = p })...)
		}
	}
	return all
}

// targets lists the record of the open detail, or the marked records, or the
// one under the cursor.
func (c *Cockpit) targets() []record.Target {
	if d, ok := c.over.Top().(*overlay.Detail); ok {
		return []record.Target{d.Record()}
	}
	return c.panes.Focus().Targets()
}

// chosen are the targets of one noun.
func (c *Cockpit) chosen(noun views.Noun) []record.Target { return record.Only(noun, c.targets()) }

// selected is the record that keys apply to: the detail's, or the row's.
func (c *Cockpit) selected() (record.Target, bool) {
	if d, ok := c.over.Top().(*overlay.Detail); ok {
		return d.Record(), true
	}
	return c.panes.Target()
}
