package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/ui/command/cli"
)

// BenchmarkFleetHook is what one hook event costs beside the start of the
// process: finding the workspace, opening its database, one commit, closing.
func BenchmarkFleetHook(b *testing.B) {
	dir := b.TempDir()
	e := &testEnv{}
	e.Env.Env = cli.Env{
		Stdout: &e.out, Stderr: &e.err, Dir: dir, Clock: clockOf(),
		Getenv:  func(string) string { return "" },
		Environ: func() []string { return []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "USER=ada"} },
	}
	if status := Main([]string{"init"}, e.Env); status != 0 {
		b.Fatal(e.err.String())
	}
	line := `{"session_id":"s","cwd":` + quoted(dir) + `,"hook_event_name":"PreToolUse","tool_name":"Bash"}`
	for b.Loop() {
		e.Stdin = strings.NewReader(line)
		if status := Main([]string{"fleet", "hook", "claude-code"}, e.Env); status != 0 || e.err.Len() > 0 {
			b.Fatal(status, e.err.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".local", "state", "binnacle", "machine")); err != nil {
		b.Fatal(err)
	}
}
