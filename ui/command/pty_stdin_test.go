package command_test

import (
	"io"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Whatever reads a directive or a payload from the terminal ends at the first
// ctrl+c, and at SIGTERM, and writes nothing.
func TestATerminalThatIsReadEndsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, status := onTerminal(t, dir, nil, "init"); status != 0 {
		t.Fatalf("init ends with %d", status)
	}
	for _, c := range []struct {
		name   string
		args   []string
		end    func(tty io.Writer, cmd *exec.Cmd) error
		status int
	}{
		{"push, ctrl+c", []string{"queue", "push"}, ctrlC, 130},
		{"push, SIGTERM", []string{"queue", "push"}, terminate, 143},
		{"emit -, ctrl+c", []string{"emit", "a/b", "-"}, ctrlC, 130},
		{"emit --stdin, ctrl+c", []string{"emit", "a/b", "--stdin"}, ctrlC, 130},
		{"evidence, SIGTERM", []string{"work", "complete", "x", "--evidence", "-"}, terminate, 143},
	} {
		cmd := exec.Command(built(t), c.args...)
		cmd.Dir, cmd.Env = dir, append(cleanEnv(dir), "TERM=xterm-256color")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, tty) }()
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		bound := time.After(20 * time.Second)
		if _, err := io.WriteString(tty, "half a line"); err != nil {
			t.Fatal(err)
		}
		waitForReader(t, cmd.Process.Pid)
		if err := c.end(tty, cmd); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-bound:
			_ = cmd.Process.Kill()
			<-ended
			t.Fatalf("%s: it does not end", c.name)
		}
		_ = tty.Close()
		if got := cmd.ProcessState.ExitCode(); got != c.status {
			t.Errorf("%s: it ends with %d, not %d", c.name, got, c.status)
		}
	}
	if out, _ := onTerminal(t, dir, nil, "status"); len(out) == 0 {
		t.Error("status says nothing")
	}
}

func ctrlC(tty io.Writer, _ *exec.Cmd) error {
	_, err := io.WriteString(tty, "\x03")
	return err
}

func terminate(_ io.Writer, cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }
