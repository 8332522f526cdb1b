package screen

import (
	"io"
	"sync"

	"github.com/gdamore/tcell/v2"
)

// mutedTty is a Tty through which tcell's mode changes pass while its drawing
// does not: tcell draws its own, empty cells whenever the size changes, from
// its own goroutine. Nor does input pass: tcell takes the rest of a sequence
// that was cut, and much that a terminal says by itself, for keys.
//
// Invariant: once mute has returned, no write of tcell's is under way, and
// frames come after whatever it wrote.
type mutedTty struct {
	tcell.Tty
	mu      sync.Mutex
	muted   bool
	resized func()
	read    func([]byte)
	buf     [4096]byte // the reader's
}

// Read is tcell's. It takes what comes for us and returns only when tcell has to
// look whether it is to stop, or when nothing more can come.
func (t *mutedTty) Read([]byte) (int, error) {
	n, err := t.Tty.Read(t.buf[:])
	if n > 0 {
		t.read(t.buf[:n])
	}
	return 0, err
}

// Write is tcell's. What is dropped counts as written.
func (t *mutedTty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.muted {
		return len(p), nil
	}
	return t.Tty.Write(p)
}

// direct writes all of p, muted or not.
func (t *mutedTty) direct(p []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(p) > 0 {
		n, err := t.Tty.Write(p)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		p = p[n:]
	}
	return nil
}

// mute turns tcell's drawing off (or on again).
func (t *mutedTty) mute(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.muted = on
}

// NotifyResize tells us about each change of size as well, the ones that tcell
// makes nothing of included: there and back again, the terminal may have lost
// what it showed.
func (t *mutedTty) NotifyResize(cb func()) {
	if cb == nil {
		t.Tty.NotifyResize(nil)
		return
	}
	t.Tty.NotifyResize(func() {
		cb()
		t.resized()
	})
}
