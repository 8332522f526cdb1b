// Package receipt tells a claim whose answer never came out from others.
//
// A claim is written before its answer is out, so a process that dies between
// the two, however it dies, leaves a directive taken under a token that nobody
// has. A receipt is what tells such a claim from others: a file named after the
// token's hash that the claimant makes and locks before it commits, and deletes
// when its answer is out. The system drops the lock of a process that dies. A
// receipt that is there and not locked is that of a claim whose answer never
// came out, and whoever claims or reaps next gives that claim back, uncounted.
//
// What holds: while a claim with a receipt is committed and its answer is not
// out, its receipt stands locked, or its process is dead. The cost is that of
// making and deleting a file; nothing is written to the database.
package receipt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
)

// Look is how soon to look again while some receipt is Pending.
const Look = 500 * time.Millisecond

// Receipt is that of one claim, locked by this process. Its methods take nil.
type Receipt struct {
	lock *workspace.Lock
	path string
}

// Hash is that of the claim's token.
func (r *Receipt) Hash() string { return filepath.Base(r.path) }

// Close deletes the receipt: the answer is out, or the claim was given back.
func (r *Receipt) Close() error {
	if r == nil {
		return nil
	}
	// Deleted before the lock is let go: nobody may find it unlocked.
	err := os.Remove(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return store.Explain("delete a claim's receipt", errors.Join(err, r.lock.Release()))
}

// Abandon lets the receipt go unlocked, for whoever looks next.
func (r *Receipt) Abandon() {
	if r != nil {
		_ = r.lock.Release()
	}
}

// Folder is where the receipts of a workspace are. "" has none.
type Folder string

// Make makes the receipt of a claim that is about to be written. The folder is
// made with the first.
func (f Folder) Make(hash string) (*Receipt, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, store.Explain("make the folder of receipts", err)
	}
	path := filepath.Join(string(f), hash)
	lock, err := workspace.CreateLock(path)
	if err != nil {
		return nil, err
	}
	return &Receipt{lock, path}, nil
}

// Abandoned lists the receipts that no living process holds, locked by us.
func (f Folder) Abandoned() (out []*Receipt) {
	for _, n := range f.names() {
		path := filepath.Join(string(f), n.Name())
		if strings.HasPrefix(n.Name(), workspace.Unnamed) {
			forgetUnnamed(path, n)
			continue
		}
		lock, err := workspace.TryLockExisting(path)
		if err != nil {
			continue // its process lives, or it is gone
		}
		out = append(out, &Receipt{lock, path})
	}
	return out
}

// forgetUnnamed deletes what a process left that died while it made its receipt:
// it had no claim yet. Whoever is at it now is done within the hour.
func forgetUnnamed(path string, n fs.DirEntry) {
	if info, err := n.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Remove(path)
	}
}

// Pending says whether some claim's answer is not out yet: its process may die,
// which makes no commit that could be waited for.
func (f Folder) Pending() bool {
	return slices.ContainsFunc(f.names(), func(n fs.DirEntry) bool { return !strings.HasPrefix(n.Name(), workspace.Unnamed) })
}

func (f Folder) names() []fs.DirEntry {
	if f == "" {
		return nil
	}
	names, err := os.ReadDir(string(f))
	if err != nil {
		return nil // none was ever made
	}
	return names
}
