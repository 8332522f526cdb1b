package sqlite

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"binnacle/backend/guard"
	"binnacle/backend/wake"
)

// stir tells what happens in the database's folder, by the system's notices
// where it gives any. Without them whoever waits has to look every few
// milliseconds, and that is nearly all that an idle process costs. A notice
// comes when a file is written, which is before the commit can be seen.
type stir struct {
	path string

	once   sync.Once
	works  bool
	folder *fsnotify.Watcher
	wait   guard.Group

	writes wake.Bells // something was written into the log
	moves  wake.Bells // the database or a file beside it came, went or was renamed
}

// start begins to listen and says whether notices come. Where they don't (too
// many listen already, or the system has none) the waiting is by looking alone.
func (s *stir) start() bool {
	s.once.Do(func() {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return
		}
		if err := w.Add(filepath.Dir(s.path)); err != nil {
			_ = w.Close()
			return
		}
		s.folder, s.works = w, true
		s.wait.Go("folder watch", s.listen)
	})
	return s.works
}

// Pauses before a notice is passed on: one commit is many writes, and is seen
// after the last. What comes meanwhile is one notice, for the system adds none
// that is the same as the last that waits. Each wakes the processor, so notices
// that follow each other soon are fewer.
const (
	noticeRest = 10 * time.Millisecond
	noticeSoon = 40 * time.Millisecond
)

func (s *stir) listen() {
	var last time.Time
	for {
		select {
		case e, ok := <-s.folder.Events:
			if !ok {
				return
			}
			if !s.concerns(e) {
				continue
			}
			if time.Since(last) < 2*noticeSoon {
				time.Sleep(noticeSoon)
			} else {
				time.Sleep(noticeRest)
			}
			last = time.Now()
			s.notice(e)
		case _, ok := <-s.folder.Errors:
			if !ok {
				return
			}
			// Notices were lost: both may have happened.
			s.writes.Ring()
			s.moves.Ring()
		}
	}
}

// concerns leaves out what a checkpoint writes into the database: no commit.
func (s *stir) concerns(e fsnotify.Event) bool {
	return e.Name == s.path+"-wal" || e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename)
}

func (s *stir) notice(e fsnotify.Event) {
	ours := strings.HasPrefix(e.Name, s.path)
	if ours && e.Has(fsnotify.Write|fsnotify.Create) {
		s.writes.Ring()
	}
	if (ours || e.Name == filepath.Dir(s.path)) && e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) {
		s.moves.Ring()
	}
}

func (s *stir) close() {
	s.once.Do(func() {})
	if s.works {
		_ = s.folder.Close()
	}
	s.wait.Wait()
}
