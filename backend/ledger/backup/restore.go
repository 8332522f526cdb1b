package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/store"
	"binnacle/model"
)

// RestoreReport says what was restored over what.
type RestoreReport struct {
	Path     string     `json:"path"`
	Head     model.Head `json:"head"`     // of the backup
	Replaced model.Head `json:"replaced"` // of what was there
	Epoch    string     `json:"epoch"`    // the new one
}

// Restore replaces the ledger by the backup at path, which is only read, in one
// transaction for every process that has the workspace open, and renews the
// epoch. The backup is copied, checked and verified first. A ledger that has
// events the backup does not have is not overwritten unless force.
func Restore(ctx context.Context, l *ledger.Ledger, path string, force bool) (RestoreReport, error) {
	rep := RestoreReport{Path: path}
	s := l.Store()
	fs, ok := s.(store.Copier)
	if !ok {
		return rep, notOfFiles("restored")
	}
	if s.ReadOnly() {
		return rep, model.Errorf(model.CodeReadOnly, "the workspace was opened read-only")
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return rep, model.Errorf(model.CodeUsage, "there is no backup at %s", path)
	}
	if err := looksLikeBackup(fs, path); err != nil {
		return rep, err
	}
	work, err := workshop(fs, "restore")
	if err != nil {
		return rep, err
	}
	defer work.Remove()
	tmp := filepath.Join(work.Path(), "ledger.db")
	if err := copyFile(path, tmp); err != nil {
		return rep, model.Errorf(model.CodeUsage, "the backup %s can't be read: %w", path, err)
	}
	if err := copyFile(path+"-wal", tmp+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return rep, model.Errorf(model.CodeUsage, "the log of the backup %s can't be read: %w", path, err)
	}
	if err := fs.CheckCopy(ctx, tmp); err != nil {
		return rep, ofBackup(err, tmp, path)
	}
	v, head, err := verifyCopy(ctx, fs, tmp, false)
	if err != nil {
		return rep, ofBackup(err, tmp, path)
	}
	rep.Head = head
	if !v.OK {
		return rep, model.Errorf(model.CodeCorrupt, "the backup does not verify: %s", v.Finding.Message).
			WithHint("nothing was changed")
	}
	newer, err := newerThan(ctx, s, fs, tmp, head)
	if rep.Replaced, _ = store.HeadNow(ctx, s); err == nil && newer != nil && !force {
		err = newer
	}
	if err != nil {
		return rep, err
	}
	if err := fs.Restore(ctx, tmp); err != nil {
		return rep, err
	}
	rep.Epoch = s.Epoch()
	return rep, l.Record(ctx, TopicRestore, map[string]any{
		"action": "restore", "path": path, "seq": head.Seq, "hash": head.Hash,
		"replaced_seq": rep.Replaced.Seq, "replaced_hash": rep.Replaced.Hash, "forced": force && newer != nil,
	})
}

// looksLikeBackup refuses a file that can't be a ledger's: an empty one would be
// taken for a ledger without events.
func looksLikeBackup(fs store.Copier, path string) error {
	database, err := fs.IsCopy(path)
	if err != nil {
		return model.Errorf(model.CodeUsage, "the backup %s can't be read: %w", path, err)
	}
	if !database {
		return model.Errorf(model.CodeUsage, "%s is not a backup of a ledger", path).
			WithHint("binnacle ledger backup FILE makes one; nothing was changed")
	}
	return nil
}

// ofBackup tells an error about the copy tmp as one about the backup itself.
func ofBackup(err error, tmp, path string) error {
	var known *model.Error
	if !errors.As(err, &known) {
		return model.Errorf(model.CodeInternal, "the backup %s can't be read: %w", path, err)
	}
	e := *known
	e.Message = strings.ReplaceAll(e.Message, tmp, path)
	if !strings.Contains(e.Message, path) {
		e.Message = "the backup " + path + " can't be used: " + e.Message
	}
	return e.WithHint("nothing was changed")
}

// newerThan returns a refusal when the ledger has events that the backup does
// not have. Events that only record backups and restores don't count.
func newerThan(ctx context.Context, s store.Store, fs store.Copier, backup string, head model.Head) (refusal, err error) {
	live, err := store.HeadNow(ctx, s)
	if err != nil || live.Seq == 0 {
		return nil, err
	}
	hint := "--force overwrites it; make a backup of it first"
	apart := model.Errorf(model.CodeRefused, "the ledger is not a continuation of the backup: they differ from event %d on at the latest", min(live.Seq, head.Seq)).
		WithHint("%s", hint)
	if head.Seq >= live.Seq {
		hash, err := hashIn(ctx, fs, backup, live.Seq)
		if err != nil {
			return nil, err
		}
		if hash != live.Hash {
			return apart, nil
		}
		return nil, nil
	}
	var more []model.Event
	var common model.Event
	err = s.Read(ctx, func(r store.Reader) error {
		var err error
		if head.Seq > 0 {
			if common, err = r.Event(head.Seq); err != nil {
				return err
			}
		}
		more, err = store.SelectEvents(r, `WHERE seq > $1 AND NOT (kind = 'system' AND topic IN ($2, $3)) ORDER BY seq LIMIT 1`,
			head.Seq, TopicBackup, TopicRestore)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case common.Hash != head.Hash:
		return apart, nil
	case len(more) > 0:
		return model.Errorf(model.CodeRefused, "the ledger is newer than the backup: it has %d events, the backup %d", live.Seq, head.Seq).
			WithHint("%s", hint), nil
	}
	return nil, nil
}

// hashIn reads one event's hash from another ledger's file.
func hashIn(ctx context.Context, fs store.Copier, path string, seq int64) (hash string, err error) {
	s, err := fs.OpenCopy(ctx, path, false)
	if err != nil {
		return "", err
	}
	err = s.Read(ctx, func(r store.Reader) error {
		e, err := r.Event(seq)
		hash = e.Hash
		return err
	})
	if e := s.Close(); err == nil {
		err = e
	}
	return hash, err
}

// Rebuild makes the derived tables anew from the events: locked, with a backup,
// swapped whole. Our tables, indexes and rows of events get the form that this
// version gives them. The chain is verified before, everything after. Ids do not
// change.
func Rebuild(ctx context.Context, l *ledger.Ledger, progress func(done, total int64)) (verify.Result, error) {
	s := l.Store()
	rs, ok := s.(store.Copier)
	if !ok {
		return verify.Result{}, notOfFiles("rebuilt")
	}
	v, err := verify.Run(ctx, s, verify.Options{ChainOnly: true})
	if err != nil {
		return v, err
	}
	if !v.OK {
		return v, model.Errorf(model.CodeCorrupt, "the events themselves are damaged, so nothing can be rebuilt from them: %s", v.Finding.Message).
			WithHint("restore a backup")
	}
	if err := rs.Rebuild(ctx, progress); err != nil {
		return v, err
	}
	if err := l.Record(ctx, TopicRebuild, map[string]any{"action": "rebuild", "seq": v.To}); err != nil {
		return v, err
	}
	if v, err = verify.Run(ctx, s, verify.Options{}); err == nil {
		err = v.Finding.Err()
	}
	return v, err
}
