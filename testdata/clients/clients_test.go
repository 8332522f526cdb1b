//go:build clients

// Package clients tries the agent programs themselves, with our hooks in their
// settings and a model on loopback: `.ci/run clients`. CLIENTS is the folder
// that they were installed into, BINNACLE the program.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is one user with one repository, one workspace and one model.
type world struct {
	dir, home, repo, model string
}

func newWorld(t *testing.T, c func(w *world) call) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	w := &world{dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	check(t, os.MkdirAll(w.home, 0o755))
	check(t, os.MkdirAll(w.repo, 0o755))
	w.model = newModel(t, c(w))
	w.run(t, "git", "init", "-q")
	w.run(t, os.Getenv("BINNACLE"), "init")
	return w
}

// run starts a program in an environment of its own and returns what it said.
func (w *world) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = w.repo, 5*time.Second
	cmd.Env = []string{
		"HOME=" + w.home, "PATH=" + filepath.Dir(os.Getenv("BINNACLE")) + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + w.model, "ANTHROPIC_API_KEY=x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"OPENAI_API_KEY=x", "GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + w.model, "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s\n%s", filepath.Base(program), strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

func (w *world) write(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join(w.home, path)
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// told is what the ledger has of one session.
type told struct {
	states []string
	paths  bool
}

// sessions reads the ledger: each session's states in their order, and whether
// the file's name was among the paths.
func (w *world) sessions(t *testing.T, tool string) map[string]*told {
	t.Helper()
	w.run(t, os.Getenv("BINNACLE"), "verify")
	out := map[string]*told{}
	for _, line := range strings.Split(strings.TrimSpace(w.run(t, os.Getenv("BINNACLE"), "log", "--json", "--limit", "1000")), "\n") {
		var e struct{ Key, State, Topic string }
		if json.Unmarshal([]byte(line), &e) != nil || !strings.HasPrefix(e.Key, tool+":") {
			continue
		}
		s := out[e.Key]
		if s == nil {
			s = &told{}
			out[e.Key] = s
		}
		if n := len(s.states); n == 0 || s.states[n-1] != e.State {
			s.states = append(s.states, e.State)
		}
		s.paths = s.paths || e.Topic == "session.paths" && strings.Contains(line, "written.txt")
	}
	return out
}

type client struct {
	tool  string
	call  func(w *world) call
	setup func(t *testing.T, w *world)
	argv  []string
	paths bool // the tool says which file it wrote
}

func clients() []client {
	file := func(tool, name string) func(w *world) call {
		return func(w *world) call {
			return call{tool, object{name: filepath.Join(w.repo, "written.txt"), "content": "x\n"}}
		}
	}
	in := func(path ...string) string {
		return filepath.Join(append([]string{os.Getenv("CLIENTS"), "node_modules"}, path...)...)
	}
	return []client{
		{tool: "claude-code", call: file("Write", "file_path"), paths: true, argv: []string{
			in("@anthropic-ai", "claude-code-linux-x64", "claude"), "-p", "go", "--permission-mode", "acceptEdits",
		}},
		{tool: "codex", call: func(*world) call {
			return call{"exec_command", object{"cmd": "echo x > written.txt"}}
		}, setup: func(t *testing.T, w *world) {
			w.write(t, ".codex/config.toml", `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "`+w.model+`/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[projects."`+w.repo+`"]
trust_level = "trusted"
`)
		}, argv: []string{
			in(".bin", "codex"), "exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "go",
		}},
		{tool: "gemini", call: file("write_file", "file_path"), paths: true, setup: func(t *testing.T, w *world) {
			w.write(t, ".gemini/settings.json", "{\n  // kept\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}\n}\n")
		}, argv: []string{in(".bin", "gemini"), "--skip-trust", "-m", "gemini-2.5-flash", "--yolo", "-p", "go"}},
		{tool: "opencode", call: file("write", "filePath"), paths: true, setup: opencodeSettings, argv: []string{
			in("opencode-linux-x64", "bin", "opencode"), "run", "go",
		}},
	}
}

func opencodeSettings(t *testing.T, w *world) {
	w.write(t, ".config/opencode/opencode.json", `{"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"`+
		w.model+`/v1","apiKey":"x"},"models":{"mock":{}}}},"model":"mock/mock","autoupdate":false}`)
}

func (c client) ready(t *testing.T, writes bool) *world {
	t.Helper()
	w := newWorld(t, func(w *world) call {
		if writes {
			return c.call(w)
		}
		return call{tool: "none of these"}
	})
	if c.setup != nil {
		c.setup(t, w)
	}
	w.run(t, os.Getenv("BINNACLE"), "fleet", "hooks", "install", c.tool, "--yes")
	return w
}

// settled waits until each of n sessions is idle or ended: a tool's last
// report may be taken in after the tool is gone.
func (w *world) settled(t *testing.T, tool string, n int) map[string]*told {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		all := w.sessions(t, tool)
		done := 0
		for _, s := range all {
			if last := s.states[len(s.states)-1]; last == "idle" || last == "ended" {
				done++
			}
		}
		if done == n && len(all) == n {
			return all
		}
		if time.Now().After(end) {
			for key, s := range all {
				t.Errorf("%s: %v", key, s.states)
			}
			t.Fatalf("%d of %d sessions ended idle", done, n)
		}
	}
}

func TestSessions(t *testing.T) {
	for _, c := range clients() {
		for _, writes := range []bool{false, true} {
			name := c.tool + " says done"
			if writes {
				name = c.tool + " writes"
			}
			t.Run(name, func(t *testing.T) {
				w := c.ready(t, writes)
				said := strings.TrimSpace(w.run(t, c.argv[0], c.argv[1:]...))
				for key, s := range w.settled(t, c.tool, 1) {
					t.Logf("it printed %q; %s: %v, paths %v", said, key, s.states, s.paths)
					if s.states[0] != "idle" || !slices.Contains(s.states, "working") {
						t.Errorf("no start, or no prompt: %v", s.states)
					}
					if s.paths != (writes && c.paths) {
						t.Errorf("paths: %v", s.paths)
					}
				}
				if _, err := os.Stat(filepath.Join(w.repo, "written.txt")); writes != (err == nil) {
					t.Errorf("the file: %v", err)
				}
			})
		}
	}
}

// opencode waits for none of its plugin's events: they must not overtake one
// another.
func TestTwentySessionsOfOpencodeEndIdle(t *testing.T) {
	all := clients()
	c := all[len(all)-1]
	w := c.ready(t, false)
	for range 20 {
		w.run(t, c.argv[0], c.argv[1:]...)
	}
	w.settled(t, c.tool, 20)
}

// A session that goes on in another process counts its reports anew.
func TestResumedSessionOfOpencodeEndsIdle(t *testing.T) {
	all := clients()
	c := all[len(all)-1]
	w := c.ready(t, false)
	w.run(t, c.argv[0], c.argv[1:]...)
	w.settled(t, c.tool, 1)
	w.run(t, c.argv[0], "run", "-c", "again")
	for _, s := range w.settled(t, c.tool, 1) {
		if want := []string{"idle", "working", "idle", "working", "idle"}; !slices.Equal(s.states, want) {
			t.Errorf("%v", s.states)
		}
	}
}
