package backend

import (
	"context"
	"io"
	"path/filepath"

	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// This file is the one place that says which store a workspace has.

// StoreOptions say how a workspace's store is opened.
type StoreOptions struct {
	Dir      string // the workspace's folder
	Existing bool   // refuse to make it
	ReadOnly bool
	Mend     bool         // take a ledger that lost its epoch, too: to check, rebuild or restore it
	Clock    model.Clock  // nil: the machine's
	Log      io.Writer    // what takes long or is not as it should be; nil: nowhere
	Parts    *store.Parts // nil: those of all engines
}

func (o StoreOptions) sqlite() sqlite.Options {
	if o.Parts == nil {
		o.Parts = parts.All()
	}
	return sqlite.Options{
		Path: filepath.Join(o.Dir, workspace.Database), Parts: o.Parts, Existing: o.Existing, ReadOnly: o.ReadOnly, Mend: o.Mend, Clock: o.Clock, Log: o.Log,
	}
}

// OpenStore opens a workspace's store without the engines, for who needs no more.
func OpenStore(ctx context.Context, o StoreOptions) (store.Store, error) {
	if err := workspace.Check(o.Dir); err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, o.sqlite())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// InitWorkspace makes a workspace in the folder dir, or finds that there is one: see
// workspace.Init. The folder of o is not looked at.
func InitWorkspace(ctx context.Context, dir string, o StoreOptions) (w workspace.Workspace, created bool, err error) {
	return workspace.Init(dir, o.Log, func(w workspace.Workspace) error {
		o.Dir = w.Dir()
		s, err := OpenStore(ctx, o)
		if err != nil {
			return err
		}
		return s.Close()
	})
}

// Migrate brings the schema of a workspace's store up to date: see sqlite.Migrate.
func Migrate(ctx context.Context, o StoreOptions, m store.MigrateOptions) (store.Plan, error) {
	if err := workspace.Check(o.Dir); err != nil {
		return store.Plan{}, err
	}
	return sqlite.Migrate(ctx, o.sqlite(), m)
}
