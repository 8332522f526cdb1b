package work

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Log is the log of one attempt, as it is read.
type Log struct {
	ID      int64
	Attempt int64
	file    *os.File
}

// Open opens the log of an attempt of a directive; attempt 0 is the newest that
// left one. None is CodeNotFound.
func (r Runs) Open(id, attempt int64) (*Log, error) {
	none := model.Errorf(model.CodeNotFound, "no run of #%d has left a log", id)
	if attempt != 0 {
		none = model.Errorf(model.CodeNotFound, "attempt %d of #%d has left no log", attempt, id)
	}
	none = none.WithHint("binnacle queue work writes them, and deletes the oldest when all are past %d MiB", MaxLogs>>20)
	root, err := r.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, none
	}
	if err != nil {
		return nil, store.Explain("open the folder of runs", err)
	}
	defer func() { _ = root.Close() }()
	if attempt == 0 {
		if attempt = r.newest(id); attempt == 0 {
			return nil, none
		}
	}
	f, err := root.OpenFile(logName(id, attempt), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, none
	}
	if err != nil {
		return nil, store.Explain("open the log", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, model.Errorf(model.CodeRefused, "the log %s is not a file", logName(id, attempt))
	}
	return &Log{id, attempt, f}, nil
}

// newest is the highest attempt of a directive that left a log, else 0.
func (r Runs) newest(id int64) (newest int64) {
	entries, err := os.ReadDir(string(r))
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if of, attempt, ok := parseLogName(e.Name()); ok && of == id {
			newest = max(newest, attempt)
		}
	}
	return newest
}

// Close closes the log.
func (l *Log) Close() error { return l.file.Close() }

// Running says whether the command still runs.
func (l *Log) Running() bool { return locked(l.file) }

// followEvery is how often a log that grows is looked at.
const followEvery = 100 * time.Millisecond

// Copy writes the log; with follow also what comes until the command ends.
func (l *Log) Copy(ctx context.Context, to io.Writer, follow bool) error {
	for {
		running := follow && l.Running() // before the last look: what is written then is seen
		if _, err := io.Copy(to, l.file); err != nil {
			return store.Explain("copy the log", err)
		}
		if !running {
			return nil
		}
		if !wake.Sleep(ctx, followEvery) {
			return ctx.Err()
		}
	}
}

// Tail is the end of the log, at most so many lines and bytes, and whether the
// command still runs.
func (l *Log) Tail(lines, size int) (string, bool, error) {
	running := l.Running()
	info, err := l.file.Stat()
	if err != nil {
		return "", running, store.Explain("look at the log", err)
	}
	at := max(0, info.Size()-int64(size))
	b := make([]byte, info.Size()-at)
	n, err := l.file.ReadAt(b, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", running, store.Explain("read the log", err)
	}
	return lastLines(b[:n], lines, size), running, nil
}
