package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/redact"
	"binnacle/model/session"
)

// forgetRow is after how long without a report a session is no longer
// published, though nobody said that it ended.
const forgetRow = 24 * time.Hour

// source is one workspace's part of this machine's summary: rows/<hash>.json.
// Several clones of a repository share the machine's one ref, so whoever pushes
// puts their parts together.
type source struct {
	Workspace string              `json:"workspace"`
	Ledger    fleetmap.LedgerHead `json:"ledger"`
	Rows      []sourceRow         `json:"rows"`
}

type sourceRow struct {
	Seen  model.Reading    `json:"seen"`
	Wrote model.Reading    `json:"wrote"`
	PID   int              `json:"pid"`
	Start int64            `json:"start"`
	Space string           `json:"space"`
	Lease *model.Lease     `json:"lease,omitempty"` // of a session that somebody declared
	Row   fleetmap.LiveRow `json:"row"`
}

func (f *book) sourcePath(r *git.Remote) string {
	return filepath.Join(r.Dir, "rows", filepath.Base(f.dir)+".json")
}

// ownSource reads this workspace's part from its ledger.
func (f *book) ownSource(ctx context.Context, now model.Reading) (source, error) {
	s := source{Workspace: f.repo.Root, Rows: []sourceRow{}}
	list, err := f.Sessions(ctx)
	if err != nil {
		return s, err
	}
	for _, l := range list {
		if l.State != session.Ended && l.Parent == "" {
			row := l.row(now)
			if !f.opts.ShareTitles {
				row.Title, row.Asks = "", ""
			}
			s.Rows = append(s.Rows, sourceRow{l.Seen, l.Wrote, l.PID, l.start, l.space, l.lease, row})
		}
	}
	if f.opts.Store != nil {
		s.Ledger, err = f.ledgerHead(ctx)
	}
	return s, err
}

func (f *book) ledgerHead(ctx context.Context) (fleetmap.LedgerHead, error) {
	var h model.Head
	err := f.opts.Store.Read(ctx, func(r store.Reader) error {
		var err error
		h, err = r.Head()
		return err
	})
	if err != nil || h.Seq == 0 {
		return fleetmap.LedgerHead{}, err
	}
	return fleetmap.LedgerHead{Seq: h.Seq, Hash: h.Hash, Epoch: f.opts.Store.Epoch()}, nil
}

// summary puts the machine's summary together, and keeps this workspace's part
// for the others.
func (f *book) summary(ctx context.Context, r *git.Remote, now model.Reading) (fleetmap.Live, error) {
	own, err := f.ownSource(ctx, now)
	if err != nil {
		return fleetmap.Live{}, err
	}
	if err := statefile.WriteJSON(f.sourcePath(r), own); err != nil {
		return fleetmap.Live{}, err
	}
	rows, err := f.otherRows(r, now)
	if err != nil {
		return fleetmap.Live{}, err
	}
	for _, s := range own.Rows {
		rows = append(rows, s.Row)
	}
	live := fleetmap.Live{
		Repo: r.Name, Machine: f.Machine(), Agent: f.opts.Agent, Boot: now.Boot, WrittenAt: now.Wall, Ledger: own.Ledger,
	}
	for _, row := range rows {
		if row.Alive || row.Age < forgetRow {
			live.Rows = append(live.Rows, row)
		}
	}
	return redacted(live, f.opts.Redactor), nil
}

// redacted returns the summary without what looks like a secret: it can't be
// called back once it is published. A session's id that looks like one is
// replaced by its hash, so that it still names that session alone.
func redacted(l fleetmap.Live, r *redact.Redactor) fleetmap.Live {
	rows := make([]fleetmap.LiveRow, len(l.Rows))
	for i, row := range l.Rows {
		if _, n := r.RedactText(row.Session); n > 0 {
			row.Session = session.HashedName(row.Session)
		}
		for _, text := range []*string{&row.Actor, &row.Change, &row.Event, &row.LastWrite, &row.View, &row.Title, &row.Asks} {
			*text, _ = r.RedactText(*text)
		}
		row.Paths = r.RedactTexts(row.Paths)
		rows[i] = row
	}
	l.Rows = rows
	return l
}

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
func (f *book) keptOthers() []keptSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.others.sources
}

// settled is how old a folder's date must be so that no change after it was read
// can have the same: many times what a file system's clock takes for a step.
const settled = 100 * time.Millisecond

// otherSources reads the parts of the machine's other workspaces on this
// remote, or has them still.
func (f *book) otherSources(r *git.Remote) ([]keptSource, error) {
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
func (f *book) otherRows(r *git.Remote, now model.Reading) ([]fleetmap.LiveRow, error) {
	sources, err := f.otherSources(r)
	if err != nil {
		return nil, err
	}
	var out []fleetmap.LiveRow
	for _, s := range sources {
		if s.Workspace != "" && !statefile.Exists(s.Workspace) {
			_ = os.Remove(s.path) // that clone is gone; what stays is skipped again
			continue
		}
		for _, row := range s.Rows {
			judged := row.PID > 0 && row.Space == process.Space() && row.Seen.SameBoot(now)
			row.Row.Alive = judged && process.Same(row.PID, row.Start)
			if row.Lease != nil {
				judged, row.Row.Alive = true, !row.Lease.Over(now)
			}
			if row.Lease == nil && row.Seen.Boot != now.Boot || judged && !row.Row.Alive {
				continue
			}
			row.Row.Age = fleetmap.Elapsed(row.Seen, now)
			if row.Row.LastWrite != "" {
				row.Row.WriteAge = fleetmap.Elapsed(row.Wrote, now)
			}
			out = append(out, row.Row)
		}
	}
	return out, nil
}
