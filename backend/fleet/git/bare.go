package git

import (
	"context"
	"os"
	"path/filepath"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// Bare is a bare repository of ours, one of those that a remote has.
type Bare struct {
	Remote *Remote
	Dir    string
}

// Format is the object format of the remote, and so of its caches.
func (b Bare) Format() Format { return b.Remote.Format }

func (b Bare) run(ctx context.Context, c child) (Result, error) {
	c.gitDir = b.Dir
	return b.Remote.in.run(ctx, c)
}

// make makes an empty bare repository of ours; no template, no hooks. It
// is the same as `git init --bare` writes, without its process.
func (b Bare) make() error {
	if statefile.Exists(filepath.Join(b.Dir, "HEAD")) {
		return nil
	}
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := statefile.MakeDir(filepath.Join(b.Dir, d)); err != nil {
			return err
		}
	}
	if err := b.writeConfig(); err != nil {
		return err
	}
	// HEAD last: without it git takes the folder for no repository.
	return statefile.Write(filepath.Join(b.Dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600)
}

// writeConfig sets the repository's configuration back to ours. A filtered
// fetch leaves a section there that would make reading a missing object fetch
// it.
func (b Bare) writeConfig() error {
	text := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n"
	if b.Remote.Format == SHA256 {
		text = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tlogallrefupdates = false\n[extensions]\n\tobjectformat = sha256\n"
	}
	path := filepath.Join(b.Dir, "config")
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	return statefile.Write(path, []byte(text), 0o600)
}

// Pack makes one pack of many. The filter's gaps are allowed for as long as it
// runs.
func (b Bare) Pack(ctx context.Context) error {
	res, err := b.run(ctx, child{config: []string{"remote.gaps.url=.", "remote.gaps.promisor=true"}, args: []string{"repack", "-a", "-d", "-q"}})
	if err == nil && res.code != 0 {
		err = model.Errorf(model.CodeInternal, "the fleet's cache can't be packed: %s", res.why())
	}
	return err
}
