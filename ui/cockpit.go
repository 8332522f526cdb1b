package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/themes"
	"binnacle/views"
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

// Cockpit is the root model. It is used by one goroutine at a time, the Bubble
// Tea loop's.
type Cockpit struct {
	desk   desk.Desk
	opt    Options
	look   views.Look
	size   views.Size
	layout views.Layout
	dirty  bool

	snap    desk.Snapshot
	have    bool // snap is one
	focus   views.Pane
	zoom    bool
	mouse   bool
	stream  stream
	events  list[int64]
	eventID []int64 // reused
	planes  rows
	lanes   rows
	leases  rows
	needs   rows
	fleet   rows
	open    map[string]bool // opened lanes

	filter     filter.Filter
	filterText string
	history    []string // filters, the newest last
	generation int      // of the stream: a page or an event of an older one is not ours

	overlays []overlay // the last one takes the keys
	ticket   int       // of the newest detail that was asked for
	flash    flash
	undo     []undoStep
	deeds    map[string]deed
	listed   []Command // the program's, once the palette was open
	quitting bool
	reopen   bool   // … and the workspace is to be opened anew
	fault    string // why the stream ended
}

// flash is a line that stands for a while in place of the keys.
type flash struct {
	text  string
	level views.Level
	until model.Time
}

// openLanes is how many lanes are opened without being asked.
const openLanes = 8

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
		desk: d, opt: o, focus: views.PaneEvents, mouse: true, dirty: true,
		look: views.Look{Theme: o.Theme, Glyphs: o.Glyphs, Zone: o.Zone, Now: o.Clock.Now()},
		open: map[string]bool{}, deeds: deeds(),
	}
	c.stream = newStream()
	if f, err := filter.Parse(o.Filter, o.Clock.Now()); err == nil {
		c.filter, c.filterText = f, o.Filter
	}
	return c
}

// Init begins the stream.
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
		c.resize(m.Width, m.Height)
	case tea.KeyMsg:
		return c.key(m)
	case tea.MouseMsg:
		return c.mouseEvent(m)
	case snapshotMsg:
		return c.snapshot(m.snapshot)
	case eventsMsg:
		if m.generation == c.generation {
			c.stream.arrive(m.events, m.gap)
			c.settleEvents()
		}
	case pageMsg:
		return c.paged(m)
	case detailMsg:
		return c.detailed(m)
	case ranMsg:
		c.ran(m)
	case linkMsg:
		return c.linked(m)
	case outcomeMsg:
		return c.outcome(m)
	case editedMsg:
		return c.edited(m)
	case valuesMsg:
		c.known(m)
	case textMsg:
		return c.texted(m)
	case streamFailedMsg:
		if m.generation == c.generation {
			c.fault = m.err.Error()
		}
	case flashMsg:
		c.say(m.level, m.text)
	case tickMsg:
	}
	return nil
}

// snapshot takes a new instant.
func (c *Cockpit) snapshot(s desk.Snapshot) tea.Cmd {
	first := !c.have
	replaced := c.have && s.Epoch != c.snap.Epoch
	c.snap, c.have = s, true
	for _, l := range s.Lanes {
		// A lane that is new is open, as long as lanes are few.
		if _, seen := c.open[l.Name]; !seen {
			c.open[l.Name] = len(c.open) < openLanes
		}
	}
	gone := c.refill()
	c.arrange() // how many signals have room depends on the counts
	if gone > 0 {
		c.say(views.Said, plural(int64(gone), "marked row is gone", "marked rows are gone"))
	}
	cmds := make([]tea.Cmd, 0, len(c.overlays)+1)
	for _, o := range c.overlays {
		cmds = append(cmds, o.refresh(c))
	}
	if replaced {
		// Another ledger: what was done and shown was of the former.
		c.undo = nil
		c.stream.follow = true
		c.say(views.Noticed, "the ledger was restored from a backup; this is the restored one")
	}
	if first || replaced {
		cmds = append(cmds, c.restream())
	}
	return tea.Batch(cmds...)
}

// restream begins the stream anew under the filter: the newest page, and what
// comes after it.
func (c *Cockpit) restream() tea.Cmd {
	c.generation++
	c.stream = newStream()
	c.events = list[int64]{height: c.events.height}
	c.fault = ""
	head := c.snap.Head.Seq
	c.stream.seen, c.stream.high = head, head
	if c.opt.Follow != nil {
		c.opt.Follow(c.generation, c.filter, head)
	}
	if head == 0 {
		c.stream.atStart = true
		return nil
	}
	return c.loadOlder(head + 1)
}

func (c *Cockpit) resize(w, h int) {
	c.size = views.Size{W: w, H: h}
	c.arrange()
}

// say shows a line for a while.
func (c *Cockpit) say(l views.Level, text string) {
	c.flash = flash{text: text, level: l, until: c.look.Now.Add(flashFor)}
}

// background is the context of what commands do; commands end with the
// program, which does not wait for them.
func background() context.Context { return context.Background() }
