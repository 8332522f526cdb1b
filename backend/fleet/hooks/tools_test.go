package hooks

import (
	"os"
	"path/filepath"
	"testing"

	"binnacle/model"
)

// tools are the settings of a user with a project.
type tools struct{ Settings }

func newTools(t *testing.T) *tools {
	t.Helper()
	home := t.TempDir()
	root := filepath.Join(home, "app")
	must(t, os.MkdirAll(filepath.Join(home, "app-state"), 0o700))
	must(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	root, err := filepath.EvalSymlinks(root)
	must(t, err)
	return &tools{Settings{
		Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=ada"}, Home: home, System: "/", Root: root,
		StateDir: filepath.Join(home, "app-state"),
	}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code model.Code) {
	t.Helper()
	if model.CodeOf(err) != code || err == nil {
		t.Fatalf("error %v (%v), want %v", err, model.CodeOf(err), code)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}
