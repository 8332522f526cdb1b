package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"binnacle/backend/fleet/hooks"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

func TestAgentTool(t *testing.T) {
	for want, lines := range map[string][][]string{
		hooks.ToolClaude:   {{"/opt/claude-code/claude", "-p", "x"}, {"claude"}},
		hooks.ToolCodex:    {{"node", "/usr/bin/codex", "exec"}, {"/lib/codex/codex"}},
		hooks.ToolGemini:   {{"/usr/bin/node", "--no-warnings", "/usr/lib/gemini.js"}, {"bun", "gemini"}},
		hooks.ToolOpencode: {{"opencode", "run"}},
		"":                 {nil, {""}, {"vim", "claude"}, {"node", "server.js"}, {"node"}, {"claude-helper"}, {"sh", "gemini"}},
	} {
		for _, argv := range lines {
			if got := agentTool(argv); got != want {
				t.Errorf("%q: %q, want %q", argv, got, want)
			}
		}
	}
}

// An agent program in the repository, or in a linked work tree of it, is seen
// until one of its hooks is heard; a program that a script started counts with it.
func TestAgentProgramsThatDoNotReportAreSeen(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	n.fetch()
	tree := filepath.Join(w.dir, "linked")
	w.git(n.repo, "worktree", "add", "-q", tree)
	sub := filepath.Join(tree, "deep")
	must(t, os.Mkdir(sub, 0o755))
	copyProgram := func(from, name string) string {
		to := filepath.Join(w.dir, "bin", name)
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		path, err := exec.LookPath(from)
		must(t, err)
		raw, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(to, raw, 0o755))
		return to
	}
	run := func(dir, program string, args ...string) int {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		t.Cleanup(func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	claude := run(sub, copyProgram("cat", "claude"))
	node, codex := copyProgram("bash", "node"), copyProgram("cat", "codex")
	script := filepath.Join(w.dir, "gemini")
	must(t, os.WriteFile(script, []byte("\""+codex+"\"; :\n"), 0o755)) // a name alone does not make it another program
	gemini := run(n.repo, node, script)
	run(w.dir, codex) // in no repository
	look := func() []string {
		n.agents = keptAgents{} // as after lookForAgents
		var out []string
		for _, s := range n.fleet().Sessions {
			if s.State == session.Seen {
				out = append(out, fmt.Sprint(s.Agent, " ", s.Session, " ", filepath.Base(s.View)))
			}
		}
		slices.Sort(out)
		return out
	}
	want := []string{"claude-code pid " + strconv.Itoa(claude) + " linked", "gemini pid " + strconv.Itoa(gemini) + " a"}
	// A process has its new name and arguments only once it began to run it.
	eventually(t, "both are seen", func() bool { return slices.Equal(look(), want) })
	child := 0
	eventually(t, "the script's program runs", func() bool {
		for _, p := range agentProcesses() {
			if p.parent == gemini {
				child = p.pid
			}
		}
		return child != 0
	})
	if got := look(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	list, err := n.Doctor(bg())
	must(t, err)
	if !slices.ContainsFunc(list, func(f fleetmap.Finding) bool {
		return f.Text == fmt.Sprintf("gemini runs in %s and reports nothing (process %d)", n.repo, gemini)
	}) {
		t.Errorf("doctor: %+v", list)
	}
	if working, all := (fleetmap.Picture{Map: n.fleet()}).Working(); working != 0 || all != 0 {
		t.Errorf("%d of %d sessions", working, all)
	}
	// What was seen is not published, and is no session.
	if p := n.push(); p.Rows != 0 {
		t.Errorf("%d rows were published", p.Rows)
	}
	n.feed(hooks.ToolGemini, child, ev("g", "BeforeAgent", `"prompt":"x"`))
	if got := look(); !slices.Equal(got, want[:1]) {
		t.Errorf("%q after gemini's hook", got)
	}
	n.feed(hooks.ToolClaude, claude, ev("c", "SessionStart"), ev("c", "SessionEnd"))
	if got := look(); len(got) != 0 {
		t.Errorf("%q after claude's hook", got)
	}
}
