//go:build unix

package screen

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stop stops our process group until SIGCONT. A group that no shell looks after
// is not stopped by SIGTSTP: then this returns after a moment, for else there
// would be no way back.
//
// SIGTSTP itself is never asked for with signal.Notify: the runtime does not put
// the default back afterwards, and then nothing would stop us any more.
func stop() {
	const unstoppable = 300 * time.Millisecond
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	timer := time.NewTimer(unstoppable)
	defer timer.Stop()
	select {
	case <-cont:
	case <-timer.C:
	}
}

// watchSignals turns signals into messages until the terminal is closed.
func (t *Terminal) watchSignals() {
	// The channel is deep enough for one of each.
	sigs := make(chan os.Signal, 4)
	signal.Notify(sigs, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCONT)
	t.guard.Go("signals", func() {
		defer signal.Stop(sigs)
		for {
			select {
			case <-t.finished:
				return
			case sig := <-sigs:
				t.signal(sig)
			}
		}
	})
}

// signal acts on one signal.
func (t *Terminal) signal(sig os.Signal) {
	away := t.is() == released
	switch sig {
	case syscall.SIGCONT:
		if t.stopped.Swap(false) {
			return // Suspend takes the terminal again
		}
		if !away {
			t.restart()
		}
	case syscall.SIGINT:
		if !away { // ctrl+c in an editor is the editor's
			t.lose(fmt.Errorf("ended by %w", SignalError{sig}))
		}
	default:
		t.lose(fmt.Errorf("ended by %w", SignalError{sig}))
	}
}
