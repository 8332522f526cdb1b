package workspace_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend"
	"binnacle/model"
)

// git runs Git as nobody in particular.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// A workspace that a clone brings is somebody else's.
func TestATrackedDatabaseIsRefused(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	for _, c := range []struct {
		name  string
		init  []string
		below string // the project within the repository
		add   []string
		after []string // a git command before it is opened
		bad   bool
	}{
		{name: "nothing is tracked", add: nil},
		{name: "the settings are tracked", add: []string{".binnacle/config.toml", ".binnacle/.gitignore"}},
		{name: "the database", add: []string{".binnacle/binnacle.db"}, bad: true},
		{name: "the database among others", add: []string{".binnacle", "a", "z"}, bad: true},
		{name: "a spool", add: []string{".binnacle/hooks.spool"}, bad: true},
		{name: "in a folder below", below: "app/server", add: []string{".binnacle/binnacle.db"}, bad: true},
		{name: "another folder's", below: "app", add: []string{"x/.binnacle/binnacle.db"}},
		{name: "form 4", add: []string{".binnacle", "a", "z"}, after: []string{"update-index", "--index-version", "4"}, bad: true},
		{name: "form 4 with settings", add: []string{".binnacle/config.toml", "a", "z"}, after: []string{"update-index", "--index-version", "4"}},
		{name: "form 3", add: []string{".binnacle/binnacle.db"}, after: []string{"update-index", "--skip-worktree", ".binnacle/binnacle.db"}, bad: true},
		{name: "SHA-256", init: []string{"--object-format=sha256"}, add: []string{".binnacle/binnacle.db"}, bad: true},
		{name: "SHA-256 in form 4", init: []string{"--object-format=sha256"}, add: []string{".binnacle", "a"}, after: []string{"update-index", "--index-version", "4"}, bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			git(t, root, append([]string{"init", "-q"}, c.init...)...)
			project := filepath.Join(root, c.below)
			if err := os.MkdirAll(project, 0o700); err != nil {
				t.Fatal(err)
			}
			w, _, err := backend.InitWorkspace(context.Background(), project, backend.StoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range append(c.add, ".binnacle/hooks.spool") {
				path := filepath.Join(project, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if _, err := os.Lstat(path); err != nil {
					if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			if len(c.add) > 0 {
				git(t, project, append([]string{"add", "-f"}, c.add...)...)
			}
			if c.after != nil {
				git(t, project, c.after...)
			}
			for _, readOnly := range []bool{false, true} {
				s, err := backend.OpenStore(context.Background(), backend.StoreOptions{Dir: w.Dir(), ReadOnly: readOnly})
				if err == nil {
					_ = s.Close()
				}
				if refused := model.CodeOf(err) == model.CodeRefused; refused != c.bad {
					t.Errorf("read-only %v: %v", readOnly, err)
				}
			}
		})
	}
}

// A linked worktree has an index of its own.
func TestATrackedDatabaseInALinkedWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root := filepath.Join(t.TempDir(), "main")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, root, "init", "-q")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "begin")
	linked := root + "-linked"
	git(t, root, "worktree", "add", "-q", linked)
	w, _, err := backend.InitWorkspace(context.Background(), linked, backend.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	git(t, linked, "add", "-f", ".binnacle/binnacle.db")
	if _, err := backend.OpenStore(context.Background(), backend.StoreOptions{Dir: w.Dir()}); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("opened: %v", err)
	}
}
