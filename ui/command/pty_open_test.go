//go:build linux

package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sgr finds the sequences that set colours and styles.
var sgr = regexp.MustCompile("\x1b\\[([0-9;:]*)m")

// styles are the sequences that set colours and styles, one after the other.
func styles(raw string) string { return strings.Join(sgr.FindAllString(raw, -1), "") }

// coloured returns the first sequence that sets a colour.
func coloured(raw string) string {
	for _, m := range sgr.FindAllStringSubmatch(raw, -1) {
		for _, p := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ';' || r == ':' }) {
			switch {
			case len(p) == 2 && (p[0] == '3' || p[0] == '4') && p[1] != '9',
				len(p) == 2 && p[0] == '9', len(p) == 3 && p[:2] == "10":
				return m[0]
			}
		}
	}
	return ""
}

// NO_COLOR is honoured; without it there are colours, and no more of them than
// the terminal shows.
func TestPTYColours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	for _, c := range []struct {
		name string
		env  []string
		ok   func(styles string) bool
	}{
		{"NO_COLOR", []string{"NO_COLOR=1"}, func(all string) bool { return coloured(all) == "" }},
		{"NO_COLOR, empty", []string{"NO_COLOR="}, func(all string) bool { return strings.Contains(all, "38;2;") }},
		{"16 colours", []string{"TERM=xterm", "COLORTERM="}, func(all string) bool {
			return !strings.Contains(all, "38;") && coloured(all) != ""
		}},
		{"256 colours", []string{"COLORTERM="}, func(all string) bool {
			return !strings.Contains(all, "38;2;") && strings.Contains(all, "38;5;")
		}},
		{"24 bits", nil, func(all string) bool { return strings.Contains(all, "38;2;") }},
	} {
		s := begin(t, sessionOptions{dir: dir, env: c.env})
		s.shows("2 Planes", "compiled 119")
		s.send("3jd")
		s.shows("Cancel")
		s.send("\x1b")
		s.showsNot("Cancel")
		s.send("q")
		s.leaves()
		if all := styles(s.written()); !c.ok(all) {
			t.Errorf("%s: the colours are wrong, e.g. %q in %q", c.name, coloured(all), all[:min(len(all), 1500)])
		}
	}
}

// Pasted text is text: it triggers nothing and confirms nothing.
func TestPTYPaste(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	s := begin(t, sessionOptions{dir: dir})
	s.shows("fix the flaky test")
	s.send("\x1b[200~q\rzd3\x1b[201~")
	s.shows("pasted text does nothing here", "2 Planes")
	s.send("3j")
	s.send("d")
	s.shows("Cancel", "Drop")
	s.send("\t") // to the button that does it
	s.send("\x1b[200~\r\r\x1b[201~")
	s.send("\x1b")
	s.showsNot("Cancel")
	if out := ran(t, dir, "queue", "list", "--json"); strings.Contains(out, `"dropped"`) {
		t.Errorf("a paste dropped something: %s", out)
	}
	// Where text is asked for, a paste is typed.
	s.send("a")
	s.shows("Push a directive")
	s.send("\x1b[200~pasted body\x1b[201~\r")
	s.shows("pasted body", "4 open")
	s.send("q")
	s.leaves()
}

// Where there is no workspace one is offered; nothing is made unasked.
func TestPTYFirstRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begin(t, sessionOptions{dir: dir})
	s.shows("No workspace here")
	s.send("q")
	if status := s.leaves(); status != 0 {
		t.Errorf("declined, it ends with %d", status)
	}
	s.restored()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("declined, it leaves %v (%v)", left, err)
	}
	s = begin(t, sessionOptions{dir: dir})
	s.shows("No workspace here")
	s.send("\x1b[200~y\x1b[201~y")
	s.shows("1 Events", "0 events")
	s.send("q")
	if status := s.leaves(); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	s.restored()
	if _, err := os.Stat(filepath.Join(dir, ".binnacle", "binnacle.db")); err != nil {
		t.Error(err)
	}
}

// nobody is a user who may do nothing.
const nobody = 65534

// A workspace that can't be written opens read-only, says so, refuses with the
// reason, and stays untouched.
func TestPTYReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	b := openIn(t, w, nil)
	fill(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	user := 0
	if os.Getuid() == 0 {
		user = nobody // root may write everywhere
		for at := dir; len(at) > len(os.TempDir()); at = filepath.Dir(at) {
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := map[string]os.FileInfo{}
	err := filepath.WalkDir(w.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o444)
		if d.IsDir() {
			mode = 0o555
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
		before[path], err = d.Info()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(w.Dir(), 0o700) })
	for _, args := range [][]string{{"--read-only"}, nil} {
		s := begin(t, sessionOptions{dir: dir, args: args, user: user})
		s.shows("compiled 119", "fix the flaky test", "ws: read-only")
		s.until("the verified chain", func() bool { return strings.Contains(s.row(0), "✓") })
		s.send("a")
		s.shows("read-only: ")
		s.send("q")
		if status := s.leaves(); status != 0 {
			t.Errorf("%v: it ends with %d", args, status)
		}
		s.restored()
	}
	err = filepath.WalkDir(w.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		now, err := d.Info()
		if err != nil {
			return err
		}
		was, ok := before[path]
		if !ok {
			t.Errorf("%s was made", path)
		} else if !d.IsDir() && (now.Size() != was.Size() || now.ModTime() != was.ModTime()) {
			t.Errorf("%s was changed", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A terminal that can't be drawn on is left alone, with a reason and a way out.
func TestPTYDumbTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspaceIn(t, dir)
	for _, term := range []string{"dumb", ""} {
		out, status := onTerminal(t, dir, []string{"TERM=" + term})
		if status == 0 || !strings.Contains(out, "--plain") || strings.ContainsAny(out, "\x1b\u009b") {
			t.Errorf("TERM=%s: it ends with %d and writes %q", term, status, out)
		}
	}
}
