package screen

import (
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Escape delays: how long a lone ESC waits for what may follow before it is the
// key. A line over the network may hold back the rest of a sequence for longer.
const (
	EscDelay       = 100 * time.Millisecond
	EscDelayRemote = 300 * time.Millisecond
)

// escDelay returns the delay: the one that is asked for, else by whether the
// terminal is at the other end of an ssh connection.
func escDelay(asked time.Duration, env func(string) string) time.Duration {
	switch {
	case asked > 0:
		return asked
	case env("SSH_CONNECTION") != "" || env("SSH_TTY") != "":
		return EscDelayRemote
	}
	return EscDelay
}

// input turns what is read from the terminal into messages. The reader's
// goroutine and the timer's take turns under the lock, and give out what they
// have under it, so that the order is the terminal's.
type input struct {
	mu      sync.Mutex
	tokens  *tokeniser
	timer   *time.Timer
	recover func()
}

// newInput returns an input that gives messages to out and tells receipt of the
// terminal's answers. recovered is deferred by the timer.
func newInput(delay time.Duration, out func(tea.Msg), receipt, recovered func()) *input {
	d := newDecoder(out)
	return &input{recover: recovered, tokens: newTokeniser(delay, func(t token) {
		if t.kind == tokenReceipt {
			receipt()
			return
		}
		d.token(t)
	})}
}

// read takes bytes from the terminal.
func (in *input) read(p []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.tokens.feed(time.Now(), p)
	in.arm()
}

// arm sets the timer for what is not whole; nothing ticks while all is.
func (in *input) arm() {
	if in.timer != nil {
		in.timer.Stop()
		in.timer = nil
	}
	if at := in.tokens.deadline(); !at.IsZero() {
		in.timer = time.AfterFunc(time.Until(at), in.expire)
	}
}

// expire gives out what waited for too long.
func (in *input) expire() {
	defer in.recover()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.tokens.expire(time.Now())
	in.arm()
}

// stop forgets what is not whole.
func (in *input) stop() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.timer != nil {
		in.timer.Stop()
		in.timer = nil
	}
	*in.tokens = *newTokeniser(in.tokens.escDelay, in.tokens.out)
}
