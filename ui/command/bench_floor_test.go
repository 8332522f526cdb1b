//go:build linux

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// driverOnly is a program that does nothing, linked with the SQLite driver: what
// any program with this store costs before its first line.
const driverOnly = `package main

import _ "modernc.org/sqlite"

func main() {}
`

// BenchmarkFloor is what --version and a tool's hook cost as processes, beside a
// program that links the SQLite driver and does nothing; the three take turns.
// The goal is twice that program's time for each.
func BenchmarkFloor(b *testing.B) {
	name := builtFor(b)
	dir := b.TempDir()
	workspaceIn(b, dir)
	source, floor := filepath.Join(dir, "main.go"), filepath.Join(dir, "floor")
	if err := os.WriteFile(source, []byte(driverOnly), 0o600); err != nil {
		b.Fatal(err)
	}
	build(b, floor, source)
	line := `{"session_id":"s","cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Bash"}`
	commands := []struct {
		what, stdin string
		argv        []string
	}{
		{"floor", "", []string{floor}},
		{"version", "", []string{name, "--version"}},
		{"hook", line, []string{name, "fleet", "hook", "claude-code"}},
	}
	took, cpu := map[string][]time.Duration{}, map[string][]time.Duration{}
	for b.Loop() {
		for _, c := range commands {
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Dir, cmd.Env, cmd.Stdin = dir, cleanEnv(dir), strings.NewReader(c.stdin)
			from := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%s: %v: %s", c.what, err, out)
			}
			took[c.what] = append(took[c.what], time.Since(from))
			cpu[c.what] = append(cpu[c.what], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	least := quantile(took["floor"], 0.5)
	for _, c := range commands {
		b.ReportMetric(quantile(took[c.what], 0.5), c.what+"-ms")
		b.ReportMetric(quantile(cpu[c.what], 0.5), c.what+"-cpu-ms")
		if c.what != "floor" {
			b.ReportMetric(quantile(took[c.what], 0.5)/least, c.what+"/floor")
		}
	}
}

// build makes a program of one file as ours is made.
func build(b *testing.B, name, file string) {
	b.Helper()
	if out, err := buildCommand(name, file).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}
