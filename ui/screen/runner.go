package screen

import (
	"context"
	"errors"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Dirtier is a model that knows whether its last update changed what it shows.
// Without it every update counts as a change.
type Dirtier interface{ Dirty() bool }

// soonest is the shortest time between two frames: what is typed shows within
// it.
const soonest = 16 * time.Millisecond

// Run runs a model on a terminal until it quits, ctx ends, the terminal is
// lost, or something panics. The terminal is closed when it returns.
//
// The model's View is called when a frame is drawn, not after every message: at
// most once in 16 ms for what comes from the terminal and fps times a second
// for the rest (0 means 60), at once when the last frame is older, and not at
// all when nothing changed. Frames are written by a goroutine of their own, so
// that updates never wait for the terminal: one at a time, the newest one once
// the terminal has taken the last, what a key did before the rest of the screen.
//
// A tea.SuspendMsg suspends the program. Other messages with which Bubble Tea
// would control a terminal (tea.Exec and the mode commands) do nothing here: the
// Terminal has methods for them. Batches and sequences work as they do there.
//
// The error is nil after a quit, a *Crash after a panic, the ClosedMsg's when
// the terminal was lost or a signal came, and the context's when that ended.
func Run(ctx context.Context, model tea.Model, term *Terminal, fps int) (tea.Model, error) {
	defer term.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	guard := term.guard
	r := &runner{
		inner: model, guard: guard, now: time.Now, frames: make(chan frame, 1),
		pace: pace{every: perFrame(fps)},
	}
	p := tea.NewProgram(
		r,
		tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if _, ok := msg.(tea.SuspendMsg); ok {
				guard.Go("suspend", func() { _ = term.Suspend() })
				return nil
			}
			return msg
		}),
	)
	r.send = p.Send
	guard.Go("paint", func() { r.paint(ctx, term) })
	guard.Go("terminal messages", func() { term.Run(ctx, p.Send) })

	done := make(chan error, 1)
	guard.Go("program", func() {
		_, err := p.Run()
		done <- err
	})
	var err error
	select {
	case err = <-done:
	case <-guard.Crashed():
		// The loop may be what panicked, or may hang: it is not waited for.
		p.Kill()
	}
	if crash := guard.Err(); crash != nil {
		return model, crash
	}
	switch {
	case r.lost != nil:
		return r.inner, r.lost
	case context.Cause(ctx) != nil && errors.Is(err, tea.ErrProgramKilled):
		return r.inner, context.Cause(ctx)
	default:
		return r.inner, err
	}
}

// perFrame returns the time between two frames at so many a second.
func perFrame(fps int) time.Duration {
	if fps <= 0 {
		fps = 60
	}
	return max(time.Second/time.Duration(fps), soonest)
}

// frameMsg says that a frame put off is due.
type frameMsg struct{}

// runner is the model that Bubble Tea sees. Only the program's goroutine
// touches it, but for frames.
type runner struct {
	inner  tea.Model
	guard  *Guard
	now    func() time.Time
	send   func(tea.Msg)
	frames chan frame
	pace   pace

	sized bool
	dirty bool
	keyed bool   // what is to be drawn comes from a key or the mouse
	last  string // the frame drawn last
	timer *time.Timer
	due   time.Time // when the timer goes off; zero while it is not set
	lost  error
}

// Init starts the model.
func (r *runner) Init() (cmd tea.Cmd) {
	defer r.guard.Recover("init")
	return r.guard.Cmd(r.inner.Init())
}

// View is not where frames come from.
func (r *runner) View() string { return "" }

// Update passes a message on and draws, now or later.
func (r *runner) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model, cmd = r, tea.Quit // after a panic
	defer r.guard.Recover("update")
	urgent, typed := false, false
	switch msg := msg.(type) {
	case frameMsg:
		r.due = time.Time{}
		r.draw(true)
		return r, nil
	case ResumedMsg, tea.WindowSizeMsg:
		r.dirty, urgent = true, true
		if _, ok := msg.(tea.WindowSizeMsg); ok {
			r.sized = true
		}
	case ClosedMsg:
		r.lost = msg.Err
	case tea.KeyMsg, tea.MouseMsg:
		urgent, typed = true, true
	}
	inner, next := r.inner.Update(msg)
	r.inner = inner
	if d, ok := inner.(Dirtier); !ok || d.Dirty() {
		r.dirty = true
	}
	r.keyed = r.keyed || typed && r.dirty
	next = r.guard.Cmd(next)
	if r.lost != nil {
		return r, tea.Batch(next, tea.Quit)
	}
	r.draw(urgent)
	return r, next
}

// draw makes a frame if there is something new to show and it is time, or sees
// to it that it is made when it is.
func (r *runner) draw(urgent bool) {
	if !r.dirty || !r.sized {
		return
	}
	now := r.now()
	wait := r.pace.wait(now, urgent)
	if wait > 0 {
		r.wake(now, wait)
		return
	}
	r.pace.last = now
	next := frame{text: r.inner.View()}
	if r.keyed {
		next.first = changedLines(r.last, next.text)
	}
	r.dirty, r.keyed, r.last = false, false, next.text
	r.offer(next)
}

// wake has a frameMsg sent after a while, unless one is due before that.
func (r *runner) wake(now time.Time, wait time.Duration) {
	at := now.Add(wait)
	if !r.due.IsZero() && !at.Before(r.due) {
		return
	}
	if r.timer != nil {
		r.timer.Stop()
	}
	r.due = at
	r.timer = time.AfterFunc(wait, func() {
		defer r.guard.Recover("frame timer")
		r.send(frameMsg{})
	})
}

// pace says how long a frame has to wait.
type pace struct {
	every time.Duration
	last  time.Time
}

// wait returns how long it is until the next frame may be drawn, 0 when that is
// now. Urgent frames show what was typed. A clock that was set back delays
// nothing.
func (p *pace) wait(now time.Time, urgent bool) time.Duration {
	gap := p.every
	if urgent {
		gap = min(gap, soonest)
	}
	since := now.Sub(p.last)
	if p.last.IsZero() || since < 0 || since >= gap {
		return 0
	}
	return gap - since
}
