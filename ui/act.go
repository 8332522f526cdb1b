package ui

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// actTimeout bounds one act; a database that is busy for longer is said to be.
const actTimeout = 15 * time.Second

// act does actions one after the other, in the background. Each is conditional
// on the revision that was on screen.
func (c *Cockpit) act(actions []desk.Action) tea.Cmd {
	d := c.desk
	return c.each(len(actions), func(ctx context.Context, i int) (desk.Outcome, error) {
		return d.Do(ctx, actions[i])
	})
}

// each does n things in the background, one after the other.
func (c *Cockpit) each(n int, do func(context.Context, int) (desk.Outcome, error)) tea.Cmd {
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

// outcome says in one line how an act ended, and remembers how to undo it.
func (c *Cockpit) outcome(m outcomeMsg) tea.Cmd {
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
			c.undid(m.undone[m.which[i]], o.Record)
		}
	} else if c.stack(m.done) {
		text += " (" + c.opt.Keys.KeyOf("undo") + " undoes)"
	}
	switch {
	case len(m.failed) == 0:
		c.say(views.Said, text)
	case len(m.done) == 0 && len(m.failed) == 1:
		c.say(views.Refused, reason(m.failed[0]))
	default:
		if text != "" {
			text += "; "
		}
		c.say(views.Noticed, text+strconv.Itoa(len(m.failed))+" left alone: "+reason(m.failed[0]))
	}
	return nil
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
			n = label(done[0].Record) + " "
		}
		words[i] = n + w
	}
	return strings.Join(words, ", ")
}

// label is a record in a word: #16, or a signal's key.
func label(at desk.At) string {
	if at.Kind == model.KindDirective {
		return "#" + at.Key
	}
	return clean.Line(at.Key)
}

// reason is a refusal with its hint, on one line.
func reason(err error) string {
	s := err.Error()
	if h := model.HintOf(err); h != "" {
		s += " (" + h + ")"
	}
	return s
}

// fetchTimeout bounds a fetch that the operator asked for.
const fetchTimeout = 90 * time.Second

// fetch fetches the fleet's refs now.
func (c *Cockpit) fetch() tea.Cmd {
	d := c.desk
	c.say(views.Said, "fetching the fleet")
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), fetchTimeout)
		defer cancel()
		o, err := d.Do(ctx, desk.Action{Verb: desk.VerbFetch})
		if err != nil {
			return outcomeMsg{failed: []error{err}}
		}
		return outcomeMsg{done: []desk.Outcome{o}}
	}
}

// actions makes one action a target, with a verb and what else f sets.
func (c *Cockpit) actions(verb desk.Verb, targets []target, f func(*desk.Action, target)) []desk.Action {
	out := make([]desk.Action, 0, len(targets))
	for _, t := range targets {
		c.unmarkRow(t.ID) // it is dealt with: should it leave now, that is no news
		a := desk.Action{Verb: verb, Key: t.Key, Rev: t.Rev}
		if f != nil {
			f(&a, t)
		}
		out = append(out, a)
	}
	return out
}

// of keeps the targets of one noun.
func of(noun views.Noun, all []target) []target {
	var out []target
	for _, t := range all {
		if t.Noun == noun {
			out = append(out, t)
		}
	}
	return out
}

func isDirective(c *Cockpit) string {
	if len(of(views.NounDirective, c.targets())) == 0 {
		return "no directive is selected"
	}
	return ""
}

// signal claims or releases the selected signals.
func (c *Cockpit) signal(action string) tea.Cmd {
	verb := map[string]desk.Verb{"claim": desk.VerbSignalClaim, "release": desk.VerbSignalRelease}[action]
	return c.act(c.actions(verb, of(views.NounSignal, c.targets()), nil))
}

// askClear clears signals, which ends them.
func (c *Cockpit) askClear() tea.Cmd {
	ts := of(views.NounSignal, c.targets())
	c.confirm("Clear", ts, "A cleared signal is closed for good. It stays in the ledger.", func(c *Cockpit) tea.Cmd {
		return c.act(c.actions(desk.VerbSignalClear, ts, nil))
	})
	return nil
}

// askDrop drops directives.
func (c *Cockpit) askDrop() tea.Cmd {
	ts := of(views.NounDirective, c.targets())
	says := "A dropped directive is never done. What waits for it no longer waits."
	if taken(ts) > 0 {
		says += " Whoever holds it loses the claim: its token is refused from then on."
	}
	c.confirm("Drop", ts, says, func(c *Cockpit) tea.Cmd {
		return c.act(c.actions(desk.VerbDrop, ts, nil))
	})
	return nil
}

// askRequeue gives directives back to their lanes.
func (c *Cockpit) askRequeue() tea.Cmd {
	ts := of(views.NounDirective, c.targets())
	requeue := func(c *Cockpit) tea.Cmd {
		var all []desk.Action
		for _, t := range ts {
			verb := desk.VerbRequeue
			if t.State == directive.StatusParked {
				verb = desk.VerbUnpark
			}
			all = append(all, c.actions(verb, []target{t}, nil)...)
		}
		return c.act(all)
	}
	if taken(ts) == 0 && len(ts) == 1 {
		return requeue(c)
	}
	c.confirm("Requeue", ts, "It goes back to its lane. Whoever holds it loses the claim: its token is refused from then on.", requeue)
	return nil
}

func taken(ts []target) int {
	n := 0
	for _, t := range ts {
		if t.State == directive.StatusTaken {
			n++
		}
	}
	return n
}

// reprioritize moves directives by one priority step.
func (c *Cockpit) reprioritize(step int) tea.Cmd {
	ts := of(views.NounDirective, c.targets())
	var all []desk.Action
	for _, t := range ts {
		d, ok := c.directive(t.Key)
		if !ok {
			continue
		}
		p := max(directive.P0, min(directive.P2, d.Priority+directive.Priority(step)))
		if p == d.Priority {
			continue
		}
		all = append(all, c.actions(desk.VerbPriority, []target{t}, func(a *desk.Action, _ target) { a.Priority = p })...)
	}
	if len(all) == 0 {
		c.say(views.Noticed, "the priority is at its end already")
		return nil
	}
	return c.act(all)
}

// confirm asks before a deed. More than one target wants the count typed.
func (c *Cockpit) confirm(verb string, ts []target, says string, do func(*Cockpit) tea.Cmd) {
	d := &dialog{confirm: do}
	d.view = views.Dialog{Title: verb, Says: []string{says}, Buttons: []string{"Cancel", verb}}
	if len(ts) == 1 {
		d.view.Target = ts[0].label
		if ts[0].State != "" {
			d.view.Target += ", " + ts[0].State
		}
	} else {
		d.view.Target = verb + " these " + strconv.Itoa(len(ts)) + ":"
		for _, t := range ts {
			d.view.List = append(d.view.List, views.Named{Label: t.label, State: t.State})
		}
		d.view.Count = &views.Count{Want: int64(len(ts)), Input: views.Input{Focus: true}}
	}
	c.ask(d)
}
