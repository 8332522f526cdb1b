package fleet

import (
	"context"
	"path/filepath"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
)

// forgetRow is after how long without a report a session is no longer
// published, though nobody said that it ended.
const forgetRow = 24 * time.Hour

// source is one workspace's part of this machine's summary: rows/<hash>.json.
// Several clones of a repository share the machine's one ref, so whoever pushes
// puts their parts together.
type source struct {
	Workspace string           `json:"workspace"`
	Ledger    model.LedgerHead `json:"ledger"`
	Rows      []sourceRow      `json:"rows"`
}

type sourceRow struct {
	Seen  model.Reading `json:"seen"`
	Wrote model.Reading `json:"wrote"`
	PID   int           `json:"pid"`
	Start int64         `json:"start"`
	Space string        `json:"space"`
	Row   model.LiveRow `json:"row"`
}

func (f *Fleet) sourcePath(r *git.Remote) string {
	return filepath.Join(r.Dir, "rows", filepath.Base(f.dir)+".json")
}

// ownSource reads this workspace's part from its ledger.
func (f *Fleet) ownSource(ctx context.Context, now model.Reading) (source, error) {
	s := source{Workspace: f.repo.Root, Rows: []sourceRow{}}
	list, err := f.Sessions(ctx)
	if err != nil {
		return s, err
	}
	for _, l := range list {
		if l.State != model.SessionEnded && l.Parent == "" {
			row := l.row(now)
			if !f.opts.ShareTitles {
				row.Title, row.Asks = "", ""
			}
			s.Rows = append(s.Rows, sourceRow{l.Seen, l.Wrote, l.PID, l.start, l.space, row})
		}
	}
	if f.opts.Store != nil {
		s.Ledger, err = f.ledgerHead(ctx)
	}
	return s, err
}

func (f *Fleet) ledgerHead(ctx context.Context) (model.LedgerHead, error) {
	var h model.Head
	err := f.opts.Store.Read(ctx, func(r store.Reader) error {
		var err error
		h, err = r.Head()
		return err
	})
	if err != nil || h.Seq == 0 {
		return model.LedgerHead{}, err
	}
	return model.LedgerHead{Seq: h.Seq, Hash: h.Hash, Epoch: f.opts.Store.Epoch()}, nil
}

// summary puts the machine's summary together, and keeps this workspace's part
// for the others.
func (f *Fleet) summary(ctx context.Context, r *git.Remote, now model.Reading) (model.Live, error) {
	own, err := f.ownSource(ctx, now)
	if err != nil {
		return model.Live{}, err
	}
	if err := statefile.WriteJSON(f.sourcePath(r), own); err != nil {
		return model.Live{}, err
	}
	rows, err := f.otherRows(r, now)
	if err != nil {
		return model.Live{}, err
	}
	for _, s := range own.Rows {
		rows = append(rows, s.Row)
	}
	live := model.Live{
		Repo: r.Name, Machine: f.Machine(), Agent: f.opts.Agent, Boot: now.Boot, WrittenAt: now.Wall, Ledger: own.Ledger,
	}
	for _, row := range rows {
		if row.Alive || row.Age < forgetRow {
			live.Rows = append(live.Rows, row)
		}
	}
	return live.Redacted(f.opts.Redactor), nil
}
