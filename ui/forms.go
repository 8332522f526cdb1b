package ui

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/model/redact"
	"binnacle/ui/overlay"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/dialog"
)

// form asks for what acts need to know.
type form struct {
	view   dialog.Form
	values []string // what stands in the fields
	long   bool     // the first field is for $EDITOR, too
	// acts makes acts of the values; the int is the field that is wrong.
	acts func(values []string) ([]act, int, error)
}

// fill opens a form, and does its acts when it is filled in.
func (c *Cockpit) fill(f form) tea.Cmd {
	var long *overlay.LongText
	if f.long {
		long = &overlay.LongText{Key: c.opt.Keys.KeyOf("editor"), Edit: func(text string) tea.Cmd {
			return c.opt.Term.Edit(text, "directive.txt", true)
		}}
	}
	c.over.Push(overlay.NewForm(f.view, f.values, long, func(values []string) (func() tea.Cmd, int, error) {
		for i, v := range values {
			values[i] = strings.TrimSpace(v)
		}
		all, wrong, err := f.acts(values)
		return func() tea.Cmd { return c.do(all) }, wrong, err
	}))
	return nil
}

// deferring defers directives for a time, until an instant, or until others are
// done.
func deferring(ts []record.Target, secrets *redact.Redactor) form {
	f := form{values: []string{"1h"}, view: dialog.Form{Title: "Defer " + describe(ts), Fields: []dialog.Field{
		{Label: "for", Hint: "e.g. 2h, 1d"},
		{Label: "until", Hint: "e.g. 2026-06-20T15:00:00Z"},
		{Label: "blocked by", Hint: "ids, e.g. 41,42"},
		{Label: "why", Hint: "for the record"},
	}}}
	if record.Taken(ts) > 0 {
		f.view.Says = "Whoever holds it loses the claim."
	}
	f.acts = func(v []string) ([]act, int, error) {
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
		if err := secrets.CheckText("the reason", v[3]); err != nil {
			return nil, 3, err
		}
		return actsOn(desk.VerbDefer, ts, func(a *act) {
			a.For, a.Until, a.Blocks, a.Why = span, until, blocks, v[3]
		}), 0, nil
	}
	return f
}

func describe(ts []record.Target) string {
	if len(ts) == 1 {
		return ts[0].Label
	}
	return record.Plural(int64(len(ts)), "directive", "directives")
}

// extending extends the leases among the targets.
func extending(all []record.Target) form {
	var ts []record.Target
	for _, t := range all {
		if t.Noun == views.NounDirective && t.State == directive.StatusTaken || t.Noun == views.NounWork {
			ts = append(ts, t)
		}
	}
	f := form{values: []string{"30m"}, view: dialog.Form{
		Title: "Extend the lease of " + describe(ts), Says: "It then ends this long from now.",
		Fields: []dialog.Field{{Label: "for", Hint: "e.g. 30m, 2h"}},
	}}
	f.acts = func(v []string) ([]act, int, error) {
		span, err := model.ParseDuration(v[0])
		if err != nil {
			return nil, 0, err
		}
		return actsOn(desk.VerbExtend, ts, func(a *act) {
			a.For = span
			if a.on.Noun == views.NounWork {
				a.Verb = desk.VerbWorkExtend
			}
		}), 0, nil
	}
	return f
}

// pushing pushes a new directive.
func pushing(lane string, secrets *redact.Redactor) form {
	f := form{values: []string{"", lane, "P1", ""}, long: true, view: dialog.Form{Title: "Push a directive", Fields: []dialog.Field{
		{Label: "body", Hint: "what is to be done"},
		{Label: "lane", Hint: "its name"},
		{Label: "priority", Hint: "P0, P1 or P2"},
		{Label: "parent", Hint: "an id, or nothing"},
	}}}
	f.acts = func(v []string) ([]act, int, error) {
		if err := directive.CheckBody(v[0]); err != nil {
			return nil, 0, err
		}
		if err := secrets.CheckText("the body", v[0]); err != nil {
			return nil, 0, err
		}
		if err := directive.CheckLane(v[1]); err != nil {
			return nil, 1, err
		}
		if err := secrets.CheckText("the lane", v[1]); err != nil {
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
		return []act{{Action: desk.Action{Verb: desk.VerbPush, Body: v[0], Lane: v[1], Priority: p, Parent: parent}}}, 0, nil
	}
	return f
}

// laneOf is the lane of the row under the cursor, else the default one.
func laneOf(c *Cockpit) string {
	t, _ := c.panes.Target()
	switch t.Noun {
	case views.NounLane:
		return t.Key
	case views.NounDirective:
		if d, ok := record.Directive(&c.snap, t.Key); ok {
			return d.Lane
		}
	}
	return directive.DefaultLane
}
