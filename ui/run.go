package ui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/themes"
	"binnacle/ui/screen"
)

// RunOptions are what the cockpit is run with.
type RunOptions struct {
	Desk   desk.Desk
	Guard  *screen.Guard
	Place  Place
	Keys   keymap.Map
	Theme  themes.Theme
	Themes []themes.Theme
	Glyphs themes.Glyphs
	Clock  model.Clock
	Zone   *time.Location
	Filter string
	Mouse  bool
	// EscDelay is how long a lone ESC waits; 0 is screen's default.
	EscDelay time.Duration
	Getenv   func(string) string
	Environ  func() []string
	Program  Program // whose commands the palette offers
	// Drawn is told how long each frame took to build; nobody is when it is nil.
	Drawn func(took time.Duration)
}

// framesPerSecond bounds what comes from the engines; keys are drawn at once.
const framesPerSecond = 30

// Run shows the cockpit until the operator leaves, the terminal is lost, a
// signal comes or something panics. The terminal is as it was before when it
// returns.
func Run(ctx context.Context, o RunOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	term, err := open(o)
	if err != nil {
		return err
	}
	commands := newRunner(ctx, o.Program)
	l := &link{ctx: ctx, out: make(chan tea.Msg), drawn: o.Drawn}
	p := newPump(o.Desk, l.send, o.Guard.Go)
	c := New(o.Desk, Options{
		Place: o.Place, Keys: o.Keys, Theme: o.Theme, Themes: o.Themes, Glyphs: o.Glyphs, Clock: o.Clock, Zone: o.Zone,
		Filter: o.Filter, Term: &terminal{term: term, getenv: o.Getenv, environ: o.Environ, fallback: o.Place.CrashDir},
		Runner: commands,
		Follow: func(generation int, f filter.Filter, after int64) { p.follow(ctx, generation, f, after) },
	})
	c.mouse = o.Mouse
	l.model = c
	l.begin = func() { p.start(ctx) }
	_, err = screen.Run(ctx, l, term, framesPerSecond)
	cancel()
	commands.wait()
	if err == nil && c.reopen {
		return ErrReopen
	}
	return ended(err)
}

// ErrReopen is how Run ends when the operator wants the workspace opened anew,
// because it is not where it was any more.
var ErrReopen = errors.New("the workspace is to be opened anew")

// open takes the terminal.
func open(o RunOptions) (*screen.Terminal, error) {
	term, err := screen.Open(screen.Options{
		Mouse: o.Mouse, Paste: true, Env: o.Getenv, Guard: o.Guard, Signals: true, EscDelay: o.EscDelay,
	})
	if err != nil {
		return nil, model.Errorf(model.CodeUsage, "the cockpit can't be drawn here: %w", err).
			WithHint("--plain prints JSON lines instead")
	}
	return term, nil
}

// ended is how a run ended, for whoever called it: a signal or a terminal that
// went away is no failure of the program's.
func ended(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, screen.ErrLost):
		return nil
	}
	return err
}

// link stands between the runner and the cockpit: it gives the pump a way to
// send once the program runs, and keeps one timer for what changes with time.
type link struct {
	ctx   context.Context // of the run
	model *Cockpit
	begin func()
	out   chan tea.Msg // from the pump; without a buffer, so that it waits for us
	drawn func(took time.Duration)
	tick  ticker
}

// pumped is a message of the pump's.
type pumped struct{ msg tea.Msg }

// Init begins the pump and the reading of what it sends.
func (l *link) Init() tea.Cmd {
	l.begin()
	return tea.Batch(l.model.Init(), l.receive)
}

// send hands a message to the program and waits until it is taken, or until the
// run ends.
func (l *link) send(msg tea.Msg) {
	select {
	case l.out <- msg:
	case <-l.ctx.Done():
	}
}

// receive is the command that takes the pump's next message.
func (l *link) receive() tea.Msg {
	select {
	case m := <-l.out:
		return pumped{m}
	case <-l.ctx.Done():
		return nil
	}
}

// Dirty says whether a frame must be drawn.
func (l *link) Dirty() bool { return l.model.Dirty() }

// View draws the frame.
func (l *link) View() string {
	if l.drawn == nil {
		return l.model.View()
	}
	from := time.Now()
	text := l.model.View()
	l.drawn(time.Since(from))
	return text
}

// Update hands a message on and sees to it that the next change by time is not
// missed.
func (l *link) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if t, ok := msg.(tickMsg); ok && !l.tick.due(t) {
		return l, nil
	}
	var more tea.Cmd
	if p, ok := msg.(pumped); ok {
		msg, more = p.msg, l.receive
	}
	_, cmd := l.model.Update(msg)
	return l, tea.Batch(cmd, more, l.tick.next(l.model.NextTick()))
}

// tickMsg comes when something visible may have changed with time.
type tickMsg struct{ id int }

// ticker keeps at most one timer that matters: a sooner one makes the others
// void.
type ticker struct {
	id int
	at time.Time // when the timer that matters goes off; zero: none is set
}

// due says whether the tick is of the timer that matters.
func (t *ticker) due(m tickMsg) bool {
	if m.id != t.id {
		return false
	}
	t.at = time.Time{}
	return true
}

// slack is how much later than wanted a tick may come without a new timer.
const slack = 20 * time.Millisecond

// next sets a timer unless one goes off soon enough.
func (t *ticker) next(d time.Duration) tea.Cmd {
	at := time.Now().Add(d)
	if !t.at.IsZero() && !t.at.After(at.Add(slack)) {
		return nil
	}
	t.id++
	t.at = at
	id := t.id
	return tea.Tick(d, func(time.Time) tea.Msg { return tickMsg{id: id} })
}
