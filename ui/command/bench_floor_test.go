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
// program that links the SQLite driver and does nothing; they take turns. A hook
// is measured where somebody holds the workspace's duties, as a cockpit does, and
// takes its report in, and where nobody does and it commits by itself. The goal
// is twice that program's time.
func BenchmarkFloor(b *testing.B) {
	name := builtFor(b)
	dir := b.TempDir()
	workspaceIn(b, dir)
	held := b.TempDir()
	if out, err := exec.Command("git", "init", "-q", held).CombinedOutput(); err != nil {
		b.Skip(err, string(out)) // without a repository nobody looks at the hooks' spool
	}
	workspaceIn(b, held)
	serve := exec.Command(name, "serve")
	serve.Dir, serve.Env = held, cleanEnv(held)
	if err := serve.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	}()
	watch := filepath.Join(held, ".binnacle", "hooks.spool.watch")
	for from := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(watch); err == nil {
			break
		}
		if time.Since(from) > 10*time.Second {
			b.Fatal("nobody took the duties up")
		}
	}
	source, floor := filepath.Join(dir, "main.go"), filepath.Join(dir, "floor")
	if err := os.WriteFile(source, []byte(driverOnly), 0o600); err != nil {
		b.Fatal(err)
	}
	build(b, floor, source)
	line := func(dir string) string {
		return `{"session_id":"s","cwd":"` + dir + `","hook_event_name":"PreToolUse","tool_name":"Bash"}`
	}
	commands := []struct {
		what, dir, stdin string
		argv             []string
	}{
		{"floor", dir, "", []string{floor}},
		{"version", dir, "", []string{name, "--version"}},
		{"hook", held, line(held), []string{name, "fleet", "hook", "claude-code"}},
		{"hook-alone", dir, line(dir), []string{name, "fleet", "hook", "claude-code"}},
	}
	took, cpu := map[string][]time.Duration{}, map[string][]time.Duration{}
	for first := 0; b.Loop(); first++ {
		for i := range commands {
			c := commands[(first+i)%len(commands)] // each comes after each other one
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Dir, cmd.Env, cmd.Stdin = c.dir, cleanEnv(c.dir), strings.NewReader(c.stdin)
			from := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%s: %v: %s", c.what, err, out)
			}
			took[c.what] = append(took[c.what], time.Since(from))
			cpu[c.what] = append(cpu[c.what], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	least, leastCPU := quantile(took["floor"], 0.5), quantile(cpu["floor"], 0.5)
	for _, c := range commands {
		b.ReportMetric(quantile(took[c.what], 0.5), c.what+"-ms")
		b.ReportMetric(quantile(cpu[c.what], 0.5), c.what+"-cpu-ms")
		if c.what != "floor" {
			b.ReportMetric(quantile(took[c.what], 0.5)/least, c.what+"/floor")
			b.ReportMetric(quantile(cpu[c.what], 0.5)/leastCPU, c.what+"-cpu/floor")
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
