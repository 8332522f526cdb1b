package workspace_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend"
	"binnacle/backend/workspace"
	"binnacle/model"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func workspaceIn(t *testing.T, dir string) workspace.Workspace {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, created, err := backend.InitWorkspace(context.Background(), dir, backend.StoreOptions{})
	if err != nil || !created {
		t.Fatalf("init: created %v, %v", created, err)
	}
	return w
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFind(t *testing.T) {
	top := realTemp(t)
	project, other := filepath.Join(top, "project"), filepath.Join(top, "other")
	workspaceIn(t, project)
	workspaceIn(t, other)
	deep := filepath.Join(project, "a", "b")
	write(t, filepath.Join(deep, "file"), "")
	// A linked worktree, as git lays it out.
	tree := filepath.Join(top, "trees", "feature")
	gitdir := filepath.Join(project, ".git", "worktrees", "feature")
	write(t, filepath.Join(tree, ".git"), "gitdir: "+gitdir+"\n")
	write(t, filepath.Join(tree, "sub", "file"), "")
	write(t, filepath.Join(gitdir, "commondir"), "../..\n")
	// One with relative paths, a submodule, a bare repository's worktree.
	relative := filepath.Join(top, "trees", "relative")
	write(t, filepath.Join(relative, ".git"), "gitdir: ../../project/.git/worktrees/feature\r\n")
	module := filepath.Join(top, "module")
	write(t, filepath.Join(module, ".git"), "gitdir: "+filepath.Join(project, ".git", "modules", "m")+"\n")
	bare := filepath.Join(top, "bare")
	write(t, filepath.Join(bare, ".git"), "gitdir: "+filepath.Join(top, "repo.git", "worktrees", "w")+"\n")
	write(t, filepath.Join(top, "repo.git", "worktrees", "w", "commondir"), "../..\n")
	link := filepath.Join(top, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name string
		opt  workspace.FindOptions
		want string // "" is CodeNoWork
	}{
		{"the folder itself", workspace.FindOptions{Dir: project}, project},
		{"upward", workspace.FindOptions{Dir: deep}, project},
		{"through a link", workspace.FindOptions{Dir: filepath.Join(link, "a")}, project},
		{"the flag wins", workspace.FindOptions{Flag: other, Env: project, Dir: deep}, other},
		{"the environment", workspace.FindOptions{Env: other, Dir: deep}, other},
		{"the folder .binnacle", workspace.FindOptions{Flag: filepath.Join(project, workspace.Folder), Dir: top}, project},
		{"a relative flag", workspace.FindOptions{Flag: "../other", Dir: project}, other},
		{"a linked flag", workspace.FindOptions{Flag: link, Dir: top}, project},
		{"a flag without workspace", workspace.FindOptions{Flag: deep, Dir: project}, ""},
		{"a flag to nothing", workspace.FindOptions{Flag: "/does/not/exist", Dir: project}, ""},
		{"a linked worktree", workspace.FindOptions{Dir: filepath.Join(tree, "sub")}, project},
		{"a worktree with relative paths", workspace.FindOptions{Dir: relative}, project},
		{"a submodule", workspace.FindOptions{Dir: module}, ""},
		{"a bare repository's worktree", workspace.FindOptions{Dir: bare}, ""},
		{"none", workspace.FindOptions{Dir: top}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := workspace.Find(c.opt)
			if c.want == "" {
				if model.CodeOf(err) != model.CodeNoWork || !strings.Contains(err.Error(), "run binnacle init") {
					t.Fatalf("found %v, %v", w, err)
				}
				return
			}
			if err != nil || w.Project() != c.want || w.Database() != filepath.Join(c.want, ".binnacle", "binnacle.db") {
				t.Fatalf("found %v, %v", w, err)
			}
		})
	}
}

// Linked worktrees made by git itself are found, too.
func TestFindInGitWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := realTemp(t)
	project, tree := filepath.Join(top, "main"), filepath.Join(top, "tree")
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		cmd.Dir = top
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", project)
	git("-C", project, "commit", "-q", "--allow-empty", "-m", "x")
	git("-C", project, "worktree", "add", "-q", tree)
	workspaceIn(t, project)
	w, err := workspace.Find(workspace.FindOptions{Dir: tree})
	if err != nil || w.Project() != project {
		t.Fatalf("found %v, %v", w, err)
	}
	// Git sees nothing of the workspace but what is to be committed.
	cmd := exec.Command("git", "-C", project, "status", "--porcelain", "-uall")
	out, err := cmd.Output()
	if err != nil || string(out) != "?? .binnacle/.gitignore\n?? .binnacle/config.toml\n" {
		t.Fatalf("git status says %q, %v", out, err)
	}
}

func TestLinksAreRefused(t *testing.T) {
	top := realTemp(t)
	project := filepath.Join(top, "project")
	w := workspaceIn(t, project)
	fake := filepath.Join(top, "fake")
	if err := os.Mkdir(fake, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.Dir(), filepath.Join(fake, workspace.Folder)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []workspace.FindOptions{{Dir: fake}, {Flag: fake, Dir: top}, {Flag: filepath.Join(fake, workspace.Folder), Dir: top}} {
		if w, err := workspace.Find(o); model.CodeOf(err) != model.CodeRefused {
			t.Fatalf("found %v, %v", w, err)
		}
	}
	if _, _, err := backend.InitWorkspace(context.Background(), fake, backend.StoreOptions{}); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("init through a link: %v", err)
	}
	if _, err := backend.OpenStore(context.Background(), backend.StoreOptions{Dir: filepath.Join(fake, workspace.Folder)}); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("open through a link: %v", err)
	}
	if err := os.Rename(w.Database(), filepath.Join(top, "moved.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "moved.db"), w.Database()); err != nil {
		t.Fatal(err)
	}
	if _, err := workspace.Find(workspace.FindOptions{Dir: project}); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("find with a linked database: %v", err)
	}
}

func TestInit(t *testing.T) {
	dir := realTemp(t)
	old := workspaceIn(t, dir)
	for _, f := range []struct {
		name string
		mode os.FileMode
	}{{"", 0o700}, {workspace.Database, 0o600}, {"crash", 0o700}, {"config.toml", 0o600}, {".gitignore", 0o600}} {
		info, err := os.Stat(filepath.Join(old.Dir(), f.name))
		if err != nil || info.Mode().Perm() != f.mode {
			t.Errorf("%q: %v, %v, want %04o", f.name, info, err, f.mode)
		}
	}
	write(t, old.Config(), "# mine\n")
	chmod(t, old.Dir(), 0o755)
	chmod(t, old.Database(), 0o644)
	w, created, err := backend.InitWorkspace(context.Background(), dir, backend.StoreOptions{})
	if err != nil || created || w != old {
		t.Fatalf("the second init: %v, %v, %v", w, created, err)
	}
	if text, _ := os.ReadFile(old.Config()); string(text) != "# mine\n" {
		t.Fatalf("config.toml was overwritten: %q", text)
	}
	for path, mode := range map[string]os.FileMode{old.Dir(): 0o700, old.Database(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}

func TestConcurrentInits(t *testing.T) {
	dir := realTemp(t)
	var children []*exec.Cmd
	var outs []*strings.Builder
	for range 8 {
		cmd, out := start(t, "init", dir, ""), &strings.Builder{}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	made := 0
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if outs[i].String() == "true\n" {
			made++
		}
	}
	if made == 0 {
		t.Error("nobody says that it made the workspace")
	}
	entries, err := os.ReadDir(filepath.Join(dir, workspace.Folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".new-") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	w, err := workspace.Find(workspace.FindOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	store, err := backend.OpenStore(t.Context(), backend.StoreOptions{Dir: w.Dir(), Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Append(t.Context(), []model.Draft{{Topic: "t", Producer: "p", Kind: model.KindNote, Payload: []byte(`{"text":"x"}`)}}); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
