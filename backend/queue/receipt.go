package queue

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model/directive"
)

// A claim is written before its answer is out, so a process that dies between
// the two, however it dies, leaves a directive taken under a token that nobody
// has. A receipt is what tells such a claim from others: a file named after the
// token's hash that the claimant makes and locks before it commits, and deletes
// when its answer is out. The system drops the lock of a process that dies. A
// receipt that is there and not locked is that of a claim whose answer never
// came out, and whoever claims or reaps next gives that claim back, uncounted.
//
// What holds: while a claim of Next{Receipt: true} is committed and its answer
// is not out, its receipt stands locked, or its process is dead. The cost is
// that of making and deleting a file; nothing is written to the database.

// receipt is the claimant's side. Its methods take nil.
type receipt struct {
	lock *workspace.Lock
	path string
}

// close deletes the receipt.
func (r *receipt) close() error {
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

// newReceipt makes the receipt of a claim that is about to be written.
func (q *Queue) newReceipt(hash string) (*receipt, error) {
	if err := os.MkdirAll(q.receipts, 0o700); err != nil {
		return nil, store.Explain("make the folder of receipts", err)
	}
	path := filepath.Join(q.receipts, hash)
	lock, err := workspace.CreateLock(path)
	if err != nil {
		return nil, err
	}
	return &receipt{lock, path}, nil
}

// Delivered says that the claim's answer is out. It is for claims of
// Next{Receipt: true}; for others it does nothing.
func (c *Claim) Delivered() error {
	r := c.receipt
	c.receipt = nil
	return r.close()
}

// GiveBack ends a claim whose answer could not be delivered: the directive is
// pending at its old place, and the attempt is not counted. It needs the claim's
// token, as every step of a holder does.
func (q *Queue) GiveBack(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "give-back")
		if err != nil {
			return q.already(tx, a, "give-back", err)
		}
		return q.write(tx, d, directive.StatusPending, q.payload(a, "give-back", d, forced), 0)
	})
}

// abandoned lists the receipts that no living process holds, locked by us.
func (q *Queue) abandoned() (out []*receipt) {
	if q.receipts == "" {
		return nil
	}
	names, err := os.ReadDir(q.receipts)
	if err != nil {
		return nil // none was ever made
	}
	for _, n := range names {
		path := filepath.Join(q.receipts, n.Name())
		if strings.HasPrefix(n.Name(), workspace.Unnamed) {
			forgetUnnamed(path, n)
			continue
		}
		lock, err := workspace.TryLockExisting(path)
		if err != nil {
			continue // its process lives, or it is gone
		}
		out = append(out, &receipt{lock, path})
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

const sqlTakenByHash = `SELECT id FROM directives WHERE status = 'taken' AND token_hash = $1`

// Undelivered gives back, uncounted, every claim whose process died before its
// answer was out.
func (q *Queue) Undelivered(ctx context.Context) ([]Reclaimed, error) {
	all := q.abandoned()
	if len(all) == 0 {
		return nil, nil
	}
	var out []Reclaimed
	err := q.store.Write(ctx, func(tx store.Tx) error {
		out = nil
		for _, r := range all {
			ids, err := idsOf(tx, sqlTakenByHash, filepath.Base(r.path))
			if err != nil {
				return err
			}
			for _, id := range ids {
				d, err := readOne(tx, id)
				if err != nil {
					return err
				}
				out = append(out, Reclaimed{ID: id, Lane: d.Lane, TakenBy: d.TakenBy, TakenAt: d.TakenAt, LeaseUntil: d.LeaseUntil, Undelivered: true})
				_, err = q.write(tx, d, directive.StatusPending, &directive.Payload{
					Action: "give-back", Why: "the process of " + holder(d) + " ended before its answer was out",
				}, 0)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, r := range all {
		if err != nil {
			_ = r.lock.Release() // it stays for whoever comes next
			continue
		}
		err = r.close()
	}
	return out, err
}

// Delivering says whether some claim's answer is not out yet: its process may
// die, which makes no commit that could be waited for.
func (q *Queue) Delivering() bool {
	if q.receipts == "" {
		return false
	}
	names, err := os.ReadDir(q.receipts)
	return err == nil && slices.ContainsFunc(names, func(n fs.DirEntry) bool { return !strings.HasPrefix(n.Name(), workspace.Unnamed) })
}
