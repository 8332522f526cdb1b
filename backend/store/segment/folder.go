package segment

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// Folder is the archive: the folder with the segments' files.
type Folder struct {
	dir string
	// The events of the segment that was read last, for who reads one page reads the
	// next. The collector takes them when nobody does.
	read sync.Pool
}

// At is the archive in the folder dir, which need not be there.
func At(dir string) *Folder { return &Folder{dir: dir} }

// There says whether there is an archive.
func (a *Folder) There() bool {
	_, err := os.Lstat(a.dir)
	return err == nil
}

func (a *Folder) path(s store.Segment) string { return filepath.Join(a.dir, Name(s)) }

// unpacked are the events of a file as it was then; no time is that of a file that
// a backup brought.
type unpacked struct {
	of     store.Segment
	time   time.Time
	events []model.Event
}

// Events are the segment's, which are not to be changed. brought gives the file
// when it is not in the folder, nil for none. CodeCorrupt when it is missing, or
// another file.
func (a *Folder) Events(s store.Segment, brought func() ([]byte, error)) ([]model.Event, error) {
	var written time.Time
	info, missing := os.Stat(a.path(s))
	if missing == nil {
		written = info.ModTime()
	}
	if u, _ := a.read.Get().(*unpacked); u != nil && u.of == s && u.time.Equal(written) {
		a.read.Put(u)
		return u.events, nil
	}
	file, err := brought()
	if err == nil && file == nil {
		file, err = a.File(s)
	}
	if err != nil {
		return nil, err
	}
	events, err := Unpack(s, file)
	if err == nil {
		a.read.Put(&unpacked{s, written, events})
	}
	return events, err
}

// File reads the segment's file.
func (a *Folder) File(s store.Segment) ([]byte, error) {
	file, err := os.ReadFile(a.path(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, model.Errorf(model.CodeCorrupt, "the segment %s, with events %d to %d, is missing from the archive", Name(s), s.First, s.Last).
			WithHint("bring the file back into %s, or restore a backup", a.dir)
	}
	return file, store.Explain("read the segment "+Name(s), err)
}

// lockName is the file whose lock says who may change the archive.
const lockName = "lock"

// Own takes the archive, which one process at a time may change, until release is
// called. It waits for another process as long as ctx allows.
func (a *Folder) Own(ctx context.Context) (release func(), err error) {
	return a.own(func(path string) (*workspace.Lock, error) { return workspace.WaitLock(ctx, path, func(error) {}) })
}

// TryOwn is Own that does not wait: CodeBusy when another process has it.
func (a *Folder) TryOwn() (release func(), err error) { return a.own(workspace.TryLock) }

// own makes the folder when it is not there, and takes its lock.
func (a *Folder) own(take func(path string) (*workspace.Lock, error)) (release func(), err error) {
	err = os.Mkdir(a.dir, 0o700)
	if err == nil {
		err = syncFolder(filepath.Dir(a.dir))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, store.Explain("make the archive", err)
	}
	lock, err := take(filepath.Join(a.dir, lockName))
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Release() }, nil
}

// Keep makes the segment's file durable under its name.
func (a *Folder) Keep(s store.Segment, file []byte) error {
	temp, err := scratch.NewFile(a.dir, "segment")
	if err != nil {
		return store.Explain("write a segment", err)
	}
	defer temp.Discard()
	if _, err = temp.Write(file); err == nil {
		err = temp.Sync()
	}
	if err == nil {
		err = temp.Replace(a.path(s))
	}
	if err == nil {
		err = syncFolder(a.dir)
	}
	return store.Explain("write a segment", err)
}

// Strays lists the files that look like segments and are none of these.
func (a *Folder) Strays(of []store.Segment) (names []string, err error) {
	known := make(map[string]bool, len(of))
	for _, s := range of {
		known[Name(s)] = true
	}
	entries, err := os.ReadDir(a.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if isName(e.Name()) && !known[e.Name()] {
			names = append(names, e.Name())
		}
	}
	return names, store.Explain("look into the archive", err)
}

// Differs says whether the file of the segment's name is there and another.
func (a *Folder) Differs(s store.Segment) (bool, error) {
	file, err := os.ReadFile(a.path(s))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && model.HashOf(file) != s.SHA256, store.Explain("read the segment "+Name(s), err)
}

// PutAside moves files into a folder of their own, named after the time, and
// returns its path: they are of a ledger that was replaced, or were never sealed.
func (a *Folder) PutAside(now model.Time, names ...string) (to string, err error) {
	to = filepath.Join(a.dir, "replaced-"+now.Std().Format("20060102T150405.000000Z"))
	err = os.MkdirAll(to, 0o700)
	for _, name := range names {
		if err == nil {
			err = os.Rename(filepath.Join(a.dir, name), filepath.Join(to, name))
		}
	}
	if err == nil {
		err = syncFolder(a.dir)
	}
	return to, store.Explain("put segments aside", err)
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
