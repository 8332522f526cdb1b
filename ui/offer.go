package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/ui/screen"
	"binnacle/views"
)

// Offer shows that there is no workspace in dir and offers to make one with
// create. It says whether one was made.
func Offer(ctx context.Context, o RunOptions, dir string, create func() error) (bool, error) {
	term, err := open(o)
	if err != nil {
		return false, err
	}
	m := &offer{dir: dir, create: create, keys: o.Keys, look: views.Look{Theme: o.Theme, Glyphs: o.Glyphs, Now: model.WallClock()}}
	_, err = screen.Run(ctx, m, term, framesPerSecond)
	return m.made, ended(err)
}

// offer is the screen where there is no workspace.
type offer struct {
	dir    string
	create func() error
	keys   keymap.Map
	look   views.Look
	size   views.Size
	fault  string
	made   bool
	help   *keyHelp // what ? opened
}

func (o *offer) Init() tea.Cmd { return nil }

func (o *offer) View() string {
	frame := o.offered()
	if o.help == nil {
		return frame
	}
	at := views.Centre(o.size, bigBox(o.size))
	return views.Overlay(frame, o.size, o.help.view(o.keys).Draw(at.Size(), o.look), at)
}

func (o *offer) offered() string {
	return views.Offer{Dir: o.dir, Accept: o.keys.KeyOf("make"), Decline: o.keys.KeyOf("quit"), Help: o.keys.KeyOf("help"), Fault: o.fault}.Draw(o.size, o.look)
}

func (o *offer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		o.size = views.Size{W: m.Width, H: m.Height}
	case tea.KeyMsg:
		if m.Paste {
			return o, nil
		}
		if o.help != nil {
			a, _ := o.keys.Lookup(m.String(), keymap.List, keymap.Global)
			switch {
			case a.Name == "interrupt":
				return o, tea.Quit
			case o.help.key(a.Name, o.keys, bigBox(o.size), o.look):
				o.help = nil
			}
			return o, nil
		}
		a, _ := o.keys.Lookup(m.String(), keymap.Dialog, keymap.Global)
		switch a.Name {
		case "help":
			o.help = &keyHelp{}
		case "make":
			if err := o.create(); err != nil {
				o.fault = reason(err)
				return o, nil
			}
			o.made = true
			return o, tea.Quit
		case "quit", "dismiss", "interrupt":
			return o, tea.Quit
		}
	}
	return o, nil
}
