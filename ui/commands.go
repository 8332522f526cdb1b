package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/views"
)

// commands lists the program's commands for the palette.
func (c *Cockpit) commands() []Command {
	r := c.opt.Runner
	if r == nil || r.program.Path == "" || r.program.Commands == nil {
		return nil
	}
	if c.listed == nil {
		c.listed = r.program.Commands()
	}
	return c.listed
}

// name is how the palette calls the command.
func (m Command) name() string { return strings.Join(m.Words, " ") }

// choose runs the command, after asking for arguments where it takes any.
func (c *Cockpit) choose(m Command) tea.Cmd {
	if m.Takes == "" && len(m.Flags) == 0 {
		return c.runCommand(m, nil)
	}
	a := &arguments{of: m, field: newField("")}
	a.view = views.Form{
		Title: "binnacle " + m.name(), Says: m.Help,
		Fields: []views.Field{{Label: "arguments"}},
		Hint:   strings.TrimSpace("It takes "+strings.TrimSpace(m.Takes+" "+strings.Join(m.Flags, " "))) + ". enter runs it, esc leaves.",
	}
	c.push(a)
	return nil
}

// check says why the arguments can't be run.
func (m Command) check(args []string) error {
	if m.Needs && len(args) == 0 {
		return model.Errorf(model.CodeUsage, "it needs %s", m.Takes)
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(m.Endless, name) {
			return model.Errorf(model.CodeUsage, "with %s it does not end by itself; run it in a shell", name)
		}
	}
	return nil
}

// arguments is the line of input for a command's arguments.
type arguments struct {
	of    Command
	view  views.Form
	field field
}

func (*arguments) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Input} }

func (a *arguments) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	switch action {
	case "cancel":
		c.pop()
	case "accept":
		args, err := splitWords(a.field.text())
		if err == nil {
			err = a.of.check(args)
		}
		if err != nil {
			a.view.Fields[0].Fault = reason(err)
			return nil
		}
		c.pop()
		return c.runCommand(a.of, args)
	case "":
		a.field.key(k)
	}
	return nil
}

func (a *arguments) paste(_ *Cockpit, text string) tea.Cmd {
	a.field.insert(text)
	return nil
}

func (*arguments) refresh(*Cockpit) tea.Cmd { return nil }

func (a *arguments) draw(c *Cockpit, base string) string {
	a.view.Fields[0].Input = a.field.view()
	return c.centred(base, a.view.Size(c.size), func(s views.Size) string { return a.view.Draw(s, c.look) })
}

// ranMsg is how a command ended.
type ranMsg struct {
	ticket      int
	text, fault string
}

// output shows what a command wrote.
type output struct {
	quiet
	title  string
	ticket int
	stop   context.CancelFunc
	done   bool
	text   string
	fault  string
	doc    views.Document
	width  int
	top    int
}

// runCommand runs a command in the background and opens what it writes.
func (c *Cockpit) runCommand(m Command, args []string) tea.Cmd {
	c.ticket++
	ctx, stop := context.WithCancel(background())
	o := &output{title: "binnacle " + strings.Join(append(slices.Clone(m.Words), args...), " "), ticket: c.ticket, stop: stop}
	c.push(o)
	r, all, ticket := c.opt.Runner, append(slices.Clone(m.Words), args...), c.ticket
	return func() tea.Msg {
		defer stop()
		text, fault := r.run(ctx, all)
		return ranMsg{ticket: ticket, text: text, fault: fault}
	}
}

// ran takes what a command wrote, if it is still waited for.
func (c *Cockpit) ran(m ranMsg) {
	for _, o := range c.overlays {
		if o, ok := o.(*output); ok && o.ticket == m.ticket {
			o.done, o.text, o.fault, o.width = true, m.text, m.fault, 0
		}
	}
}

func (*output) scopes(*Cockpit) []keymap.Scope {
	return []keymap.Scope{keymap.List, keymap.Global}
}

func (o *output) key(c *Cockpit, _ tea.KeyMsg, action string) tea.Cmd {
	switch action {
	case "back", "quit":
		if !o.done {
			c.say(views.Noticed, o.title+" was told to stop")
		}
		o.stop()
		c.pop()
	case "up", "down", "page-up", "page-down", "top", "bottom":
		o.top = scrolled(o.top, action, o.doc.Height(), c.bigBox())
	case "":
	default:
		c.say(views.Noticed, "close the output first (esc)")
	}
	return nil
}

func (o *output) draw(c *Cockpit, base string) string {
	return c.centred(base, c.bigBox(), func(s views.Size) string {
		if !o.done {
			v := views.Dialog{Title: o.title, Says: []string{"It runs. esc stops it."}}
			return v.Draw(s, c.look)
		}
		if o.width != s.W {
			o.doc, o.width = views.LayText(o.title, o.text, s.W, c.look), s.W
		}
		return o.doc.Draw(views.Chrome{Focus: c.uppermost(o), Fault: o.fault}, o.top, s, c.look)
	})
}
