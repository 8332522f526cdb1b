package ui

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// form asks for several values.
type form struct {
	view   views.Form
	fields []field
	// submit makes actions of the values; the int is the field that is wrong.
	submit func(values []string) ([]desk.Action, int, error)
	editor int // the field that ctrl+e opens in $EDITOR; -1 is none
	// edited is what $EDITOR left, and shown its first line as the field shows
	// it: until the field is typed in, the whole text counts.
	edited, shown string
}

func (c *Cockpit) openForm(f *form, values ...string) {
	for i := range f.view.Fields {
		v := ""
		if i < len(values) {
			v = values[i]
		}
		f.fields = append(f.fields, newField(v))
	}
	f.view.Hint = "enter does it, tab goes on, esc leaves"
	if f.editor >= 0 {
		f.view.Hint += ", " + c.opt.Keys.KeyOf("editor") + " opens $EDITOR"
	}
	c.push(f)
}

func (f *form) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Input} }

func (f *form) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	n := len(f.fields)
	switch {
	case action == "editor" && f.editor >= 0:
		return c.opt.Term.Edit(f.value(f.editor), "directive.txt", true)
	case action == "cancel":
		c.pop()
	case action == "complete", action == "next-choice":
		f.view.At = (f.view.At + 1) % n
	case action == "previous-field", action == "previous-choice":
		f.view.At = (f.view.At + n - 1) % n
	case action == "accept":
		values := make([]string, n)
		for i := range f.fields {
			values[i] = strings.TrimSpace(f.value(i))
			f.view.Fields[i].Fault = ""
		}
		actions, wrong, err := f.submit(values)
		if err != nil {
			f.view.At = wrong
			f.view.Fields[wrong].Fault = reason(err)
			return nil
		}
		c.pop()
		return c.act(actions)
	default:
		f.fields[f.view.At].key(k)
	}
	return nil
}

// value is what a field stands for.
func (f *form) value(i int) string {
	if i == f.editor && f.editing() {
		return f.edited
	}
	return f.fields[i].text()
}

// editing says whether the field stands for what $EDITOR left.
func (f *form) editing() bool {
	return f.edited != "" && f.fields[f.editor].text() == f.shown
}

func (f *form) paste(_ *Cockpit, text string) tea.Cmd {
	f.fields[f.view.At].insert(text)
	return nil
}

func (f *form) refresh(*Cockpit) tea.Cmd { return nil }

func (f *form) draw(c *Cockpit, base string) string {
	v := f.view
	v.Fields = append([]views.Field(nil), v.Fields...)
	for i := range v.Fields {
		v.Fields[i].Input = f.fields[i].view()
		if i == f.editor && f.editing() {
			v.Fields[i].Whole = f.edited
		}
	}
	return c.centred(base, v.Size(c.size), func(s views.Size) string { return v.Draw(s, c.look) })
}

// askDefer defers directives for a time, until an instant, or until others are
// done.
func (c *Cockpit) askDefer() tea.Cmd {
	ts := of(views.NounDirective, c.targets())
	f := &form{editor: -1}
	f.view = views.Form{Title: "Defer " + describe(ts), Says: deferSays(ts), Fields: []views.Field{
		{Label: "for", Hint: "e.g. 2h, 1d"},
		{Label: "until", Hint: "e.g. 2026-06-20T15:00:00Z"},
		{Label: "blocked by", Hint: "ids, e.g. 41,42"},
		{Label: "why", Hint: "for the record"},
	}}
	f.submit = func(v []string) ([]desk.Action, int, error) {
		var span time.Duration
		var until model.Time
		var err error
		if v[0] == "" && v[1] == "" && v[2] == "" {
			return nil, 0, model.Errorf(model.CodeInvalid, "say for how long, until when, or by what")
		}
		if v[0] != "" {
			if span, err = model.ParseDuration(v[0]); err != nil {
				return nil, 0, err
			}
		}
		if v[1] != "" {
			if until, err = model.ParseTime(v[1]); err != nil {
				return nil, 1, err
			}
			if v[0] != "" {
				return nil, 1, model.Errorf(model.CodeInvalid, "either for or until")
			}
		}
		var blocks []int64
		for _, part := range strings.FieldsFunc(v[2], func(r rune) bool { return r == ',' || r == ' ' || r == '#' }) {
			id, err := strconv.ParseInt(part, 10, 64)
			if err != nil || id < 1 {
				return nil, 2, model.Errorf(model.CodeInvalid, "%q is not an id", clean.Line(part))
			}
			blocks = append(blocks, id)
		}
		if err := c.opt.Place.Redactor.CheckText("the reason", v[3]); err != nil {
			return nil, 3, err
		}
		return c.actions(desk.VerbDefer, ts, func(a *desk.Action, _ target) {
			a.For, a.Until, a.Blocks, a.Why = span, until, blocks, v[3]
		}), 0, nil
	}
	c.openForm(f, "1h")
	return nil
}

func deferSays(ts []target) string {
	if taken(ts) > 0 {
		return "Whoever holds it loses the claim."
	}
	return ""
}

func describe(ts []target) string {
	if len(ts) == 1 {
		return ts[0].label
	}
	return plural(int64(len(ts)), "directive", "directives")
}

// askExtend extends leases.
func (c *Cockpit) askExtend() tea.Cmd {
	var ts []target
	for _, t := range c.targets() {
		if t.Noun == views.NounDirective && t.State == directive.StatusTaken || t.Noun == views.NounWork {
			ts = append(ts, t)
		}
	}
	f := &form{editor: -1}
	f.view = views.Form{
		Title: "Extend the lease of " + describe(ts), Says: "It then ends this long from now.",
		Fields: []views.Field{{Label: "for", Hint: "e.g. 30m, 2h"}},
	}
	f.submit = func(v []string) ([]desk.Action, int, error) {
		span, err := model.ParseDuration(v[0])
		if err != nil {
			return nil, 0, err
		}
		return c.actions(desk.VerbExtend, ts, func(a *desk.Action, t target) {
			a.For = span
			if t.Noun == views.NounWork {
				a.Verb = desk.VerbWorkExtend
			}
		}), 0, nil
	}
	c.openForm(f, "30m")
	return nil
}

// askPush pushes a new directive.
func (c *Cockpit) askPush() tea.Cmd {
	lane := directive.DefaultLane
	if t, ok := c.target(); ok {
		switch t.Noun {
		case views.NounLane:
			lane = t.Key
		case views.NounDirective:
			if d, ok := c.directive(t.Key); ok {
				lane = d.Lane
			}
		}
	}
	f := &form{editor: 0}
	f.view = views.Form{Title: "Push a directive", Fields: []views.Field{
		{Label: "body", Hint: "what is to be done"},
		{Label: "lane", Hint: "its name"},
		{Label: "priority", Hint: "P0, P1 or P2"},
		{Label: "parent", Hint: "an id, or nothing"},
	}}
	f.submit = func(v []string) ([]desk.Action, int, error) {
		if err := directive.CheckBody(v[0]); err != nil {
			return nil, 0, err
		}
		if err := c.opt.Place.Redactor.CheckText("the body", v[0]); err != nil {
			return nil, 0, err
		}
		if err := directive.CheckLane(v[1]); err != nil {
			return nil, 1, err
		}
		if err := c.opt.Place.Redactor.CheckText("the lane", v[1]); err != nil {
			return nil, 1, err
		}
		p, err := directive.ParsePriority(v[2])
		if err != nil {
			return nil, 2, err
		}
		var parent int64
		if v[3] != "" {
			if parent, err = directive.ParseKey(strings.TrimPrefix(v[3], "#")); err != nil {
				return nil, 3, err
			}
		}
		return []desk.Action{{
			Verb: desk.VerbPush, Body: v[0], Lane: v[1], Priority: p, Parent: parent,
		}}, 0, nil
	}
	c.openForm(f, "", lane, "P1", "")
	return nil
}

// edited takes what $EDITOR left behind.
func (c *Cockpit) edited(m editedMsg) tea.Cmd {
	if m.err != nil {
		c.say(views.Refused, m.err.Error())
		return nil
	}
	if n := len(c.overlays); n > 0 && !m.pager {
		if f, ok := c.overlays[n-1].(*form); ok && f.editor >= 0 {
			f.edited, f.shown = m.text, firstLine(m.text, 200)
			f.fields[f.editor].set(f.shown)
		}
	}
	return nil
}
