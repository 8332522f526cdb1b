package work

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"binnacle/backend/store"
	"binnacle/model"
)

// Bounds of all logs together, beside those of commands that run.
const (
	MaxLogs     = 256 << 20 // bytes
	MaxLogFiles = 10_000
)

// Runs is the folder of the runs' logs: ID-ATTEMPT.log, locked by the worker
// while the command runs.
type Runs string

// RunsFolder is the logs' folder in a workspace's.
func RunsFolder(dir string) Runs { return Runs(filepath.Join(dir, "runs")) }

// Name is the name of a log.
func logName(id, attempt int64) string {
	return strconv.FormatInt(id, 10) + "-" + strconv.FormatInt(attempt, 10) + ".log"
}

// parseLogName reads it; false for any other file.
func parseLogName(name string) (id, attempt int64, ok bool) {
	stem, isLog := strings.CutSuffix(name, ".log")
	left, right, both := strings.Cut(stem, "-")
	id, err1 := strconv.ParseInt(left, 10, 64)
	attempt, err2 := strconv.ParseInt(right, 10, 64)
	ok = isLog && both && err1 == nil && err2 == nil && id > 0 && attempt > 0 && logName(id, attempt) == name
	return id, attempt, ok
}

// open is the folder, which links lead out of nowhere; it is made where made asks
// for it.
func (r Runs) open(made bool) (*os.Root, error) {
	if made {
		if err := os.Mkdir(string(r), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, store.Explain("make the folder of runs", err)
		}
	}
	info, err := os.Lstat(string(r))
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, model.Errorf(model.CodeRefused, "%s is not a folder", string(r))
	}
	return os.OpenRoot(string(r))
}

// create opens the log of an attempt for its worker. An attempt that was given
// back uncounted comes again under its number: its log goes on.
func (r Runs) create(id, attempt int64) (*os.File, error) {
	root, err := r.open(true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(logName(id, attempt), os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, store.Explain("open the log of a run", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, model.Errorf(model.CodeRefused, "the log %s is not a file", logName(id, attempt))
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) // says that it runs; nothing hangs on it
	return f, nil
}

// sweep deletes the oldest logs until at most so many bytes and files are left.
// Those of commands that run stay.
func (r Runs) sweep(most int64, files int) {
	root, err := r.open(false)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	entries, err := os.ReadDir(string(r))
	if err != nil {
		return
	}
	var all []fs.FileInfo
	var size int64
	for _, e := range entries {
		if _, _, ok := parseLogName(e.Name()); !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			all = append(all, info)
			size += info.Size()
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	left := len(all)
	for _, info := range all {
		if size <= most && left <= files {
			return
		}
		if !runs(root, info.Name()) && root.Remove(info.Name()) == nil {
			size -= info.Size()
			left--
		}
	}
}

// runs says whether a command still writes the log.
func runs(root *os.Root, name string) bool {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return locked(f)
}

func locked(f *os.File) bool {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
