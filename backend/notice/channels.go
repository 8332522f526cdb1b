package notice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Channels are how a process wakes those that wait for one thing among many, and
// nobody else: each has a name and, while somebody listens, a file of its own in
// one folder. Ringing it sets the file's times, which the system tells whoever
// listens; where nobody does there is no file, and ringing is one system call
// that fails.
//
// What holds: a file that has its name is not taken away while somebody listens
// to it, for each listener has a shared lock (flock) on it, and who removes it
// has the lock alone. What a killed process leaves is an empty file, which the
// next process that listens to something removes.
type Channels struct {
	dir     string
	watcher func() *Watcher // nil where there are no notices

	mu     sync.Mutex
	open   map[string]*channel
	closed bool
}

// channel is one that this process listens to.
type channel struct {
	file *os.File
	path string
	ears map[*func()]bool
}

// NewChannels are those that have their files in dir, which is made when it is
// needed. watcher returns nil where the system gives no notices.
func NewChannels(dir string, watcher func() *Watcher) *Channels {
	return &Channels{dir: dir, watcher: watcher, open: map[string]*channel{}}
}

func (c *Channels) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:16]))
}

// Ring calls whatever Listen was given for the channel, in any process.
func (c *Channels) Ring(name string) {
	// Both times: the system tells of one alone as of a read or a write.
	now := time.Now()
	_ = os.Chtimes(c.path(name), now, now)
}

// Listen calls ring after each Ring of the channel, until ctx ends. Rings in
// quick succession may be one. false: there are no notices here, and ring will
// not be called. ring must not block.
func (c *Channels) Listen(ctx context.Context, name string, ring func()) bool {
	w := c.watcher()
	if w == nil || ctx.Err() != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := c.open[name]
	if ch == nil {
		var err error
		if ch, err = c.begin(w, name); err != nil {
			return false
		}
	}
	ear := &ring
	ch.ears[ear] = true
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(ch.ears, ear); len(ch.ears) == 0 && c.open[name] == ch {
			c.end(w, name, ch)
		}
	})
	return true
}

func (c *Channels) begin(w *Watcher, name string) (*channel, error) {
	if c.closed {
		return nil, fs.ErrClosed
	}
	if len(c.open) == 0 {
		c.sweep()
	}
	ch := &channel{path: c.path(name), ears: map[*func()]bool{}}
	for ch.file == nil {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(ch.path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the last who left took the folder along
		}
		if err != nil {
			return nil, err
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			_ = f.Close()
			return nil, err
		}
		if !named(f, ch.path) {
			_ = f.Close() // whoever left just removed it
			continue
		}
		ch.file = f
	}
	if err := w.Add(ch.path, Touched, func(string, What) { c.heard(ch) }); err != nil {
		c.leave(ch)
		return nil, err
	}
	c.open[name] = ch
	return ch, nil
}

// sweep removes the files that nobody listens to.
func (c *Channels) sweep() {
	names, _ := os.ReadDir(c.dir)
	for _, n := range names {
		path := filepath.Join(c.dir, n.Name())
		if f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0); err == nil {
			c.leave(&channel{file: f, path: path})
		}
	}
}

func (c *Channels) heard(ch *channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ear := range ch.ears {
		(*ear)()
	}
}

func (c *Channels) end(w *Watcher, name string, ch *channel) {
	delete(c.open, name)
	w.Remove(ch.path)
	c.leave(ch)
}

// leave lets go of the channel's file, and removes it after the last listener.
func (c *Channels) leave(ch *channel) {
	if flock(ch.file, syscall.LOCK_EX|syscall.LOCK_NB) == nil && named(ch.file, ch.path) {
		_ = os.Remove(ch.path)
		_ = os.Remove(c.dir) // unless there are others in it
	}
	_ = ch.file.Close()
}

// Close ends all listening.
func (c *Channels) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for name, ch := range c.open {
		c.end(c.watcher(), name, ch)
	}
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// named says whether f is what stands at path.
func named(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
