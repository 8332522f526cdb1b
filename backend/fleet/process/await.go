package process

import (
	"context"
	"os/exec"
	"syscall"
	"time"

	"binnacle/backend/guard"
)

// Grace is how long a process has between SIGTERM and SIGKILL.
const Grace = 2 * time.Second

// Await waits for the child; when its time is up it ends the child's whole
// group, at first in good manner.
func Await(ctx context.Context, cmd *exec.Cmd, stop <-chan struct{}) error {
	done := make(chan error, 1)
	guard.Go("git", func() { done <- cmd.Wait() })
	group := -cmd.Process.Pid
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-stop:
	}
	_ = syscall.Kill(group, syscall.SIGTERM)
	timer := time.NewTimer(Grace)
	defer timer.Stop()
	select {
	case err := <-done:
		// The leader is gone; the rest of its group may have shrugged it off.
		_ = syscall.Kill(group, syscall.SIGKILL)
		return err
	case <-timer.C:
		_ = syscall.Kill(group, syscall.SIGKILL)
		return <-done
	}
}
