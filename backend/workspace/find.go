package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// Workspace is where a workspace lies. Its paths are real: no symbolic link is
// in them. The zero Workspace is none.
type Workspace struct{ project string }

// Project is the folder that .binnacle stands in.
func (w Workspace) Project() string { return w.project }

// Dir is the .binnacle folder.
func (w Workspace) Dir() string { return filepath.Join(w.project, Folder) }

// Database is the database file.
func (w Workspace) Database() string { return filepath.Join(w.Dir(), Database) }

// Config is config.toml.
func (w Workspace) Config() string { return filepath.Join(w.Dir(), "config.toml") }

// FindOptions say where to look for a workspace.
type FindOptions struct {
	Flag string // --workspace: the project's folder or its .binnacle; wins over all
	Env  string // BINNACLE_WORKSPACE, likewise
	Dir  string // where the program was started, absolute
}

// Find locates the workspace: the one that Flag or Env names, else the nearest
// .binnacle from Dir upward, else, inside a linked Git worktree, that of the
// main worktree, so that all worktrees of a repository share one ledger. A
// symbolic link in place of .binnacle or of the database is refused; there
// being none is CodeNoWork.
func Find(o FindOptions) (Workspace, error) {
	for _, name := range []string{o.Flag, o.Env} {
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(o.Dir, name)
		}
		w, err := at(projectOf(name))
		if err == nil && w == (Workspace{}) {
			err = model.Errorf(model.CodeNoWork, "no workspace in %s; run binnacle init", clean.Line(name)).
				WithHint("binnacle init makes one in the folder where it is run; --workspace and BINNACLE_WORKSPACE name another")
		}
		return w, err
	}
	if w, err := upward(o.Dir); err != nil || w != (Workspace{}) {
		return w, err
	}
	if main := mainWorktree(o.Dir); main != "" {
		if w, err := upward(main); err != nil || w != (Workspace{}) {
			return w, err
		}
	}
	return Workspace{}, model.Errorf(model.CodeNoWork, "no workspace here; run binnacle init").
		WithHint("or name one that exists with BINNACLE_WORKSPACE or --workspace")
}

// Check refuses a .binnacle folder that is a symbolic link, or that came with a
// repository. Other folders pass.
func Check(dir string) error {
	if filepath.Base(dir) != Folder {
		return nil
	}
	if err := RefuseLink(dir); err != nil {
		return err
	}
	return checkTracked(dir)
}

// projectOf takes the project's folder or its .binnacle.
func projectOf(name string) string {
	if filepath.Base(name) == Folder {
		return filepath.Dir(name)
	}
	return name
}

// upward looks in dir and in every folder above it.
func upward(dir string) (Workspace, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Workspace{}, store.Explain("find the workspace", err)
	}
	for {
		if w, err := at(dir); err != nil || w != (Workspace{}) {
			return w, err
		}
		above := filepath.Dir(dir)
		if above == dir {
			return Workspace{}, nil
		}
		dir = above
	}
}

// at returns the workspace of the project's folder, the zero one when there is
// none.
func at(project string) (Workspace, error) {
	real, err := filepath.EvalSymlinks(project)
	if absent(err) {
		return Workspace{}, nil
	}
	if err != nil {
		return Workspace{}, store.Explain("find the workspace", err)
	}
	w := Workspace{project: real}
	info, err := os.Lstat(w.Dir())
	switch {
	case absent(err):
		return Workspace{}, nil
	case err != nil:
		return Workspace{}, store.Explain("look at "+w.Dir(), err)
	case info.Mode()&fs.ModeSymlink != 0:
		return Workspace{}, RefuseLink(w.Dir())
	case !info.IsDir():
		return Workspace{}, model.Errorf(model.CodeRefused, "%s is not a folder", w.Dir())
	}
	return w, RefuseLink(w.Database())
}

// absent says whether err means that nothing is there, also because what stands
// in its place is a file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }

// mainWorktree returns the main worktree of the linked Git worktree that dir
// lies in, "" when it lies in none. It reads Git's own files and runs nothing.
func mainWorktree(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil && info.IsDir() {
			return "" // a main worktree: upward has looked there
		}
		if err == nil && info.Mode().IsRegular() {
			return mainOf(dir)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// mainOf reads the .git file of a linked worktree ("gitdir: PATH") and the
// commondir beside its HEAD.
func mainOf(worktree string) string {
	line, ok := firstLine(filepath.Join(worktree, ".git"))
	gitdir := gitdirIn(line, worktree)
	if !ok || gitdir == "" {
		return ""
	}
	common, ok := firstLine(filepath.Join(gitdir, "commondir"))
	if !ok {
		return "" // a submodule's .git file has none: it is a project of its own
	}
	return worktreeOf(common, gitdir)
}

// gitdirIn reads the line of a .git file; "" when it is none.
func gitdirIn(line, worktree string) string {
	gitdir, found := strings.CutPrefix(line, "gitdir: ")
	switch {
	case !found || gitdir == "" || strings.ContainsRune(gitdir, 0):
		return ""
	case filepath.IsAbs(gitdir):
		return filepath.Clean(gitdir)
	}
	return filepath.Join(worktree, gitdir)
}

// worktreeOf returns the main worktree of the repository whose common folder a
// linked worktree's commondir names; "" for a bare repository's: it has none.
func worktreeOf(common, gitdir string) string {
	if common == "" || strings.ContainsRune(common, 0) {
		return ""
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitdir, common)
	}
	common = filepath.Clean(common)
	if filepath.Base(common) != ".git" {
		return ""
	}
	return filepath.Dir(common)
}

// firstLine reads the first line of a small file.
func firstLine(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 16<<10 {
		return "", false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimRight(line, "\r"), true
}

// Writable says why the database can't be written by this process, nil when it
// can.
func Writable(path string) error {
	for _, p := range []string{filepath.Dir(path), path} {
		if err := unix.Access(p, unix.W_OK); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return model.Errorf(model.CodeReadOnly, "%s can't be written", p)
		}
	}
	return nil
}
