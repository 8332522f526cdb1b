package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/ui/overlay"
	"binnacle/ui/screen"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// Offer shows that there is no workspace in dir and offers to make one with
// create. It says whether one was made.
func Offer(ctx context.Context, o RunOptions, dir string, create func() error) (bool, error) {
	term, err := open(o)
	if err != nil {
		return false, err
	}
	m := &offer{dir: dir, create: create, keys: o.Keys, look: canvas.Look{Theme: o.Theme, Glyphs: o.Glyphs, Now: model.WallClock()}}
	_, err = screen.Run(ctx, m, term, framesPerSecond)
	return m.made, ended(err)
}

// offer is the screen where there is no workspace.
type offer struct {
	dir    string
	create func() error
	keys   keymap.Map
	look   canvas.Look
	size   canvas.Size
	fault  string
	made   bool
	help   *overlay.Help // what ? opened
}

func (o *offer) Init() tea.Cmd { return nil }

func (o *offer) View() string {
	frame := o.offered()
	if o.help == nil {
		return frame
	}
	at := o.help.Place(o.screen())
	return canvas.Overlay(frame, o.size, o.help.Draw(at.Size(), o.screen()), at)
}

// screen is what the help stands on.
func (o *offer) screen() *overlay.Screen {
	return &overlay.Screen{Size: o.size, Look: &o.look, Keys: o.keys, Top: true}
}

func (o *offer) offered() string {
	return dialog.Offer{Dir: o.dir, Accept: o.keys.KeyOf("make"), Decline: o.keys.KeyOf("quit"), Help: o.keys.KeyOf("help"), Fault: o.fault}.Draw(o.size, o.look)
}

func (o *offer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		o.size = canvas.Size{W: m.Width, H: m.Height}
	case tea.KeyMsg:
		if m.Paste {
			return o, nil
		}
		if o.help != nil {
			a, _ := o.keys.Lookup(m.String(), o.help.Scopes()...)
			switch {
			case a.Name == "interrupt":
				return o, tea.Quit
			case o.help.Key(m, a.Name, o.screen()).Close:
				o.help = nil
			}
			return o, nil
		}
		a, _ := o.keys.Lookup(m.String(), keymap.Dialog, keymap.Global)
		switch a.Name {
		case "help":
			o.help = &overlay.Help{}
		case "make":
			if err := o.create(); err != nil {
				o.fault = overlay.Reason(err)
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
