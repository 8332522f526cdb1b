package screen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Release gives the terminal back for a while, as it was found; Resume takes it
// again. Frames painted in between are dropped.
func (t *Terminal) Release() error {
	_, err := t.release()
	return err
}

// release reports whether it was this call that gave the terminal back.
func (t *Terminal) release() (bool, error) {
	t.mode.Lock()
	defer t.mode.Unlock()
	switch t.become(released) {
	case gone:
		return false, ErrClosed
	case released:
		return false, nil
	}
	t.line.settle()
	t.tty.mute(false)
	if err := t.screen.Suspend(); err != nil {
		return true, fmt.Errorf("give the terminal back: %w", err)
	}
	t.input.stop()
	t.line.forget()
	return true, nil
}

// Resume takes the terminal again after Release, with the modes it had. The
// next frame is a full one; a tea.WindowSizeMsg and a ResumedMsg are sent.
func (t *Terminal) Resume() error {
	t.mode.Lock()
	defer t.mode.Unlock()
	switch t.is() {
	case gone:
		return ErrClosed
	case ours:
		return nil
	}
	t.tty.mute(false)
	err := t.screen.Resume()
	t.tty.mute(true)
	if err != nil {
		err = fmt.Errorf("%w (%w)", ErrLost, err)
		t.lose(err)
		return err
	}
	t.become(ours)
	t.resized()
	t.inbox.put(ResumedMsg{})
	return nil
}

// Suspend does what ctrl+z asks for: it gives the terminal back, stops the
// process group until it is continued, and takes the terminal again. It returns
// when all that is done, so it belongs in a command, not in an update.
func (t *Terminal) Suspend() error {
	did, err := t.release()
	if err != nil || !did {
		return err // not did: another program has the terminal
	}
	t.stopped.Store(true)
	stop()
	return t.Resume()
}

// Exec runs a command, an editor for one, with the terminal as it was found,
// and takes the terminal again when it ends. Streams that are not set are the
// program's own.
func (t *Terminal) Exec(cmd *exec.Cmd) error {
	if cmd.Stdin == nil {
		cmd.Stdin = os.Stdin
	}
	if cmd.Stdout == nil {
		cmd.Stdout = os.Stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	if err := t.Release(); err != nil {
		return err
	}
	err := cmd.Run()
	return errors.Join(err, t.Resume())
}

// restart takes the terminal anew when something else may have changed its
// modes, as after a stop that we were not asked about.
func (t *Terminal) restart() {
	if did, err := t.release(); did && err == nil {
		_ = t.Resume() // a failure has been reported
	}
}
