package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/notice"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/wake"
	"binnacle/model"
)

// groundEvery is how often the files are looked at while somebody wants to be
// told, and the system does not tell of removals: so long one may go unnoticed
// by a process that only waits. Where it tells, only a move of a folder above is
// noticed as late as unnoticed.
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

	stir     *stir
	watching sync.Once
	end      context.CancelFunc
	watch    guard.Group
}

// standing is one file as it was when the database was opened.
type standing struct {
	path string
	info os.FileInfo
}

// newGround notes what the database at path stands on.
func newGround(path string, s *stir) *ground {
	g := &ground{stir: s, dir: filepath.Dir(path), path: path, gone: make(chan struct{})}
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
			return sqlitefile.Explain("look at "+f.path, err) // it may still be there
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
		ctx, stop := context.WithCancel(context.Background())
		g.end = stop
		every, bell := groundEvery, wake.NewBell()
		if g.stir.start(notice.Moved) {
			every = unnoticed
			g.stir.moves.Add(ctx, bell)
		}
		g.watch.Go("ground", func() {
			wake.Loop{Bell: bell}.Run(ctx, func(wake.Why) time.Duration {
				if g.check() != nil && g.reason.Load() != nil {
					stop()
				}
				return wake.Beat(every)
			})
		})
	})
	return g.gone
}

func (g *ground) close() {
	g.watching.Do(func() {})
	if g.end != nil {
		g.end()
	}
	g.watch.Wait()
}
