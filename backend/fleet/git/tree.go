package git

import (
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// Tree is a user's work tree as its folders say, without a git process.
type Tree struct {
	Root   string // the work tree, resolved; the folder itself where there is no repository
	Common string // the folder that all work trees share, "" where there is no repository
}

// FindTree walks up to the folder that holds .git. A linked work tree's
// .git is a file that leads to its own folder, and that one's commondir to the
// shared one.
func FindTree(dir string) (Tree, error) {
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Tree{}, model.Errorf(model.CodeUsage, "the folder %s can't be opened: %w", clean.Line(dir), err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if common, ok := commonDir(filepath.Join(at, ".git")); ok {
			return Tree{Root: at, Common: common}, nil
		}
		if at == filepath.Dir(at) {
			return Tree{Root: abs}, nil
		}
	}
}

func commonDir(dotGit string) (string, bool) {
	info, err := os.Stat(dotGit)
	if err != nil {
		return "", false
	}
	gitDir := dotGit
	if !info.IsDir() {
		raw, err := os.ReadFile(dotGit)
		target, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
		if err != nil || !ok {
			return "", false
		}
		gitDir = statefile.Resolve(filepath.Dir(dotGit), target)
	}
	if !statefile.Exists(filepath.Join(gitDir, "HEAD")) {
		return "", false
	}
	if raw, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		gitDir = statefile.Resolve(gitDir, strings.TrimSpace(string(raw)))
	}
	real, err := filepath.EvalSymlinks(gitDir)
	return real, err == nil
}

// NearestFolder is the folder, or what is left above it: agents' work trees are
// removed under them.
func NearestFolder(dir string) string {
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// MainTree is the work tree that holds the repository of a linked one; "" where
// that can't be told.
func MainTree(dir string) string {
	r, err := FindTree(dir)
	if err != nil || filepath.Base(r.Common) != ".git" {
		return ""
	}
	return filepath.Dir(r.Common)
}

// gitDir is a work tree's own folder in its repository.
func (t Tree) gitDir() string {
	gitDir := filepath.Join(t.Root, ".git")
	if raw, err := os.ReadFile(gitDir); err == nil {
		return statefile.Resolve(t.Root, strings.TrimSpace(strings.TrimPrefix(string(raw), "gitdir: ")))
	}
	return gitDir
}

// Head reads the commit that a work tree stands on, without git; "" where it
// can't be read that way.
func (t Tree) Head() string {
	if t.Common == "" {
		return ""
	}
	gitDir := t.gitDir()
	raw, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(raw))
	ref, ok := strings.CutPrefix(text, "ref: ")
	if !ok {
		return hexOrNone(text)
	}
	for _, dir := range []string{gitDir, t.Common} {
		if raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(ref))); err == nil {
			return hexOrNone(strings.TrimSpace(string(raw)))
		}
	}
	packed, err := os.ReadFile(filepath.Join(t.Common, "packed-refs"))
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(packed), "\n") {
		if id, name, ok := strings.Cut(line, " "); ok && name == ref {
			return hexOrNone(id)
		}
	}
	return ""
}

func hexOrNone(s string) string {
	if fleetmap.HexID(s) {
		return s
	}
	return ""
}

// BranchOf is the branch that a folder's work tree stands on, that of t where it
// is in none; "" on none.
func (t Tree) BranchOf(dir string) string {
	where := t
	if dir != "" {
		if w, err := FindTree(NearestFolder(dir)); err == nil && w.Common != "" {
			where = w
		}
	}
	if where.Common == "" {
		return ""
	}
	raw, err := os.ReadFile(filepath.Join(where.gitDir(), "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return name
}
