package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// ignore keeps Git clean: all but config.toml and the file itself is ours.
const ignore = "*\n!.gitignore\n!config.toml\n"

// configText is the config.toml of a new workspace: every setting, explained
// and left as it is by default.
const configText = `# Settings of this workspace. Every line is optional; what stands here
# commented out is the default.

# producer = "who writes, where nobody is named; default user@host"
# theme = "auto"          # auto, dark, light, ansi, mono, or one of your own
# ascii = false           # draw with plain ASCII
# mouse = true

[ui]
# esc_delay = "100ms"     # how long a lone escape waits; 300ms over ssh

[keys]
# requeue = ["r"]         # an action's keys; binnacle keys lists the actions

[redact]
# off = false             # true keeps secrets as they come
# [[redact.patterns]]
# name = "our-token"
# pattern = "tok_[a-z0-9]{20}"

[ledger]
# retention = ""          # "24h": older events are sealed into .binnacle/archive

[queue]
# ageing = ""             # "30m": one priority step for each half hour waited
# lease = "30m"
# max_attempts = 10       # lapsed leases before a directive is parked; 0 never

[fleet]
# off = false
# remote = "origin"
# prefix = "refs/bay"    # of the refs on the remote
# repo = ""               # the repository's name among the machines; else from the URL
# heartbeat = "10s"
# fetch = "30s"
# takeover = "120s"

[notify]
# command = ""            # runs once after each executor event
`

// Init makes a workspace in the folder dir, which must exist, or finds that
// there is one; created says which. Any number of processes may do it at once.
//
// make makes its database, or brings it up to date. log hears what is not
// as it should be; nil is nobody.
func Init(dir string, log io.Writer, make func(Workspace) error) (w Workspace, created bool, err error) {
	real, err := filepath.EvalSymlinks(projectOf(dir))
	if err != nil {
		return Workspace{}, false, model.Errorf(model.CodeUsage, "no workspace can be made in %s: %w", clean.Line(dir), err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return Workspace{}, false, model.Errorf(model.CodeUsage, "%s is not a folder", clean.Line(dir))
	}
	if err := CheckFileSystem(real); err != nil {
		return Workspace{}, false, err
	}
	w = Workspace{project: real}
	if err := os.Mkdir(w.Dir(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Workspace{}, false, store.Explain("make the workspace", err)
	}
	if w, err = at(real); err != nil {
		return Workspace{}, false, err
	}
	closeFolder(w.Dir(), log)
	scratch.Clean(w.Dir())
	_, err = os.Lstat(w.Database())
	created = errors.Is(err, fs.ErrNotExist)
	if err := os.Mkdir(filepath.Join(w.Dir(), "crash"), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Workspace{}, false, store.Explain("make the workspace", err)
	}
	for name, text := range map[string]string{".gitignore": ignore, "config.toml": configText} {
		if err := writeNew(filepath.Join(w.Dir(), name), text); err != nil {
			return Workspace{}, false, store.Explain("make the workspace", err)
		}
	}
	return w, created, make(w)
}

// closeFolder takes the folder away from other users, or says that it can't.
func closeFolder(dir string, log io.Writer) {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return
	}
	if err := os.Chmod(dir, 0o700); err != nil && log != nil {
		_, _ = fmt.Fprintf(log, "binnacle: other users may look into %s (mode %04o): %v\n", dir, info.Mode().Perm(), err)
	}
}

// writeNew writes a file, whole or not at all, unless there is one already.
func writeNew(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := scratch.NewFile(filepath.Dir(path), "new")
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	if err := f.Publish(path); !errors.Is(err, fs.ErrExist) {
		return err // else another process wrote it
	}
	return nil
}
