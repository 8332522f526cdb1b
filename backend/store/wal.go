package store

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

// walWatch keeps the write-ahead log from growing without bound. SQLite
// checkpoints by itself as it goes; a reader that stays too long prevents it.
// Past the bound a truncating checkpoint is tried after commits, and as long as
// that fails the alarm is on.
type walWatch struct {
	path  string
	bound int64
	size  atomic.Int64
	alarm atomic.Bool
	next  time.Time    // of the next look; the committer's
	over  atomic.Int64 // since when it is past the bound as this process sees it, 0 for not; Unix nanoseconds
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
		w.alarm.Store(false)
		return
	}
	// Busy readers make it fail at once, for this connection doesn't wait.
	_ = c.run(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	w.alarm.Store(w.measure() > w.bound)
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

// walPatience is how long the log may stand past the bound before a process that
// does not write raises the alarm: whoever does truncates it within a second,
// where no reader prevents that.
const walPatience = 3 * time.Second

// health fills in what is known of the log. Whoever writes knows at once that it
// could not be truncated; the others see that it stays.
func (w *walWatch) health() Health {
	n, now := w.measure(), time.Now().UnixNano()
	if n <= w.bound {
		w.over.Store(0)
		return Health{WALBytes: n}
	}
	w.over.CompareAndSwap(0, now)
	stays := now-w.over.Load() >= int64(walPatience)
	return Health{WALBytes: n, WALAlarm: w.alarm.Load() || stays || n > 2*w.bound}
}
