package statefile

import (
	"context"
	"errors"
	"os"
	"time"

	"binnacle/backend/wake"
	"binnacle/model"

	"golang.org/x/sys/unix"
)

// Flock is an advisory lock on a file; the kernel drops it when the process
// ends, however it ends.
type Flock struct{ f *os.File }

// TryLock takes the lock if nobody has it; ok is false where somebody does.
func TryLock(path string) (*Flock, bool, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, Error(err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &Flock{f}, true, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return nil, false, nil
	}
	return nil, false, Error(err)
}

// Lock waits for the lock until ctx ends. A blocked flock can't be called off,
// so it is asked for again and again, at growing distances.
func Lock(ctx context.Context, path string) (*Flock, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		l, ok, err := TryLock(path)
		if err != nil || ok {
			return l, err
		}
		if !wake.Sleep(ctx, pause) {
			return nil, model.Errorf(model.CodeBusy, "another process is using the same cache: %w", ctx.Err())
		}
	}
}

// Unlock gives the lock back. Of no lock it does nothing.
func (l *Flock) Unlock() {
	if l != nil {
		l.f.Close()
	}
}

// Held says whether some process holds the lock; it takes nothing away from a
// process that is about to.
func Held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
