//go:build unix

package screen

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stop stops a process, or our process group when pid is 0, until SIGCONT. A
// group that no shell looks after is not stopped by SIGTSTP: then this returns
// after a moment, for else there would be no way back.
func stop(pid int) {
	const unstoppable = 300 * time.Millisecond
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(pid, syscall.SIGTSTP)
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
	sigs := make(chan os.Signal, 8)
	end := []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT}
	signal.Notify(sigs, append(end, syscall.SIGTSTP, syscall.SIGCONT)...)
	t.guard.Go("signals", func() {
		defer signal.Stop(sigs)
		for {
			select {
			case <-t.finished:
				return
			case sig := <-sigs:
				t.signal(sig)
				signal.Notify(sigs, syscall.SIGTSTP)
			}
		}
	})
}

// signal acts on one signal.
func (t *Terminal) signal(sig os.Signal) {
	away := t.is() == released
	switch sig {
	case syscall.SIGTSTP:
		if away {
			// Another program of ours has the terminal, and was told to stop.
			// We stop with it and touch nothing.
			stop(os.Getpid())
			return
		}
		_ = t.Suspend() // a failure has been reported as a message
	case syscall.SIGCONT:
		if t.stopped.Swap(false) {
			return // Suspend takes the terminal again
		}
		if !away {
			t.restart()
		}
	case syscall.SIGINT:
		if !away { // ctrl+c in an editor is the editor's
			t.lose(fmt.Errorf("ended by %w", signalError{sig}))
		}
	default:
		t.lose(fmt.Errorf("ended by %w", signalError{sig}))
	}
}

// signalError is a signal as an error.
type signalError struct{ os.Signal }

func (s signalError) Error() string { return "signal: " + s.String() }
