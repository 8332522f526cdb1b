package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// keptSources are the parts of the machine's other workspaces as they were read
// last. Each part is replaced whole, by a rename, which moves the folder's date.
type keptSources struct {
	folder  string
	at      time.Time // the folder's date before it was read; zero: not to be relied on
	sources []keptSource
}

type keptSource struct {
	path string
	source
}

// keptOthers are the other workspaces' parts as they were read last.
func (f *Fleet) keptOthers() []keptSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.others.sources
}

// settled is how old a folder's date must be so that no change after it was read
// can have the same: many times what a file system's clock takes for a step.
const settled = 100 * time.Millisecond

// otherSources reads the parts of the machine's other workspaces on this
// remote, or has them still.
func (f *Fleet) otherSources(r *git.Remote) ([]keptSource, error) {
	folder := filepath.Join(r.Dir, "rows")
	var at time.Time
	if info, err := os.Stat(folder); err == nil {
		at = info.ModTime()
	}
	f.mu.Lock()
	kept := f.others
	f.mu.Unlock()
	if !at.IsZero() && kept.folder == folder && kept.at.Equal(at) {
		return kept.sources, nil
	}
	fresh := keptSources{folder: folder}
	if time.Since(at) > settled {
		fresh.at = at
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, statefile.Error(err)
	}
	f.folderWalks.Add(1)
	for _, path := range paths {
		if path == f.sourcePath(r) || strings.HasPrefix(filepath.Base(path), ".") {
			continue
		}
		s := keptSource{path: path}
		if err := statefile.ReadJSON(path, &s.source); err != nil {
			return nil, err
		}
		fresh.sources = append(fresh.sources, s)
	}
	f.mu.Lock()
	f.others = fresh
	f.mu.Unlock()
	return fresh.sources, nil
}

// otherRows are the open sessions of the machine's other workspaces on this
// remote, their ages brought to now. A session whose process is gone is left
// out: its workspace may have nobody who notices.
func (f *Fleet) otherRows(r *git.Remote, now model.Reading) ([]model.LiveRow, error) {
	sources, err := f.otherSources(r)
	if err != nil {
		return nil, err
	}
	var out []model.LiveRow
	for _, s := range sources {
		if s.Workspace != "" && !statefile.Exists(s.Workspace) {
			_ = os.Remove(s.path) // that clone is gone; what stays is skipped again
			continue
		}
		for _, row := range s.Rows {
			judged := row.PID > 0 && row.Space == process.Space() && row.Seen.SameBoot(now)
			row.Row.Alive = judged && process.Same(row.PID, row.Start)
			if row.Seen.Boot != now.Boot || judged && !row.Row.Alive {
				continue
			}
			row.Row.Age = model.Elapsed(row.Seen, now)
			if row.Row.LastWrite != "" {
				row.Row.WriteAge = model.Elapsed(row.Wrote, now)
			}
			out = append(out, row.Row)
		}
	}
	return out, nil
}
