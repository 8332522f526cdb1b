package backend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend"
	"binnacle/model"
)

func TestConfigRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown name", "[queue]\nageeing = \"1h\"\n", `line 2: nothing is called "queue.ageeing"`},
		{"no TOML", "[queue\n", "line 1"},
		{"wrong type", "[queue]\nlease = 5\n", "line 2"},
		{"no duration", "[queue]\nlease = \"soon\"\n", `queue.lease: "soon" is not a duration`},
		{"negative", "[queue]\nmax_attempts = -1\n", "max_attempts is negative"},
		{"a fetch that never rests", "[fleet]\nfetch = \"1ms\"\n", "fleet.fetch: 1ms is out of bounds"},
		{"a heartbeat that never rests", "[fleet]\nheartbeat = \"1ms\"\n", "fleet.heartbeat: 1ms is out of bounds"},
		{"a takeover at once", "[fleet]\ntakeover = \"1s\"\n", "fleet.takeover: 1s is out of bounds"},
		{"a takeover that never comes", "[fleet]\ntakeover = \"9999h\"\n", "fleet.takeover: 9999h is out of bounds"},
		{"fleet", "[fleet]\nheartbeat = \"0s\"\n", "fleet.heartbeat"},
		{"ui", "[ui]\nesc_delay = \"1ms\"\n", "ui.esc_delay: 1ms is out of bounds"},
		{"binary", "\x00\xff", "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := backend.ParseConfig([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || model.CodeOf(err) != model.CodeInvalid {
				t.Fatalf("%v; want %q", err, c.want)
			}
		})
	}
}

// The config.toml that init writes says nothing but comments, and every line in
// it is valid when its mark is taken away.
func TestInitialConfigIsTrue(t *testing.T) {
	dir := t.TempDir()
	w, _, err := backend.InitWorkspace(t.Context(), dir, backend.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.Config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backend.LoadConfig(w.Config()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, "# "); ok && (strings.Contains(rest, " = ") || strings.HasPrefix(rest, "[[")) {
			lines[i] = rest
		}
	}
	if _, err := backend.ParseConfig([]byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatalf("%v in\n%s", err, strings.Join(lines, "\n"))
	}
}

func TestMissingConfigIsTheDefault(t *testing.T) {
	if _, err := backend.LoadConfig(filepath.Join(t.TempDir(), "config.toml")); err != nil {
		t.Fatal(err)
	}
	if _, err := backend.LoadConfig(t.TempDir()); err == nil {
		t.Fatal("a folder was taken for a file")
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[queue]\nageing = \"30m\"\n"))
	f.Add([]byte("[keys]\nrequeue = [\"r\"]\n[[redact.patterns]]\nname = \"x\"\npattern = \"y\"\n"))
	f.Add([]byte("= = ="))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := backend.ParseConfig(text); err != nil && model.CodeOf(err) != model.CodeInvalid {
			t.Fatalf("%v has the code %s", err, model.CodeOf(err))
		}
	})
}
