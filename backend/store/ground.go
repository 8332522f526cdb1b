package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"binnacle/backend/guard"
	"binnacle/model"
)

// groundEvery is how often the files are looked at while somebody wants to be
// told: so long a removal may go unnoticed by a process that only waits.
const groundEvery = 200 * time.Millisecond

// ground is what an open database stands on: the folder, the file, its log and
// the log's index, as they were when it was opened. SQLite goes on in a file
// that was deleted or moved, and everything that it writes is lost; so whoever
// writes, reads or waits looks here. What holds: once something of it is gone it
// stays gone for this process, whatever stands at the path later.
type ground struct {
	dir   string
	path  string
	files []standing

	gone   chan struct{} // closed at the first mismatch
	once   sync.Once
	reason atomic.Pointer[model.Error]

	watching sync.Once
	stop     chan struct{}
	watch    guard.Group
}

// standing is one file as it was when the database was opened.
type standing struct {
	path string
	info os.FileInfo
}

// newGround notes what the database at path stands on.
func newGround(path string) *ground {
	g := &ground{dir: filepath.Dir(path), path: path, gone: make(chan struct{}), stop: make(chan struct{})}
	g.note(g.dir)
	g.note(path)
	return g
}

// note adds a file to what must stay, if it is there.
func (g *ground) note(path string) {
	if info, err := os.Lstat(path); err == nil {
		g.files = append(g.files, standing{path, info})
	}
}

// noteLog adds the write-ahead log and its index. A process that holds the
// database open for writing keeps both; without one they may come and go.
func (g *ground) noteLog() {
	g.note(g.path + "-wal")
	g.note(g.path + "-shm")
}

// check says with CodeGone that the database is not where it was opened, and
// nil when it is. It costs a system call a file.
func (g *ground) check() error {
	if e := g.reason.Load(); e != nil {
		return e
	}
	for i := range g.files {
		f := &g.files[i]
		now, err := os.Lstat(f.path)
		switch {
		case err == nil && os.SameFile(now, f.info):
		case err == nil:
			return g.lose(f.path, "replaced by another")
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return g.lose(f.path, "deleted or moved away")
		default:
			return Explain("look at "+f.path, err) // it may still be there
		}
	}
	return nil
}

// lose remembers that the file at path is not ours any more.
func (g *ground) lose(path, how string) error {
	g.once.Do(func() {
		g.reason.Store(model.Errorf(model.CodeGone, "the workspace was %s while it was open here: %s", how, path).
			WithHint("nothing more is written; open the workspace anew, or restore a backup with binnacle ledger restore FILE"))
		close(g.gone)
	})
	return g.reason.Load()
}

// lost is closed once the database is gone. The first call begins a watch that
// ends with close.
func (g *ground) lost() <-chan struct{} {
	g.watching.Do(func() {
		g.watch.Go("ground", func() {
			tick := time.NewTicker(groundEvery)
			defer tick.Stop()
			for g.check() == nil || g.reason.Load() == nil {
				select {
				case <-tick.C:
				case <-g.stop:
					return
				}
			}
		})
	})
	return g.gone
}

func (g *ground) close() {
	g.watching.Do(func() {})
	close(g.stop)
	g.watch.Wait()
}
