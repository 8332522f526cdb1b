//go:build linux

package command_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// pythonEmit does less than emit with Python's standard library: no state
// machine, no redaction, no counts. It is the peer that shell scripts would
// use.
const pythonEmit = `
import sqlite3, json, hashlib, sys, time
db = sqlite3.connect(sys.argv[1])
db.execute("pragma journal_mode=wal")
db.execute("pragma synchronous=full")
db.execute("create table if not exists e(seq integer primary key, ts, topic, payload, prev, hash)")
r = db.execute("select hash from e order by seq desc limit 1").fetchone() or ("",)
p = json.dumps(json.loads(sys.argv[3]), sort_keys=True, separators=(",", ":"))
h = hashlib.sha256((r[0] + p).encode()).hexdigest()
db.execute("insert into e(ts, topic, payload, prev, hash) values(?,?,?,?,?)", (time.time(), sys.argv[2], p, r[0], h))
db.commit()
`

// BenchmarkProcess is what one command costs as a process: emit beside a Python
// program that does less, a push, and a tool's hook. The goals are 20 ms and a
// fifth of Python's for emit, and 30 ms for a hook.
func BenchmarkProcess(b *testing.B) {
	name := builtFor(b)
	dir := b.TempDir()
	workspaceIn(b, dir)
	const payload = `{"text":"x"}`
	line := `{"session_id":"s","cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Bash"}`
	median := map[string]float64{} // milliseconds
	run := func(what, stdin string, argv ...string) {
		b.Run(what, func(b *testing.B) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				b.Skip(err)
			}
			var took []time.Duration
			for b.Loop() {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Dir, cmd.Env, cmd.Stdin = dir, cleanEnv(dir), strings.NewReader(stdin)
				from := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				took = append(took, time.Since(from))
			}
			median[what] = quantile(took, 0.5)
			b.ReportMetric(median[what], "median-ms")
			if p := median["python"]; p > 0 && what == "emit" {
				b.ReportMetric(median[what]/p, "of-python")
			}
		})
	}
	// The interpreter itself, not a version manager's wrapper around it.
	python := "python3"
	if out, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output(); err == nil {
		python = strings.TrimSpace(string(out))
	}
	run("python", "", python, "-c", pythonEmit, dir+"/peer.db", "a/b", payload)
	run("emit", "", name, "ledger", "emit", "a/b", payload, "--kind", "note")
	run("push", "", name, "queue", "push", "-b", "x")
	run("hook", line, name, "fleet", "hook", "claude-code")
}
