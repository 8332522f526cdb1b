package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// detail shows all of one event or record. While it is open its record stays
// the one that was opened, and it is read again when the record moved on.
type detail struct {
	quiet
	target  target
	ticket  int
	have    bool
	of      views.Detail
	doc     views.Document
	width   int
	top     int
	fault   string
	trail   []int64 // events that were left by following links
	whyOnly bool
	loading bool
	gone    bool // it was read again after it was open no more
}

// openRow opens the row under the cursor: a lane opens and closes, all else
// shows its detail.
func (c *Cockpit) openRow() tea.Cmd {
	t, ok := c.target()
	if !ok {
		return nil
	}
	if t.Noun == views.NounLane {
		c.open[t.Key] = !c.open[t.Key]
		c.refill()
		return nil
	}
	d := &detail{target: t}
	d.of.Link = -1
	c.push(d)
	return d.load(c)
}

// openWhy shows the directive with the reasons for its place first.
func (c *Cockpit) openWhy() tea.Cmd {
	ts := of(views.NounDirective, c.targets())
	d := &detail{target: ts[0], whyOnly: true}
	d.target.seq = 0
	d.of.Link = -1
	c.push(d)
	return d.load(c)
}

// load reads the detail in the background.
func (d *detail) load(c *Cockpit) tea.Cmd {
	c.ticket++
	d.ticket, d.loading = c.ticket, true
	from, t, ticket := c.desk, d.target, c.ticket
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), pageTimeout)
		defer cancel()
		m := detailMsg{ticket: ticket}
		m.detail, m.err = from.Detail(ctx, t.ref())
		return m
	}
}

// ref names what the detail of the target is of. A lane has none.
func (t target) ref() desk.Ref {
	if t.seq > 0 {
		return desk.Ref{Seq: t.seq}
	}
	if t.Noun == views.NounSession || t.Noun == views.NounMachine {
		return desk.Ref{Kind: model.KindCoord, Key: t.Key}
	}
	return desk.Ref{Kind: t.kind(), Key: t.Key}
}

// detailed takes a detail that was asked for, if somebody still waits for it.
func (c *Cockpit) detailed(m detailMsg) tea.Cmd {
	for _, o := range c.overlays {
		d, ok := o.(*detail)
		if !ok || d.ticket != m.ticket {
			continue
		}
		d.loading, d.fault = false, ""
		if m.err != nil {
			d.fault = reason(m.err)
			return nil
		}
		d.have, d.of.Of, d.width = true, m.detail, 0
		if d.whyOnly {
			d.of.Of.History = nil
		}
		if len(d.of.Links()) > 0 {
			d.of.Link = 0
		}
	}
	return nil
}

func (d *detail) scopes(*Cockpit) []keymap.Scope {
	out := []keymap.Scope{keymap.Detail}
	return append(append(out, recordScopes(d.record())...), keymap.List, keymap.Global)
}

// record is the target with the revision that the detail shows, which is what
// an action from here applies to.
func (d *detail) record() target {
	t := d.target
	switch of := &d.of.Of; {
	case of.Signal != nil:
		t.ID, t.Rev, t.State = views.SignalID(of.Signal.Key), of.Signal.Rev, of.Signal.State
		t.label = "signal " + clean.Line(of.Signal.Key) + " (" + firstLine(of.Signal.Summary, 50) + ")"
	case of.Work != nil:
		t.ID, t.Rev, t.State = views.WorkID(of.Work.Key), of.Work.Rev, of.Work.State
	case of.Directive != nil:
		t.ID, t.Rev, t.State = views.DirectiveID(of.Directive.ID), of.Directive.Rev, of.Directive.Status
		t.label = directiveLabel(*of.Directive)
	}
	return t
}

func (d *detail) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	page := max(c.bigBox().H-3, 1)
	switch action {
	case "back", "quit":
		if n := len(d.trail); n > 0 && action == "back" {
			seq := d.trail[n-1]
			d.trail = d.trail[:n-1]
			return d.visit(c, seq)
		}
		c.pop()
	case "up":
		d.top--
	case "down":
		d.top++
	case "page-up":
		d.top -= page
	case "page-down":
		d.top += page
	case "top":
		d.top = 0
	case "bottom":
		d.top = d.doc.Height()
	case "cause":
		return d.link(c, -1)
	case "effect":
		return d.link(c, 1)
	case "next-pane":
		if n := len(d.of.Links()); n > 0 {
			d.of.Link = (d.of.Link + 1) % n
			d.width = 0
		}
	case "open":
		if links := d.of.Links(); d.of.Link >= 0 && d.of.Link < len(links) {
			return d.follow(c, links[d.of.Link])
		}
	case "":
		return c.elsewhere(k)
	case "filter", "palette", "next-match", "previous-match", "zoom", "previous-pane", "pause", "mark":
		c.say(views.Noticed, "close the detail first (esc)")
	default:
		return c.perform(action)
	}
	d.top = max(0, min(d.top, d.doc.Height()-page))
	return nil
}

// link goes to the cause (-1) or to the chosen effect (1).
func (d *detail) link(c *Cockpit, way int) tea.Cmd {
	links := d.of.Links()
	switch {
	case d.have && d.of.Of.Event == nil && d.target.kind() != "":
		return c.openLink(way)
	case way < 0 && d.of.Of.Cause != nil:
		return d.follow(c, links[0])
	case way < 0, len(d.of.Of.Effects) == 0:
		c.say(views.Noticed, noSuchLink("this", way))
	default:
		first := len(links) - len(d.of.Of.Effects)
		return d.follow(c, links[max(first, d.of.Link)])
	}
	return nil
}

func (d *detail) follow(c *Cockpit, seq int64) tea.Cmd {
	if e := d.of.Of.Event; e != nil {
		d.trail = append(d.trail, e.Seq)
	}
	return d.visit(c, seq)
}

func (d *detail) visit(c *Cockpit, seq int64) tea.Cmd {
	d.target = eventOf(seq)
	d.top, d.have, d.of = 0, false, views.Detail{Link: -1}
	return d.load(c)
}

// refresh reads the detail again when its record moved on.
func (d *detail) refresh(c *Cockpit) tea.Cmd {
	if !d.have || d.loading {
		return nil
	}
	shown := d.record()
	if now, ok := c.targetOf(shown.ID); ok && now.Rev == shown.Rev || shown.kind() == "" {
		return nil
	} else if !ok && (d.gone || c.opensNoMore(shown)) {
		return nil
	}
	d.gone = true // what is no longer open is read once more
	return d.load(c)
}

// opensNoMore says whether the record was final when it was read.
func (c *Cockpit) opensNoMore(t target) bool {
	switch t.kind() {
	case model.KindSignal:
		return model.SignalMachine().Final(t.State)
	case model.KindWork:
		return t.State != model.WorkClaimed
	}
	return directive.Machine().Final(t.State)
}

func (d *detail) draw(c *Cockpit, base string) string {
	return c.centred(base, c.bigBox(), func(s views.Size) string {
		if !d.have {
			say := "reading the ledger"
			if d.fault != "" {
				say = d.fault
			}
			v := views.Dialog{Title: d.target.label, Says: []string{say}}
			return v.Draw(s, c.look)
		}
		if d.width != s.W {
			d.doc, d.width = d.of.Lay(s.W, c.look), s.W
		}
		return d.doc.Draw(views.Chrome{Focus: c.uppermost(d), Fault: d.fault}, d.top, s, c.look)
	})
}

func (c *Cockpit) uppermost(o overlay) bool {
	n := len(c.overlays)
	return n > 0 && c.overlays[n-1] == o
}
