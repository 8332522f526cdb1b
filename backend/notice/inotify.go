//go:build linux

package notice

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"binnacle/backend/guard"
)

// Closes says whether the system tells what is Closed.
const Closes = true

// Watcher passes notices on. Its methods may be called from any goroutine.
type Watcher struct {
	file *os.File
	wait guard.Group

	mu      sync.Mutex
	numbers map[string]uint32 // of the paths
	watches map[uint32]watch
}

type watch struct {
	path string
	hear Hear
}

// New begins to listen. An error means that there are no notices: too many
// listen already, say.
func New() (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &Watcher{file: os.NewFile(uintptr(fd), "inotify"), numbers: map[string]uint32{}, watches: map[uint32]watch{}}
	w.wait.Go("notices", w.listen)
	return w, nil
}

// Add tells hear of what happens to the file at path or, when it is a folder, in
// it. A second Add of a path replaces the first.
func (w *Watcher) Add(path string, what What, hear Hear) error {
	var mask uint32
	if what&Moved != 0 {
		mask |= unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	}
	if what&Written != 0 {
		mask |= unix.IN_MODIFY
	}
	if what&Touched != 0 {
		mask |= unix.IN_ATTRIB
	}
	if what&Closed != 0 {
		mask |= unix.IN_CLOSE_WRITE
	}
	// Held while the system is asked: a notice may come before it has answered.
	w.mu.Lock()
	defer w.mu.Unlock()
	number, err := w.do(func(fd int) (int, error) { return unix.InotifyAddWatch(fd, path, mask) })
	if err != nil {
		return &os.PathError{Op: "watch", Path: path, Err: err}
	}
	w.numbers[path], w.watches[number] = number, watch{path, hear}
	return nil
}

// Remove ends what Add of the path began.
func (w *Watcher) Remove(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	number, ok := w.numbers[path]
	if !ok {
		return
	}
	delete(w.numbers, path)
	delete(w.watches, number)
	_, _ = w.do(func(fd int) (int, error) { return unix.InotifyRmWatch(fd, number) })
}

// do calls f with the descriptor, unless that is closed.
func (w *Watcher) do(f func(fd int) (int, error)) (number uint32, err error) {
	c, err := w.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	n, failed := 0, error(nil)
	err = c.Control(func(fd uintptr) { n, failed = f(int(fd)) })
	return uint32(n), errors.Join(err, failed)
}

// Close ends all notices. None is under way when it returns.
func (w *Watcher) Close() {
	_ = w.file.Close()
	w.wait.Wait()
}

func (w *Watcher) listen() {
	var room [4096]byte // of at least one notice, with the longest name
	for {
		n, err := w.file.Read(room[:])
		if err != nil {
			return // closed
		}
		for all := room[:n]; len(all) >= unix.SizeofInotifyEvent; {
			// The number, the mask, a cookie, and how long the name is that follows.
			number, mask := binary.NativeEndian.Uint32(all), binary.NativeEndian.Uint32(all[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(all[12:]))
			w.tell(number, mask, strings.TrimRight(string(all[unix.SizeofInotifyEvent:end]), "\x00"))
			all = all[end:]
		}
	}
}

func (w *Watcher) tell(number, mask uint32, name string) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		// Notices were lost: anything may have happened.
		w.mu.Lock()
		all := make([]watch, 0, len(w.watches))
		for _, of := range w.watches {
			all = append(all, of)
		}
		w.mu.Unlock()
		for _, of := range all {
			of.hear(of.path, everything)
		}
		return
	}
	w.mu.Lock()
	of, ok := w.watches[number]
	if ok && mask&unix.IN_IGNORED != 0 {
		delete(w.watches, number) // what was watched is gone
		if w.numbers[of.path] == number {
			delete(w.numbers, of.path)
		}
	}
	w.mu.Unlock()
	var what What
	switch {
	case mask&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
		what = Moved
	case mask&unix.IN_MODIFY != 0:
		what = Written
	case mask&unix.IN_ATTRIB != 0:
		what = Touched
	case mask&unix.IN_CLOSE_WRITE != 0:
		what = Closed
	}
	if !ok || what == 0 {
		return
	}
	path := of.path
	if name != "" {
		path = filepath.Join(path, name)
	}
	of.hear(path, what)
}
