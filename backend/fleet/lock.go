package fleet

import (
	"context"
	"errors"
	"os"
	"time"

	"binnacle/backend/wake"
	"binnacle/model"

	"golang.org/x/sys/unix"
)

// flock is an advisory lock on a file; the kernel drops it when the process
// ends, however it ends.
type flock struct{ f *os.File }

func tryLock(path string) (*flock, bool, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, folderError(err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &flock{f}, true, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return nil, false, nil
	}
	return nil, false, folderError(err)
}

// lock waits for the lock until ctx ends. A blocked flock can't be called off,
// so it is asked for again and again, at growing distances.
func lock(ctx context.Context, path string) (*flock, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		l, ok, err := tryLock(path)
		if err != nil || ok {
			return l, err
		}
		if !wake.Sleep(ctx, pause) {
			return nil, model.Errorf(model.CodeBusy, "another process is at the same cache: %w", ctx.Err())
		}
	}
}

func (l *flock) unlock() {
	if l != nil {
		l.f.Close()
	}
}

// held says whether some process holds the lock; it takes nothing away from a
// process that is about to.
func held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
