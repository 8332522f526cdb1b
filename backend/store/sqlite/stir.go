package sqlite

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/notice"
	"binnacle/backend/wake"
)

// stir tells what happens in the database's folder, by the system's notices
// where it gives any. Without them whoever waits has to look every few
// milliseconds, and that is nearly all that an idle process costs. A notice
// comes when a file is written, which is before the commit can be seen.
type stir struct {
	path string

	once    sync.Once
	notices *notice.Watcher // nil: there are none
	wait    guard.Group
	ended   chan struct{}
	heard   wake.Bell

	mu   sync.Mutex
	asks notice.What // of the folder
	what notice.What // what was heard and not passed on yet

	writes wake.Bells // something was written into the log
	moves  wake.Bells // the database or a file beside it came, went or was renamed
}

// watcher returns what the system's notices come by, nil where none come: too
// many listen already, or the system has none. Then the waiting is by looking
// alone.
func (s *stir) watcher() *notice.Watcher {
	s.once.Do(func() { s.notices, _ = notice.New() })
	return s.notices
}

// start begins to listen for what, Moved and perhaps Written, and says whether
// notices come.
func (s *stir) start(what notice.What) bool {
	w := s.watcher()
	if w == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks|what == s.asks {
		return true
	}
	if err := w.Add(filepath.Dir(s.path), s.asks|what, s.hear); err != nil {
		return false
	}
	if s.asks == 0 {
		s.ended, s.heard = make(chan struct{}), wake.NewBell()
		s.wait.Go("folder watch", s.pass)
	}
	s.asks |= what
	return true
}

// hear leaves out what a checkpoint writes into the database, which is no commit,
// and what has other names.
func (s *stir) hear(path string, what notice.What) {
	switch {
	case path == s.path+"-wal", path == filepath.Dir(s.path):
	case strings.HasPrefix(path, s.path):
		what &= notice.Moved
	default:
		what = 0
	}
	if what == 0 {
		return
	}
	s.mu.Lock()
	s.what |= what
	s.mu.Unlock()
	s.heard.Ring()
}

// Pauses before a notice is passed on: one commit is many writes, and is seen
// after the last. What comes meanwhile is one notice. Each wakes the processor,
// so notices that follow each other soon are fewer.
const (
	noticeRest = 10 * time.Millisecond
	noticeSoon = 40 * time.Millisecond
)

func (s *stir) pass() {
	var last time.Time
	for {
		select {
		case <-s.heard:
		case <-s.ended:
			return
		}
		if time.Since(last) < 2*noticeSoon {
			time.Sleep(noticeSoon)
		} else {
			time.Sleep(noticeRest)
		}
		last = time.Now()
		s.mu.Lock()
		what := s.what
		s.what = 0
		s.mu.Unlock()
		if what&notice.Written != 0 {
			s.writes.Ring()
		}
		if what&notice.Moved != 0 {
			s.moves.Ring()
		}
	}
}

func (s *stir) close() {
	s.once.Do(func() {})
	if s.notices != nil {
		s.notices.Close()
	}
	if s.ended != nil {
		close(s.ended)
	}
	s.wait.Wait()
}
