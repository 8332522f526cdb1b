package command

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	hooknoun "binnacle/ui/command/hooks"
)

// samples are what each tool's hooks write, in the order of one session, and
// the state that the session is in after each.
func samples() map[string][]string {
	return map[string][]string{
		hooks.ToolClaude: {
			"idle", "working", "working", "working", "working", "waiting", "working", "working", "working", "working", "working",
			"working", "idle", "idle", "idle", "ended",
		},
		hooks.ToolCodex: {
			"idle", "working", "working", "working", "working", "waiting", "idle", "idle", "idle", "working", "idle", "ended",
		},
		hooks.ToolGemini: {
			"idle", "working", "working", "working", "waiting", "working", "working", "working", "idle", "idle", "ended",
		},
		hooks.ToolOpencode: {
			"idle", "working", "working", "working", "waiting", "working", "working", "working", "idle", "working", "working",
			"idle", "ended",
		},
	}
}

// hookEnv is a world with a workspace in a folder that is no repository, so
// that no publisher is started.
func hookEnv(t *testing.T) *testEnv {
	t.Helper()
	e := newEnv(t, "USER=ada")
	dir, err := filepath.EvalSymlinks(e.Dir)
	if err != nil {
		t.Fatal(err)
	}
	e.Dir, e.Clock = dir, clockOf()
	e.Environ = func() []string { return []string{"HOME=" + dir + "/home", "USER=ada", "PATH=" + os.Getenv("PATH")} }
	e.run(t, 0, "init")
	return e
}

// recorded reads the sessions as the workspace has them. On a busy machine the
// newest report may wait in the spool, which the next command takes in.
func (e *testEnv) recorded(t *testing.T) []fleet.Session {
	t.Helper()
	e.Stdin = strings.NewReader("")
	e.run(t, 0, "status")
	s, err := backend.OpenStore(context.Background(), backend.StoreOptions{Dir: filepath.Join(e.Dir, ".binnacle"), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	f, err := fleet.Open(fleet.Options{RepoDir: e.Dir, Store: s, Environ: e.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Sessions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestHookSamples(t *testing.T) {
	for tool, states := range samples() {
		t.Run(tool, func(t *testing.T) {
			e := hookEnv(t)
			files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "hooks", tool, "*.json"))
			if err != nil || len(files) != len(states) {
				t.Fatalf("%d samples, %d states (%v)", len(files), len(states), err)
			}
			for i, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				e.Stdin = bytes.NewReader(bytes.ReplaceAll(text, []byte("/w/app"), []byte(e.Dir)))
				if out := e.run(t, 0, "fleet", "hook", tool); out != "" || e.err.Len() > 0 {
					t.Fatalf("%s: it prints %q and %q", name, out, e.err.String())
				}
				list := e.recorded(t)
				if len(list) != 1 || list[0].State != states[i] || list[0].Actor != "ada" || list[0].Tool != tool {
					t.Fatalf("%s: %d sessions, the first is %+v; it should be %s", name, len(list), list, states[i])
				}
			}
			last := e.recorded(t)[0]
			if len(last.Paths) == 0 || last.Paths[0] != "src/login.ts" {
				t.Errorf("the paths that it wrote are %v", last.Paths)
			}
			if tool != hooks.ToolCodex && last.Ctx.Used == 0 {
				t.Errorf("the context use is unknown: %+v", last)
			}
			if out := e.run(t, 0, "verify"); !strings.Contains(out, `"ok":true`) {
				t.Errorf("the ledger does not verify: %s", out)
			}
		})
	}
}

// A status of 2 would stop an agent, and output would be put before its model.
func TestAHookNeverDisturbsItsTool(t *testing.T) {
	good := `{"session_id":"s","cwd":"/","hook_event_name":"Stop"}`
	outside := newEnv(t, "USER=ada")
	inside := hookEnv(t)
	vars := func(e *testEnv, list ...string) *testEnv {
		with := newEnv(t, list...)
		with.Dir, with.Environ, with.Clock = e.Dir, e.Environ, e.Clock
		return with
	}
	file := filepath.Join(inside.Dir, "no-folder")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noState := vars(inside)
	noState.Environ = func() []string { return []string{"HOME=" + file} }
	for name, c := range map[string]struct {
		e     *testEnv
		stdin string
		args  []string
	}{
		"no workspace":           {outside, good, []string{"fleet", "hook", "claude-code"}},
		"no tool":                {inside, good, []string{"fleet", "hook"}},
		"an unknown tool":        {inside, good, []string{"fleet", "hook", "hal"}},
		"an unknown flag":        {inside, good, []string{"fleet", "hook", "claude-code", "--block"}},
		"too much":               {inside, good, []string{"fleet", "hook", "claude-code", "codex", "x"}},
		"nothing on stdin":       {inside, "", []string{"fleet", "hook", "claude-code"}},
		"no JSON":                {inside, "\x00{", []string{"fleet", "hook", "codex"}},
		"another JSON":           {inside, "[1]", []string{"fleet", "hook", "gemini"}},
		"no session":             {inside, "{}", []string{"fleet", "hook", "opencode"}},
		"read only":              {inside, good, []string{"--read-only", "fleet", "hook", "claude-code"}},
		"a workspace not there":  {inside, good, []string{"--workspace", "/nowhere", "fleet", "hook", "claude-code"}},
		"one from the world":     {vars(inside, "BINNACLE_WORKSPACE=/nowhere"), good, []string{"fleet", "hook", "claude-code"}},
		"a bad BINNACLE_JSON":    {vars(inside, "BINNACLE_JSON=sometimes"), good, []string{"fleet", "hook", "claude-code"}},
		"JSON is asked for":      {vars(inside, "BINNACLE_JSON=always"), "x", []string{"fleet", "hook", "claude-code", "--json"}},
		"no place for its state": {noState, good, []string{"fleet", "hook", "claude-code"}},
		"a session with ESC":     {inside, `{"session_id":"\u001b[2J","hook_event_name":"\u001b]52;c;x\u0007"}`, []string{"fleet", "hook", "claude-code"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.e.Stdin = strings.NewReader(c.stdin)
			if out := c.e.run(t, 0, c.args...); out != "" || c.e.err.Len() > 0 {
				t.Errorf("it prints %q and %q", out, c.e.err.String())
			}
		})
	}
}

// With --verbose it says what became of the event, cleaned, on stderr only.
func TestAVerboseHookSaysWhatHappened(t *testing.T) {
	e := hookEnv(t)
	for stdin, want := range map[string]string{
		`{"session_id":"s","hook_event_name":"Stop\u001b[2J"}`: " Stop",
		`{"session_id":"s","hook_event_name":"Stop"}`:          "Stop of claude-code:s",
		`{}`:   "names no session",
		`nope`: "JSON",
	} {
		e.Stdin = strings.NewReader(stdin)
		out := e.run(t, 0, "fleet", "hook", "claude-code", "--verbose")
		if out != "" || !strings.Contains(e.err.String(), want) || strings.Contains(e.err.String(), "\x1b") {
			t.Errorf("%s: it prints %q and %q", stdin, out, e.err.String())
		}
	}
	if out := e.run(t, 0, "fleet", "hook", "--help"); !strings.Contains(out, "always 0") {
		t.Errorf("the help is %s", out)
	}
}

// A tool that keeps stdin open, or a database that is busy, costs the event.
func TestAHookDoesNotWait(t *testing.T) {
	within := func(t *testing.T, e *testEnv) string {
		t.Helper()
		begin := time.Now()
		e.run(t, 0, "fleet", "hook", "codex", "--verbose")
		if took := time.Since(begin); took > 10*hooknoun.Within {
			t.Errorf("it took %s", took)
		}
		return e.err.String()
	}
	t.Run("stdin", func(t *testing.T) {
		e := hookEnv(t)
		r, w := io.Pipe()
		defer func() { _ = w.Close() }()
		e.Stdin = r
		if got := within(t, e); !strings.Contains(got, "no whole JSON object") {
			t.Errorf("it says %s", got)
		}
	})
	t.Run("a busy database", func(t *testing.T) {
		e := hookEnv(t)
		db, err := sql.Open("sqlite", filepath.Join(e.Dir, ".binnacle", "binnacle.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		e.Stdin = strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"SessionStart"}`)
		if got := within(t, e); strings.Contains(got, "recorded") {
			t.Errorf("it says %s", got)
		}
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		// A slow machine may need more than one hook's 50 ms.
		for tries := 1; ; tries++ {
			e.Stdin = strings.NewReader(`{"session_id":"s","cwd":"/","hook_event_name":"SessionStart"}`)
			got := within(t, e)
			if strings.Contains(got, "recorded") && len(e.recorded(t)) == 1 {
				break
			}
			if tries == 20 {
				t.Fatalf("afterwards it says %s", got)
			}
		}
	})
}

// An agent that looks elsewhere still belongs to its project.
func TestAHookFindsItsWorkspace(t *testing.T) {
	e := hookEnv(t)
	other := t.TempDir()
	event := func(cwd string) string {
		return `{"session_id":"s","cwd":` + quoted(cwd) + `,"hook_event_name":"Stop"}`
	}
	sub := filepath.Join(e.Dir, "deep", "down")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ started, cwd, variable string }{
		"where the session is":     {other, sub, ""},
		"where it was started":     {sub, other, ""},
		"the tool's project":       {other, other, "CLAUDE_PROJECT_DIR=" + e.Dir},
		"a cwd that is gone":       {sub, filepath.Join(other, "gone"), ""},
		"the workspace that it is": {other, other, "BINNACLE_WORKSPACE=" + e.Dir},
	} {
		t.Run(name, func(t *testing.T) {
			with := newEnv(t, c.variable)
			with.Dir, with.Environ, with.Clock = c.started, e.Environ, e.Clock
			with.Stdin = strings.NewReader(event(c.cwd))
			with.run(t, 0, "fleet", "hook", "claude-code", "--verbose")
			// Where the database was not free within the hook's 50 ms it says so.
			recorded := strings.Contains(with.err.String(), "recorded Stop of claude-code:s in "+e.Dir)
			spooled := strings.Contains(with.err.String(), "kept in the spool: Stop of claude-code:s in "+e.Dir)
			if !recorded && !spooled {
				t.Errorf("it says %s", with.err.String())
			}
		})
	}
}
