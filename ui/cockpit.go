package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/model/redact"
	"binnacle/themes"
	"binnacle/ui/overlay"
	"binnacle/ui/pane"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Options are what a Cockpit needs besides its desk.
type Options struct {
	Place  Place
	Keys   keymap.Map
	Theme  themes.Theme
	Themes []themes.Theme // what T goes through; Theme is one of them
	Glyphs themes.Glyphs
	Clock  model.Clock
	Zone   *time.Location // of clock times; nil is UTC
	Filter string         // what the stream starts with
	Term   Terminal
	Runner *runner                                            // runs commands of the program; nil where there are none
	Follow func(generation int, f filter.Filter, after int64) // starts the stream anew
}

// Place says what the cockpit is open on.
type Place struct {
	Workspace string // the project's folder, as it is shown
	ReadOnly  string // why changes are refused; "" when they are not
	CrashDir  string
	// Redactor finds secrets in what is typed, so that a form can refuse them
	// while it is open; nil finds none.
	Redactor *redact.Redactor
}

// Terminal is what the cockpit asks of the terminal beyond frames.
type Terminal interface {
	Copy(text string) error
	SetMouse(on bool)
	Redraw()
	Suspend() tea.Cmd
	// Edit gives the terminal to a program with the text in a file and returns
	// what the file holds after.
	Edit(text, name string, editor bool) tea.Cmd
}

// Cockpit is the root model: it hands messages to the panes and the overlays,
// keys to the one that has them, and what they want done to the desk. It is used
// by one goroutine at a time, the Bubble Tea loop's.
type Cockpit struct {
	desk  desk.Desk
	opt   Options
	look  canvas.Look
	size  canvas.Size
	dirty bool

	snap   desk.Snapshot
	have   bool // snap is one
	panes  *pane.Set
	events *pane.Events // one of panes
	needs  *pane.Needs  // one of panes

	over    overlay.Stack
	details *overlay.Reader
	history overlay.History

	deeds    map[string]deed
	acts     acts
	flash    flash
	mouse    bool
	quitting bool
	reopen   bool // … and the workspace is to be opened anew
}

// flash is a line that stands for a while in place of the keys.
type flash struct {
	views.Flash
	until model.Time
}

// flashFor is how long a flash stays.
const flashFor = 6 * time.Second

// flashRead is how long a flash stays whatever is pressed.
const flashRead = 2 * time.Second

// New makes a cockpit. Nothing runs before Init.
func New(d desk.Desk, o Options) *Cockpit {
	if o.Clock == nil {
		o.Clock = model.WallOnly(model.WallClock)
	}
	c := &Cockpit{
		desk: d, opt: o, mouse: true, dirty: true,
		look:    canvas.Look{Theme: o.Theme, Glyphs: o.Glyphs, Zone: o.Zone, Now: o.Clock.Now()},
		events:  pane.NewEvents(pane.Source{Page: d.Page, Follow: o.Follow}),
		needs:   &pane.Needs{},
		details: &overlay.Reader{From: d.Detail},
		acts:    acts{desk: d, key: o.Keys.KeyOf("undo")},
		deeds:   deeds(),
	}
	c.over.On = overlay.Screen{Look: &c.look, Keys: o.Keys}
	c.panes = pane.NewSet(&c.look, c.events, &pane.Planes{}, &pane.Lanes{}, &pane.Leases{}, &pane.Fleet{}, c.needs)
	if f, err := filter.Parse(o.Filter, o.Clock.Now()); err == nil {
		c.events.SetFilter(f, o.Filter)
	}
	return c
}

// Init begins nothing: the stream begins with the first snapshot.
func (c *Cockpit) Init() tea.Cmd { return nil }

// Dirty says whether something visible changed since it was last asked.
func (c *Cockpit) Dirty() bool {
	d := c.dirty
	c.dirty = false
	return d
}

// Update takes one message. It never waits: what touches the desk is a
// command.
func (c *Cockpit) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c.look.Clocks = c.opt.Clock()
	c.look.Now = c.look.Clocks.Wall
	c.dirty = true
	cmd := c.update(msg)
	if c.quitting {
		return c, tea.Quit
	}
	return c, cmd
}

func (c *Cockpit) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		c.size = canvas.Size{W: m.Width, H: m.Height}
		c.panes.Resize(c.size)
		c.over.On.Size = c.size
	case tea.KeyMsg:
		return c.key(m)
	case tea.MouseMsg:
		return c.mouseEvent(m)
	case snapshotMsg:
		return c.snapshot(m.snapshot)
	case linkMsg:
		return c.linked(m)
	case outcomeMsg:
		c.say(c.acts.ended(m))
	case textMsg:
		return c.texted(m)
	case views.Flash:
		c.say(m)
	case tickMsg:
	default:
		return tea.Batch(c.panes.Update(msg), c.over.Update(msg))
	}
	return nil
}

// snapshot takes a new instant.
func (c *Cockpit) snapshot(s desk.Snapshot) tea.Cmd {
	replaced := c.have && s.Epoch != c.snap.Epoch
	c.snap, c.have = s, true
	gone, read := c.panes.Show(s)
	if gone > 0 {
		c.say(views.Flash{Text: record.Plural(int64(gone), "marked row is gone", "marked rows are gone")})
	}
	if replaced {
		// Another ledger: what was done and shown was of the former.
		c.acts.undo = nil
		c.say(views.Flash{Text: "the ledger was restored from a backup; this is the restored one", Level: views.Noticed})
	}
	return tea.Batch(c.over.Update(&c.snap), read)
}

// say shows a line for a while.
func (c *Cockpit) say(f views.Flash) { c.flash = flash{f, c.look.Now.Add(flashFor)} }

func (c *Cockpit) refuse(why string) { c.say(views.Flash{Text: why, Level: views.Refused}) }

// background is the context of what commands do; commands end with the
// program, which does not wait for them.
func background() context.Context { return context.Background() }
