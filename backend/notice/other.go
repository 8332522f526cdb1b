//go:build !linux

package notice

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"

	"binnacle/backend/guard"
)

// Closes says whether the system tells what is Closed.
const Closes = false

// Watcher passes notices on. Its methods may be called from any goroutine.
type Watcher struct {
	all  *fsnotify.Watcher
	wait guard.Group

	mu      sync.Mutex
	watches map[string]watch
}

type watch struct {
	what What
	hear Hear
}

// New begins to listen. An error means that there are no notices: too many
// listen already, say.
func New() (*Watcher, error) {
	all, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{all: all, watches: map[string]watch{}}
	w.wait.Go("notices", w.listen)
	return w, nil
}

// Add tells hear of what happens to the file at path or, when it is a folder, in
// it. A second Add of a path replaces the first.
func (w *Watcher) Add(path string, what What, hear Hear) error {
	w.mu.Lock()
	w.watches[path] = watch{what, hear}
	w.mu.Unlock()
	err := w.all.Add(path)
	if err != nil {
		w.forget(path)
	}
	return err
}

// Remove ends what Add of the path began.
func (w *Watcher) Remove(path string) {
	w.forget(path)
	_ = w.all.Remove(path)
}

func (w *Watcher) forget(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watches, path)
}

// Close ends all notices. None is under way when it returns.
func (w *Watcher) Close() {
	_ = w.all.Close()
	w.wait.Wait()
}

func (w *Watcher) listen() {
	for {
		select {
		case e, ok := <-w.all.Events:
			if !ok {
				return
			}
			w.tell(e)
		case _, ok := <-w.all.Errors:
			if !ok {
				return
			}
			// Notices were lost: anything may have happened.
			w.mu.Lock()
			all := make(map[string]watch, len(w.watches))
			for path, of := range w.watches {
				all[path] = of
			}
			w.mu.Unlock()
			for path, of := range all {
				of.hear(path, everything)
			}
		}
	}
}

func (w *Watcher) tell(e fsnotify.Event) {
	w.mu.Lock()
	of, ok := w.watches[e.Name]
	if !ok {
		of, ok = w.watches[filepath.Dir(e.Name)]
	}
	w.mu.Unlock()
	var what What
	switch {
	case e.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename):
		what = Moved
	case e.Has(fsnotify.Write):
		what = Written
	case e.Has(fsnotify.Chmod):
		what = Touched
	}
	if ok && of.what&what != 0 {
		of.hear(e.Name, what)
	}
}
