package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
)

// TestRetentionByCommand: old events go into the archive, every command that reads
// finds them there, and a cursor before them has expired.
func TestRetentionByCommand(t *testing.T) {
	e := newEnv(t)
	clock := clocktest.New(at)
	e.Clock = clock.Read
	wants := func(exit int, args, want string) {
		t.Helper()
		e.run(t, exit, strings.Fields(args)...)
		if out := e.out.String() + e.err.String(); !strings.Contains(out, want) {
			t.Errorf("binnacle %s: want %q:\n%s", args, want, out)
		}
	}
	e.run(t, 0, "init")
	for _, text := range []string{"one", "two", "three"} {
		e.run(t, 0, "emit", "a/b", `{"text":"`+text+`"}`, "--kind", "note")
	}
	e.run(t, 0, "queue", "push", "-b", "do it")
	wants(2, "ledger sweep", "--keep is missing, and config.toml has no retention")
	wants(2, "ledger sweep --keep 59s", "a minute or more")
	wants(2, "serve --retention 10s", "--retention must be a minute or more")
	wants(0, "ledger sweep --keep 1h", `"segments":0,"sealed":0,"shed":0,"left":0`)
	wants(0, "ledger segments", "[]")
	if out := e.run(t, 0, "status", "--no-json"); strings.Contains(out, "kept") {
		t.Errorf("%s", out)
	}

	clock.Advance(3 * time.Hour)
	e.run(t, 0, "emit", "a/b", `{"text":"new"}`, "--kind", "note")
	wants(0, "ledger sweep --keep 1h --dry-run --no-json", "would seal  4")
	wants(0, "ledger sweep --keep 1h --no-json", "events sealed  4")
	wants(0, "ledger segments", `"first":1,"last":4,`)
	wants(0, "ledger segments --no-json", "1-4.jsonl.zst       4")
	wants(0, "status --no-json", "; 4 before it are sealed in")
	wants(0, "verify --no-json", "good: 5 events, counts and records agree, 4 of them sealed")
	wants(0, "query --text two --no-json", "two")
	wants(0, "log --limit 10", `"text":"one"`)
	wants(0, "queue next", "do it")
	wants(1, "feed read --after e1", "STALE")
	wants(0, "rebuild", `"ok":true`)

	backup := filepath.Join(t.TempDir(), "copy.db")
	e.run(t, 0, "backup", backup)
	segment := filepath.Join(e.Dir, ".binnacle", "archive", "1-4.jsonl.zst")
	if err := os.Remove(segment); err != nil {
		t.Fatal(err)
	}
	wants(1, "verify", "the segment 1-4.jsonl.zst, with events 1 to 4, is missing from the archive")
	wants(0, "emit a/b {} --kind generic", `"seq":`)
	e.run(t, 0, "restore", backup, "--force")
	wants(0, "verify", `"ok":true`)
	if _, err := os.Stat(segment); err != nil {
		t.Error(err)
	}

	// A setting says for how long, and status when that is not done.
	config := filepath.Join(e.Dir, ".binnacle", "config.toml")
	if err := os.WriteFile(config, []byte("[ledger]\nretention = \"59s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wants(2, "status", "ledger.retention: 59s is out of bounds")
	if err := os.WriteFile(config, []byte("[ledger]\nretention = \"2h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock.Advance(5 * time.Hour)
	wants(0, "status --no-json", "events older than 2h are to be sealed away, and that is 2h behind")
	wants(0, "ledger sweep --no-json", "segments       1")
	wants(0, "status --no-json", "for 2h; the oldest event is of ")
}
