package sqlite

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/store/walindex"
)

// walWatch keeps the write-ahead log from growing without bound. SQLite
// checkpoints by itself as it goes; a reader that stays too long prevents it.
// Past the bound a truncating checkpoint is tried after commits.
type walWatch struct {
	path  string
	bound int64
	size  atomic.Int64
	next  time.Time // of the next look; the committer's

	index   string // the log's index, a file beside it
	mu      sync.Mutex
	asked   time.Time // when the readers were looked for
	readers []walindex.Process
}

// walEvery is how often the log's size is looked at while commits go on.
const walEvery = 100 * time.Millisecond

// after is called by the committer after a commit, with its connection.
func (w *walWatch) after(c *conn) {
	now := time.Now()
	if now.Before(w.next) {
		return
	}
	w.next = now.Add(walEvery)
	if w.measure() <= w.bound {
		return
	}
	// Busy readers make it fail at once, for this connection doesn't wait.
	_ = c.run(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	w.next = time.Now().Add(10 * walEvery)
}

func (w *walWatch) measure() int64 {
	n := int64(0)
	if info, err := os.Stat(w.path); err == nil {
		n = info.Size()
	}
	w.size.Store(n)
	return n
}

// readersEvery is how long the names of those who hold the log count.
const readersEvery = time.Second

// health fills in what is known of the log; every process sees it.
func (w *walWatch) health() store.Health {
	h := store.Health{WALBytes: w.measure()}
	if h.WALBytes <= w.bound {
		return h
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.asked) >= readersEvery {
		w.asked, w.readers = now, walindex.OldestReaders(w.index)
	}
	h.WALAlarm = tooLong(h.WALBytes, w.readers)
	return h
}

// tooLong is the alarm about a log past its bound. Whoever writes truncates it,
// so it stays only where a read that is held open prevents that.
func tooLong(bytes int64, readers []walindex.Process) string {
	said := fmt.Sprintf("the write-ahead log has grown to %d MiB: ", bytes>>20)
	switch len(readers) {
	case 0:
		return said + "some process holds a read open"
	case 1:
		return said + readers[0].String() + " holds a read open"
	}
	names := make([]string, len(readers))
	for i, p := range readers {
		names[i] = p.String()
	}
	return said + strings.Join(names, ", ") + " hold a read open"
}
