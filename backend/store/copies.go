package store

import "context"

// Copier is what a store offers, beside Store, whose whole content fits a file.
type Copier interface {
	// Dir is a folder on a file system that has room for a copy.
	Dir() string
	// Backup copies the database, as of one instant, to a new file, while others go
	// on reading and writing. The copy is checked before it gets its name.
	Backup(ctx context.Context, path string) error
	// IsCopy says whether the file at path looks like one that Backup made.
	IsCopy(path string) (bool, error)
	// CheckCopy looks whether the file is whole; CodeCorrupt with what it found.
	CheckCopy(ctx context.Context, path string) error
	// OpenCopy opens one as a store of the same records, also when it has lost its
	// epoch. Read-only, it changes nothing.
	OpenCopy(ctx context.Context, path string, readOnly bool) (Store, error)
	// Restore replaces the whole content by that of the file, atomically for every
	// process that has the database open, and renews the epoch.
	Restore(ctx context.Context, path string) error
	// Rebuild makes the derived tables anew from the events, locked, with a backup,
	// swapped whole. progress, which may be nil, hears of the events replayed.
	Rebuild(ctx context.Context, progress func(done, total int64)) error
}

// KeepBackups is how many of the backups are kept that migrations and rebuilds
// make.
const KeepBackups = 5

// MigrateOptions say how a migration goes about it.
type MigrateOptions struct {
	DryRun bool // plan only
	Keep   int  // how many backups to keep; at least 1
}

// Plan says what a migration does, or did.
type Plan struct {
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Steps   []string `json:"steps"`            // in order; none when nothing is to be done
	Backup  string   `json:"backup,omitempty"` // the backup's file, once it is made
	Removed []string `json:"removed,omitempty"`
	Done    bool     `json:"done"`
}
