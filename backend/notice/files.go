package notice

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
)

// Follow calls ring after one of the files was made, replaced, written or
// touched, whether it is there now or not; their folders must be. A Watcher
// follows files once.
func (w *Watcher) Follow(paths []string, ring func()) error {
	file := func(path string) error {
		return w.Add(path, Written|Touched, func(string, What) { ring() })
	}
	for _, path := range paths {
		err := w.Add(filepath.Dir(path), Moved, func(moved string, _ What) {
			if slices.Contains(paths, moved) {
				_ = file(moved) // else it is gone again
				ring()
			}
		})
		if err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := file(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
