package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/export"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/model"
)

// The topics of the events that record what was done to the ledger as a whole.
const (
	TopicBackup  = "ledger/backup"
	TopicRestore = "ledger/restore"
	TopicRebuild = "ledger/rebuild"
)

// Report says what a backup holds.
type Report struct {
	Path   string     `json:"path"`
	Head   model.Head `json:"head"`
	Events int64      `json:"events"`
	Bytes  int64      `json:"bytes"`
	SHA256 string     `json:"sha256"` // of the file
}

// Create copies the ledger, as of one instant, to a new file at path, while
// others go on writing. The copy passes SQLite's integrity check and Verify
// before it gets its name; a file that is there already is refused. A system
// event records it, unless the workspace is read-only.
func Create(ctx context.Context, l *ledger.Ledger, path string) (Report, error) {
	fs, ok := l.Store().(store.Copier)
	if !ok {
		return Report{}, notOfFiles("backed up")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Report{}, err
	}
	if _, err := os.Lstat(path); err == nil {
		return Report{}, model.Errorf(model.CodeRefused, "%s exists already", path).WithHint("name a file that is not there")
	}
	if err := export.Writable(path); err != nil {
		return Report{}, err
	}
	work, err := workshop(fs, "backup")
	if err != nil {
		return Report{}, err
	}
	defer work.Remove()
	tmp := filepath.Join(work.Path(), "ledger.db")
	if err := fs.Backup(ctx, tmp); err != nil {
		return Report{}, err
	}
	v, head, err := verifyCopy(ctx, fs, tmp, true)
	if err != nil {
		return Report{}, err
	}
	if !v.OK {
		return Report{}, model.Errorf(model.CodeCorrupt, "the copy does not verify, so there is no backup: %s", v.Finding.Message).
			WithHint("binnacle ledger verify says the same of the ledger itself")
	}
	rep := Report{Path: path, Head: head, Events: v.Events}
	if rep.Bytes, rep.SHA256, err = publishFile(tmp, path); err != nil {
		return rep, err
	}
	if l.Store().ReadOnly() {
		return rep, nil
	}
	return rep, l.Record(ctx, TopicBackup, map[string]any{
		"action": "backup", "path": path, "seq": head.Seq, "hash": head.Hash, "bytes": rep.Bytes, "sha256": rep.SHA256,
	})
}

func notOfFiles(done string) error {
	return model.Errorf(model.CodeRefused, "this store can't be %s by binnacle", done).WithHint("use the database's own tools")
}

// workshop makes a folder for a copy: beside the database where it can, for that
// is a file system that holds one, wherever the backup itself lies.
func workshop(fs store.Copier, what string) (*scratch.Folder, error) {
	dir, err := scratch.NewFolder(fs.Dir(), what)
	if err == nil {
		return dir, nil
	}
	if dir, e := scratch.NewFolder("", what); e == nil {
		return dir, nil // a workspace that can only be read
	}
	return nil, model.Errorf(model.CodeReadOnly, "there is no room to make a copy: %w", err)
}

// verifyCopy opens a copy that nobody else uses and verifies it.
func verifyCopy(ctx context.Context, fs store.Copier, path string, readOnly bool) (v verify.Result, head model.Head, err error) {
	s, err := fs.OpenCopy(ctx, path, readOnly)
	if err != nil {
		return v, head, err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	if v, err = verify.Run(ctx, s, verify.Options{}); err != nil {
		return v, head, err
	}
	head, err = store.HeadNow(ctx, s)
	return v, head, err
}

// publishFile gives the finished file its name, by a link where it can, else by a
// copy that is durable and compared before it gets its name. It never replaces
// a file.
func publishFile(tmp, path string) (size int64, sum string, err error) {
	size, sum, err = digestFile(tmp)
	if err != nil {
		return 0, "", err
	}
	if err := os.Link(tmp, path); err == nil || errors.Is(err, os.ErrExist) {
		return size, sum, publishError(path, err)
	}
	part, err := scratch.NewFile(filepath.Dir(path), "backup")
	if err != nil {
		return 0, "", publishError(path, err)
	}
	defer part.Discard()
	if err := copyInto(tmp, part.File); err != nil {
		return 0, "", publishError(path, err)
	}
	if _, got, err := digestFile(part.Name()); err != nil || got != sum {
		return 0, "", model.Errorf(model.CodeCorrupt, "what was written to %s is not what was read back", path)
	}
	return size, sum, publishError(path, part.Publish(path))
}

func publishError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrExist):
		return model.Errorf(model.CodeRefused, "%s exists already", path).WithHint("name a file that is not there")
	default:
		return model.Errorf(model.CodeUsage, "%s can't be written: %w", path, err)
	}
}

func digestFile(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// copyFile copies durably, with mode 0600.
func copyFile(from, to string) error {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = copyInto(from, out)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// copyInto copies durably.
func copyInto(from string, out *os.File) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}
