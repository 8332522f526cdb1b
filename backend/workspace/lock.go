package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Lock is a lock between processes: an advisory lock (flock) on a file of its
// own, which the system drops when the holder dies, however it dies. The file
// stays behind; it holds the process id of the last holder. Only the holder has
// the file open for writing, so the notice that such a file was closed (see
// package notice) tells that the lock is free.
type Lock struct {
	path string
	file *os.File // what is locked
	pen  *os.File // the same, open for writing; closed after it
	lost chan struct{}
	stop chan struct{}
	once sync.Once
	done sync.WaitGroup
}

// lockLook is how often a holder looks whether its lock file is still there.
const lockLook = 500 * time.Millisecond

// TryLock takes the lock at path, or fails at once with CodeBusy, naming the
// holder.
func TryLock(path string) (*Lock, error) { return tryLock(path, os.O_CREATE, lockLook) }

// TryLockExisting is TryLock for a file that must be there; where it is not,
// the code is CodeNotFound.
func TryLockExisting(path string) (*Lock, error) { return tryLock(path, 0, lockLook) }

func tryLock(path string, create int, every time.Duration) (*Lock, error) {
	for range 100 {
		f, err := os.OpenFile(path, create|os.O_RDONLY|syscall.O_NOFOLLOW, 0o600)
		if create == 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, model.Errorf(model.CodeNotFound, "there is no lock file %s", path)
		}
		if err != nil {
			if errors.Is(err, syscall.ELOOP) {
				return nil, model.Errorf(model.CodeRefused, "the lock file %s is a symbolic link", path)
			}
			return nil, store.Explain("open the lock file", err)
		}
		if err := flock(f); err != nil {
			_ = f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, lockedBy(path)
			}
			return nil, store.Explain("lock "+path, err)
		}
		pen, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = f.Close()
			return nil, store.Explain("open the lock file", err)
		}
		l := newLock(path, f, pen)
		if err != nil || !sameFile(f, path) || !sameFile(pen, path) {
			_ = l.drop() // it was replaced while we waited: the lock is on nothing
			continue
		}
		if err := l.sign(); err != nil {
			_ = l.drop()
			return nil, store.Explain("write the lock file", err)
		}
		l.begin(every)
		return l, nil
	}
	return nil, model.Errorf(model.CodeBusy, "the lock file %s is being replaced all the time", path)
}

// Unnamed begins the name of a file that CreateLock has not given its own yet.
const Unnamed = "."

// CreateLock makes a new lock file that is locked from the moment at which it
// has its name, so that nobody can find it unlocked, nor lock it first. path
// must be a name that nobody else makes.
func CreateLock(path string) (*Lock, error) {
	unnamed := filepath.Join(filepath.Dir(path), Unnamed+filepath.Base(path))
	f, err := os.OpenFile(unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, store.Explain("make the lock file "+path, err)
	}
	l := newLock(path, f, f)
	if err = flock(f); err == nil {
		err = l.sign()
	}
	if err == nil {
		err = os.Rename(unnamed, path)
	}
	if err != nil {
		_ = os.Remove(unnamed)
		_ = f.Close()
		return nil, store.Explain("make the lock file "+path, err)
	}
	l.begin(lockLook)
	return l, nil
}

func newLock(path string, f, pen *os.File) *Lock {
	return &Lock{path: path, file: f, pen: pen, lost: make(chan struct{}), stop: make(chan struct{})}
}

// begin begins to look whether the file is still there.
func (l *Lock) begin(every time.Duration) {
	l.done.Add(1)
	guard.Go("lock watch", func() { l.watch(every) })
}

// WaitLock takes the lock at path, waiting for it until ctx ends. waiting, when
// not nil, is called once with the reason when it has to wait.
func WaitLock(ctx context.Context, path string, waiting func(reason error)) (*Lock, error) {
	for tries := 0; ; tries++ {
		l, err := TryLock(path)
		if err == nil || model.CodeOf(err) != model.CodeBusy {
			return l, err
		}
		if tries == 0 && waiting != nil {
			waiting(err)
		}
		if !wake.Sleep(ctx, 10*time.Millisecond+rand.N(30*time.Millisecond)) {
			return nil, store.Explain("take the lock "+path, ctx.Err())
		}
	}
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

func (l *Lock) sign() error {
	if err := l.pen.Truncate(0); err != nil {
		return err
	}
	_, err := l.pen.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func lockedBy(path string) error {
	e := model.Errorf(model.CodeBusy, "another process holds %s", path)
	if pid := LockHolder(path); pid != 0 {
		e = model.Errorf(model.CodeBusy, "process %d holds %s", pid, path)
	}
	return e
}

// LockHolder returns the process id that the lock file names, 0 when it names
// none. It doesn't say whether that process still holds the lock.
func LockHolder(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	b, _ := io.ReadAll(io.LimitReader(f, 32))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return max(pid, 0)
}

// Held says whether the lock is still ours: the file that is locked is the one
// that others would lock.
func (l *Lock) Held() bool {
	select {
	case <-l.stop:
		return false
	case <-l.lost:
		return false
	default:
		return sameFile(l.file, l.path)
	}
}

// Lost is closed when the lock file was deleted or replaced, so that somebody
// else may hold the lock as well. It is noticed within half a second.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

func (l *Lock) watch(every time.Duration) {
	defer l.done.Done()
	tick := time.NewTimer(wake.Beat(every))
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			tick.Reset(wake.Beat(every))
			if !sameFile(l.file, l.path) {
				close(l.lost)
				return
			}
		}
	}
}

// Release gives the lock back. More calls do nothing.
func (l *Lock) Release() error {
	var err error
	l.once.Do(func() {
		close(l.stop)
		l.done.Wait()
		err = l.drop()
	})
	return store.Explain("release the lock", err)
}

// drop closes the file: first what is locked, so that the lock is free when the
// other is told.
func (l *Lock) drop() error {
	err := l.file.Close()
	if l.pen != l.file {
		err = errors.Join(err, l.pen.Close())
	}
	return err
}

// String is for messages.
func (l *Lock) String() string { return fmt.Sprintf("lock %s", l.path) }
