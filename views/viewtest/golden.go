package viewtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Goldens is one folder of golden files.
type Goldens struct {
	dir    string
	update bool

	mu   sync.Mutex
	seen map[string]bool
}

// Flag registers -update, for a test package's Main.
func Flag() *bool { return flag.Bool("update", false, "rewrite the golden files") }

// Main runs a package's tests with the environment pinned, then looks for
// golden files that nobody asked for. Its result is the exit code. dir is
// relative to the package; update is from Flag, after flag.Parse.
func Main(m *testing.M, dir string, update *bool) (*Goldens, func() int) {
	g := &Goldens{dir: dir, seen: map[string]bool{}}
	return g, func() int {
		flag.Parse()
		g.update = *update
		if g.update && os.Getenv("CI") != "" {
			fmt.Fprintln(os.Stderr, "golden files are not rewritten where CI is set")
			return 2
		}
		pin()
		code := m.Run()
		if code != 0 || partial() {
			return code
		}
		for _, name := range g.orphans() {
			fmt.Fprintf(os.Stderr, "orphaned golden file: %s\n", name)
			if g.update {
				if err := os.Remove(filepath.Join(g.dir, name)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					code = 1
				}
				continue
			}
			code = 1
		}
		return code
	}
}

// pin fixes what could change a frame from outside.
func pin() {
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORFGBG", "COLUMNS", "LINES"} {
		_ = os.Unsetenv(name)
	}
	for _, kv := range [][2]string{{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}, {"LC_ALL", "C.UTF-8"}, {"TZ", "UTC"}} {
		_ = os.Setenv(kv[0], kv[1])
	}
}

// partial says whether only some tests were asked for: then not every golden
// file is looked at.
func partial() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "^$" {
			return true
		}
	}
	return testing.Short()
}

// Check compares got with the golden file of the name, or rewrites it.
func (g *Goldens) Check(t testing.TB, name, got string) {
	t.Helper()
	file := name + ".golden"
	g.mu.Lock()
	again := g.seen[file]
	g.seen[file] = true
	g.mu.Unlock()
	if again {
		t.Fatalf("two cases share the golden file %s", file)
	}
	path := filepath.Join(g.dir, file)
	if g.update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if old, err := os.ReadFile(path); err == nil && string(old) == got {
			return
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run with -update to write it", err)
	}
	if string(want) != got {
		t.Errorf("%s differs; -update rewrites it\n%s", file, difference(string(want), got))
	}
}

func (g *Goldens) orphans() []string {
	files, err := os.ReadDir(g.dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range files { // sorted by name
		if !g.seen[f.Name()] {
			out = append(out, f.Name())
		}
	}
	return out
}

// difference shows the lines that differ, at most twenty.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out strings.Builder
	n := 0
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x == y {
			continue
		}
		if n++; n > 20 {
			out.WriteString("…\n")
			break
		}
		fmt.Fprintf(&out, "%4d - %s\n     + %s\n", i+1, x, y)
	}
	return out.String()
}
