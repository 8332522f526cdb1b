//go:build linux

package command_test

import (
	"path/filepath"
	"testing"
)

// A follower of a ledger that is replaced by a backup of itself says so at
// once, without waiting for another event, and goes on with the restored one.
func TestPlainFollowsARestore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspaceIn(t, dir)
	run := func(args ...string) {
		t.Helper()
		p := beginProcess(t, dir, args...)
		for s := range p.lines {
			p.out.WriteString(s)
		}
		if err := <-p.ended; err != nil {
			t.Fatalf("%v: %v: %s", args, err, p.out)
		}
	}
	file := filepath.Join(dir, "old.db")
	run("emit", "t", `{"text":"kept"}`, "--kind", "note")
	run("ledger", "backup", file)
	run("emit", "t", `{"text":"lost"}`, "--kind", "note")
	p := beginProcess(t, dir, "--plain")
	p.says(`"type":"snapshot"`)
	run("ledger", "restore", "--force", file)
	p.says(`"code":"STALE"`)
	run("emit", "t", `{"text":"after the restore"}`, "--kind", "note")
	p.says("after the restore")
}
