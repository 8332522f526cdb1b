package screen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/encoding"
	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// Options says how a terminal is opened. The zero value is the controlling
// terminal, with neither mouse nor paste nor focus reports.
type Options struct {
	// Mouse asks for clicks, wheels and drags. Motion without a button is never
	// reported.
	Mouse bool
	// Paste asks for pastes to be marked as such. They arrive as one message.
	Paste bool
	// Focus asks to be told when the terminal's window gets or loses the focus.
	Focus bool
	// Tty is the terminal; nil is /dev/tty.
	Tty tcell.Tty
	// Env looks up environment variables; nil is os.Getenv.
	Env func(string) string
	// Caps is what the terminal can do; nil derives it from Env.
	Caps *Caps
	// Guard starts the goroutines; nil makes one that prints traces.
	Guard *Guard
	// Signals: SIGHUP, SIGTERM and SIGINT arrive as a ClosedMsg, and after a stop
	// from outside SIGCONT takes the terminal anew.
	Signals bool
	// EscDelay is how long a lone ESC waits for what may follow; 0 is EscDelay,
	// or EscDelayRemote over ssh.
	EscDelay time.Duration
}

// Errors of a terminal.
var (
	// ErrClosed is what a call on a closed terminal returns.
	ErrClosed = errors.New("the terminal is closed")
	// ErrLost says that the terminal has gone: its window was closed, or the
	// connection to it broke.
	ErrLost = errors.New("the terminal has gone")
	// ErrTooLarge is what Copy returns for a text that terminals drop.
	ErrTooLarge = errors.New("the text is too large for the terminal's clipboard")
	// ErrNotTerminal says that there is no terminal to draw on.
	ErrNotTerminal = errors.New("not a terminal that can be drawn on; use --plain")
)

// ClosedMsg says that the terminal is lost, or that a signal asks the program
// to end. It is sent once; the program ends after it.
type ClosedMsg struct{ Err error }

// ResumedMsg says that the terminal is ours again, after a suspension or after
// another program had it. Everything has to be drawn.
type ResumedMsg struct{}

// Terminal is a terminal taken over for full-screen drawing. Its methods may be
// called from any goroutine.
type Terminal struct {
	tty    *mutedTty
	screen tcell.Screen
	guard  *Guard
	env    func(string) string
	inbox  *inbox
	input  *input
	line   *line
	now    func() time.Time

	closed   sync.Once
	finished chan struct{} // closed when tcell has let go
	polled   chan struct{} // closed when the event loop has ended
	lost     sync.Once

	// stopped: the next SIGCONT ends a stop of our own.
	stopped atomic.Bool

	mode sync.Mutex // held while the terminal is taken, given back or its modes change

	mu      sync.Mutex
	painter *Painter
	w, h    int
	state   state
}

// state is who has the terminal.
type state uint8

const (
	ours     state = iota
	released       // given back for a while
	gone           // closed
)

// Open takes over a terminal: alternate screen, raw mode, cursor hidden. It
// must be closed.
func Open(o Options) (*Terminal, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Guard == nil {
		o.Guard = NewGuard("", os.Stderr, time.Now)
	}
	ti, err := lookup(o.Env("TERM"))
	if err != nil {
		return nil, err
	}
	inner := o.Tty
	if inner == nil {
		if inner, err = tcell.NewDevTty(); err != nil {
			return nil, fmt.Errorf("%w (%w)", ErrNotTerminal, err)
		}
	}
	// Input is UTF-8 whatever the locale is called: where it says "C", someone
	// forgot to set it, and typed text should not turn into question marks.
	tcell.RegisterEncoding("US-ASCII", encoding.UTF8)
	tcell.SetEncodingFallback(tcell.EncodingFallbackUTF8)

	t := &Terminal{
		tty: &mutedTty{Tty: inner}, guard: o.Guard, env: o.Env, inbox: newInbox(), line: newLine(), now: time.Now,
		finished: make(chan struct{}), polled: make(chan struct{}),
	}
	t.tty.resized = t.resized
	t.input = newInput(escDelay(o.EscDelay, o.Env), t.inbox.put, t.receipt, func() { o.Guard.Recover("escape timer") })
	t.tty.read = t.take
	caps := DetectCaps(o.Env)
	if o.Caps != nil {
		caps = *o.Caps
	}
	t.painter = NewPainter(caps)
	if t.screen, err = tcell.NewTerminfoScreenFromTtyTerminfo(t.tty, ti); err != nil {
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	if err := t.screen.Init(); err != nil {
		_ = inner.Close()
		return nil, fmt.Errorf("take over the terminal: %w", err)
	}
	if o.Mouse {
		t.screen.EnableMouse(mouseEvents)
	}
	if o.Paste {
		t.screen.EnablePaste()
	}
	if o.Focus {
		t.screen.EnableFocus()
	}
	t.tty.mute(true)
	t.resized()
	o.Guard.OnCrash(t.Close)
	o.Guard.Go("terminal input", t.poll)
	if o.Signals {
		t.watchSignals()
	}
	return t, nil
}

const mouseEvents = tcell.MouseButtonEvents | tcell.MouseDragEvents

// lookup finds the description of a terminal by its name. A name that this
// machine does not know is taken for an xterm, which nearly all of them follow.
func lookup(term string) (*terminfo.Terminfo, error) {
	if term == "" || term == "dumb" {
		return nil, fmt.Errorf("%w (TERM is %q)", ErrNotTerminal, term)
	}
	ti, err := tcell.LookupTerminfo(term)
	if err != nil {
		ti, err = tcell.LookupTerminfo("xterm-256color")
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNotTerminal, err)
	}
	return ti, nil
}

// poll takes tcell's events until tcell has let go: sizes are known already, so
// only the end of the input counts. It goes on
// after the screen is finished, for tcell waits for its queue to be emptied.
func (t *Terminal) poll() {
	defer close(t.polled)
	for {
		switch ev := t.screen.PollEvent().(type) {
		case nil:
			select {
			case <-t.finished:
				return
			case <-time.After(time.Millisecond):
			}
		case *tcell.EventError:
			t.line.end()
			t.lose(fmt.Errorf("%w (%w)", ErrLost, ev))
		}
	}
}

// take takes what was read. A panic is dealt with in a goroutine of its own, for
// closing the terminal waits for the one that reads.
func (t *Terminal) take(p []byte) {
	defer func() {
		if v := recover(); v != nil {
			t.guard.Go("terminal input", func() { panic(v) })
		}
	}()
	t.input.read(p)
}

// receipt takes the terminal's answer to a status request.
func (t *Terminal) receipt() { t.line.received(t.now()) }

// Run hands messages to send, one after the other, until ctx ends: a
// tea.WindowSizeMsg first, then keys, mouse, pastes, focus, sizes, ResumedMsg
// and ClosedMsg. It is to be called once.
func (t *Terminal) Run(ctx context.Context, send func(tea.Msg)) { t.inbox.run(ctx, send) }

// resized reads the size, has everything drawn anew and says so.
func (t *Terminal) resized() {
	size, err := t.tty.WindowSize()
	if err != nil {
		return // the reader finds out what has become of the terminal
	}
	t.mu.Lock()
	t.w, t.h = size.Width, size.Height
	t.painter.Forget()
	t.mu.Unlock()
	t.inbox.put(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
}

// lose reports the end of the terminal, once.
func (t *Terminal) lose(err error) {
	t.lost.Do(func() { t.inbox.put(ClosedMsg{Err: err}) })
}

// Size returns the width and height in cells.
func (t *Terminal) Size() (w, h int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.w, t.h
}

// Paint makes the terminal show a frame (see Parse) with one write of what
// differs from the last. While the terminal is given back it does nothing. It
// blocks for as long as the terminal takes to read. An error has been reported
// as a ClosedMsg as well.
func (t *Terminal) Paint(frame string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := t.paint(frame, 0, nil)
	return err
}

// paintSlice is Paint with as much as the line takes in a moment, the rows of
// first before the others (see Painter.Slice), and a status request after it.
// It reports whether the frame is whole; what is missing is for a later call,
// once line.wait says so.
func (t *Terminal) paintSlice(frame string, first []bool) (whole bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == ours && t.line.behind() {
		return false, t.ask(nil)
	}
	return t.paint(frame, t.line.budget(), first)
}

// paint shows a frame or, with a budget, a slice of it; t.mu is held.
func (t *Terminal) paint(frame string, budget int, first []bool) (whole bool, err error) {
	switch t.state {
	case gone:
		return true, ErrClosed
	case released:
		return true, nil
	}
	bytes, whole := t.painter.Slice(frame, t.w, t.h, budget, first)
	if len(bytes) == 0 {
		return whole, nil
	}
	return whole, t.ask(bytes)
}

// ask writes bytes and, where the line wants a receipt, the request for it, as
// one write; t.mu is held.
func (t *Terminal) ask(bytes []byte) error {
	if t.line.sends(t.now(), len(bytes)) {
		bytes = append(bytes, statusRequest...)
	}
	return t.write(bytes)
}

// write sends bytes to the terminal; t.mu is held.
func (t *Terminal) write(bytes []byte) error {
	if err := t.tty.direct(bytes); err != nil {
		t.painter.Forget()
		t.line.end()
		err = fmt.Errorf("%w (%w)", ErrLost, err)
		t.lose(err)
		return err
	}
	return nil
}

// send writes a control sequence that changes no cell.
func (t *Terminal) send(seq string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch t.state {
	case gone:
		return ErrClosed
	case released:
		return nil
	}
	t.line.adds(len(seq))
	return t.write([]byte(seq))
}

// Invalidate makes the next frame a full one.
func (t *Terminal) Invalidate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.painter.Forget()
}

// Bell rings.
func (t *Terminal) Bell() error { return t.send("\a") }

// SetMouse turns mouse reports on, or off so that the terminal's own selection
// of text works. It lasts through suspensions.
func (t *Terminal) SetMouse(on bool) {
	t.mode.Lock()
	defer t.mode.Unlock()
	if t.is() != ours {
		return
	}
	t.tty.mute(false)
	if on {
		t.screen.EnableMouse(mouseEvents)
	} else {
		t.screen.DisableMouse()
	}
	t.tty.mute(true)
	// tcell may have drawn in between.
	t.Invalidate()
}

func (t *Terminal) is() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// become changes the state and returns the one before. A closed terminal stays
// closed.
func (t *Terminal) become(s state) state {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.state
	if before != gone {
		t.state = s
	}
	return before
}

// Close gives the terminal back for good, as it was found. The second call and
// all later ones do nothing but wait for the first.
func (t *Terminal) Close() {
	t.closed.Do(func() {
		t.mode.Lock()
		defer t.mode.Unlock()
		t.become(gone)
		t.line.settle()
		t.tty.mute(false)
		t.screen.Fini()
		t.input.stop()
		close(t.finished)
	})
	<-t.finished
}
