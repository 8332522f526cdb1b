package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// local makes a node without a remote: hooks need none.
func local(t *testing.T) *node {
	t.Helper()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "app", ".git"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "app", ".git", "HEAD"), []byte(strings.Repeat("b", 40)+"\n"), 0o644))
	w := &world{t: t, dir: dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "USER=ada"}}
	return w.node("app")
}

// feed plays lines "event key=value …" of one tool; {} stands for the repo.
func (n *node) feed(tool string, pid int, lines ...string) {
	n.w.t.Helper()
	for _, l := range lines {
		n.clock.add(time.Second)
		if _, err := n.Hook(bg(), tool, strings.NewReader(strings.ReplaceAll(l, "{}", n.repo)), pid); err != nil {
			n.w.t.Fatalf("%s: %v", l, err)
		}
	}
}

func ev(session, event string, more ...string) string {
	s := fmt.Sprintf(`{"session_id":%q,"cwd":"{}","hook_event_name":%q`, session, event)
	for _, m := range more {
		s += "," + m
	}
	return s + "}"
}

func (n *node) states() map[string]string {
	n.w.t.Helper()
	list, err := n.Sessions(bg())
	must(n.w.t, err)
	out := map[string]string{}
	for _, s := range list {
		out[s.ID] = s.State
		if s.Incarnation > 1 {
			out[s.ID] += fmt.Sprint(" ", s.Incarnation)
		}
	}
	return out
}

func wantStates(t *testing.T, got map[string]string, want ...string) {
	t.Helper()
	all := map[string]string{}
	for i := 0; i < len(want); i += 2 {
		all[want[i]] = want[i+1]
	}
	if fmt.Sprint(got) != fmt.Sprint(all) {
		t.Errorf("states %v, want %v", got, all)
	}
}

func TestClaudeSurvival(t *testing.T) {
	me := os.Getpid()
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a turn", []string{
			ev("a", "SessionStart", `"source":"startup"`), ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "PreToolUse", `"tool_name":"Bash"`),
			ev("a", "PostToolUse", `"tool_name":"Bash"`), ev("a", "Stop"),
		}, []string{"a", "idle"}},
		{"--resume starts a session that never is (cc#23932)", []string{
			ev("a", "SessionStart"), ev("ghost", "SessionStart", `"source":"resume"`), ev("a", "UserPromptSubmit", `"prompt":"x"`),
		}, []string{"a", "working", "ghost", "ended"}},
		{"the old id goes on after /resume (cc#26563)", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "SessionEnd", `"reason":"resume"`), ev("b", "SessionStart", `"source":"resume"`),
			ev("a", "UserPromptSubmit", `"prompt":"y"`),
		}, []string{"a", "working 2", "b", "ended"}},
		{"/clear without a SessionStart (cc#28692)", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("b", "UserPromptSubmit", `"prompt":"y"`),
		}, []string{"a", "ended", "b", "working"}},
		{"SubagentStop for the session itself (cc#70151), and none for background ones (cc#82249)", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "SubagentStart", `"agent_id":"s1"`), ev("a", "SubagentStop"),
			ev("a", "PreToolUse", `"agent_id":"s1"`),
		}, []string{"a", "working"}},
		{"a background subagent works on after the turn", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "Stop"), ev("a", "PostToolUse", `"agent_id":"s1","tool_name":"Bash"`),
		}, []string{"a", "idle"}},
		{"no Stop after an interrupt", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "PostToolUseFailure", `"error":"x","is_interrupt":true`),
		}, []string{"a", "idle"}},
		{"a compaction amid the work", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "PreCompact"), ev("a", "SessionStart", `"source":"compact"`),
		}, []string{"a", "working"}},
		{"a permission is asked for and given", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "PermissionRequest"), ev("a", "PostToolUse"),
		}, []string{"a", "working"}},
		{"a late notification", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "Notification", `"notification_type":"permission_prompt"`),
		}, []string{"a", "waiting"}},
		{"an unknown event is kept", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "NewFangled", `"secret":"hunter2"`), ev("zzz", "NewFangled"),
		}, []string{"a", "working"}},
		{"the wrong types", []string{
			ev("a", "UserPromptSubmit", `"prompt":7,"agent_id":null`), ev("a", "PostToolUse", `"tool_input":"x","tool_name":["Edit"]`),
			`{"session_id":5,"hook_event_name":"Stop"}`, `{"session_id":"a"}`,
		}, []string{"a", "working"}},
		{"an API error", []string{ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "StopFailure", `"error":"rate_limit"`)}, []string{"a", "idle"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := local(t)
			n.feed(hooks.ToolClaude, me, c.lines...)
			wantStates(t, n.states(), c.want...)
			wantFold(t, n)
		})
	}
}

// wantFold checks that the sessions' table is what the ledger's facts add up
// to, and that rebuilding it changes nothing.
func wantFold(t *testing.T, n *node) {
	t.Helper()
	before, err := n.Sessions(bg())
	must(t, err)
	must(t, n.opts.Store.(store.Copier).Rebuild(bg(), nil))
	must(t, coord.RowsMoved(bg(), n.opts.Store))
	after, err := n.Sessions(bg())
	must(t, err)
	if fmt.Sprintf("%+v", before) != fmt.Sprintf("%+v", after) {
		t.Errorf("rebuilt\n%+v\nwas\n%+v", after, before)
	}
}

func TestUnknownEventsKeepNamesAndNoValues(t *testing.T) {
	n := local(t)
	n.feed(hooks.ToolClaude, 1, ev("a", "SessionStart"), ev("a", "NewFangled", `"secret":"hunter2"`), ev("a", "NewFangled", `"secret":"hunter2"`))
	list, err := n.Unknown(bg())
	must(t, err)
	if len(list) != 1 || list[0].Count != 2 || !strings.Contains(list[0].Members, "secret") || strings.Contains(list[0].Members, "hunter2") {
		t.Fatalf("%+v", list)
	}
}

func TestKilledSessionsEnd(t *testing.T) {
	n := local(t)
	cmd := exec.Command("sleep", "60")
	must(t, cmd.Start())
	n.feed(hooks.ToolClaude, cmd.Process.Pid, ev("a", "UserPromptSubmit", `"prompt":"x"`))
	n.feed(hooks.ToolClaude, os.Getpid(), ev("b", "UserPromptSubmit", `"prompt":"x"`))
	if k, err := n.SweepGone(bg()); k != 0 || err != nil {
		t.Fatal(k, err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if k, err := n.SweepGone(bg()); k != 1 || err != nil {
		t.Fatal(k, err)
	}
	wantStates(t, n.states(), "a", "ended", "b", "working")
	n.clock.mu.Lock()
	n.clock.at.Boot = "next"
	n.clock.mu.Unlock()
	if k, err := n.SweepGone(bg()); k != 1 || err != nil {
		t.Fatal(k, err)
	}
	list, err := n.Sessions(bg())
	must(t, err)
	for _, s := range list {
		if want := map[string]string{"a": "process_gone", "b": "rebooted"}[s.ID]; s.Reason != want {
			t.Errorf("%s: %q", s.ID, s.Reason)
		}
	}
	wantFold(t, n)
}

func TestCodexSurvival(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"SessionStart only at the first prompt (cx#15269)", []string{
			ev("a", "SessionStart", `"source":"startup"`), ev("a", "UserPromptSubmit", `"prompt":"x","turn_id":"t"`), ev("a", "Stop"),
		}, []string{"a", "idle"}},
		{"none after /clear (cx#23817)", []string{ev("b", "UserPromptSubmit", `"prompt":"x"`)}, []string{"b", "working"}},
		{"interrupt", []string{ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "Interrupt", `"turn_id":"t"`)}, []string{"a", "idle"}},
		{"ended by 30 idle minutes, and back", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "Stop"), ev("a", "SessionEnd", `"reason":"other"`), ev("a", "UserPromptSubmit", `"prompt":"y"`),
		}, []string{"a", "working 2"}},
		{"subagents under the parent's id", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("a", "SubagentStart", `"agent_id":"s"`), ev("a", "SubagentStop", `"agent_id":"s"`),
			ev("a", "Stop", `"agent_id":"s"`),
		}, []string{"a", "working"}},
		{"two threads of one server", []string{
			ev("a", "UserPromptSubmit", `"prompt":"x"`), ev("b", "UserPromptSubmit", `"prompt":"y"`),
		}, []string{"a", "working", "b", "working"}},
		{"path is null", []string{ev("a", "UserPromptSubmit", `"prompt":"x","transcript_path":null`)}, []string{"a", "working"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := local(t)
			n.feed(hooks.ToolCodex, os.Getpid(), c.lines...)
			wantStates(t, n.states(), c.want...)
		})
	}
}

func TestGeminiSurvival(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a turn", []string{ev("a", "SessionStart"), ev("a", "BeforeAgent", `"prompt":"x"`), ev("a", "AfterTool"), ev("a", "AfterAgent")}, []string{"a", "idle"}},
		{"an empty BeforeAgent has no AfterAgent (gm#18514)", []string{ev("a", "SessionStart"), ev("a", "BeforeAgent", `"prompt":""`)}, []string{"a", "idle"}},
		{"SessionStart unseen (gm#28160)", []string{ev("a", "BeforeTool")}, []string{"a", "working"}},
		{"SessionEnd twice", []string{ev("a", "SessionStart"), ev("a", "SessionEnd", `"reason":"exit"`), ev("a", "SessionEnd", `"reason":"exit"`)}, []string{"a", "ended"}},
		{"/clear is a new id", []string{ev("a", "BeforeAgent", `"prompt":"x"`), ev("b", "SessionStart", `"source":"clear"`), ev("b", "BeforeAgent", `"prompt":"x"`)}, []string{"a", "ended", "b", "working"}},
		{"asks", []string{ev("a", "BeforeAgent", `"prompt":"x"`), ev("a", "Notification", `"notification_type":"ToolPermission"`)}, []string{"a", "waiting"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := local(t)
			n.feed(hooks.ToolGemini, os.Getpid(), c.lines...)
			wantStates(t, n.states(), c.want...)
		})
	}
}

func TestOpencodeSurvival(t *testing.T) {
	e := func(kind, props string) string {
		return `{"directory":"{}","event":{"type":"` + kind + `","properties":{` + props + `}}}`
	}
	v2 := func(kind, data string) string {
		return `{"directory":"{}","event":{"type":"` + kind + `","data":{` + data + `}}}`
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a turn", []string{
			e("session.created", `"info":{"id":"a","directory":"{}"}`), e("session.status", `"sessionID":"a","status":{"type":"busy"}`),
			e("session.idle", `"sessionID":"a"`),
		}, []string{"a", "idle"}},
		{"children are no sessions of their own", []string{
			e("session.created", `"info":{"id":"a"}`), e("session.status", `"sessionID":"a","status":{"type":"busy"}`),
			e("session.created", `"info":{"id":"kid","parentID":"a"}`), e("session.status", `"sessionID":"kid","status":{"type":"busy"}`),
			e("session.idle", `"sessionID":"kid"`),
		}, []string{"a", "working"}},
		{"created lost (oc#14808), or --session (oc#39711)", []string{e("session.status", `"sessionID":"a","status":{"type":"busy"}`)}, []string{"a", "working"}},
		{"loaded twice (oc#3179)", []string{
			e("session.created", `"info":{"id":"a"}`), e("session.created", `"info":{"id":"a"}`), e("session.status", `"sessionID":"a","status":{"type":"busy"}`),
			e("session.status", `"sessionID":"a","status":{"type":"busy"}`),
		}, []string{"a", "working"}},
		{"permissions", []string{e("session.status", `"sessionID":"a","status":{"type":"busy"}`), e("permission.asked", `"sessionID":"a"`)}, []string{"a", "waiting"}},
		{"deleted", []string{e("session.created", `"info":{"id":"a"}`), e("session.deleted", `"info":{"id":"a"}`)}, []string{"a", "ended"}},
		{"version 2", []string{v2("session.execution.started", `"sessionID":"a"`), v2("session.execution.interrupted", `"sessionID":"a"`)}, []string{"a", "idle"}},
		{"a file without a session", []string{e("file.edited", `"file":"/x"`)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := local(t)
			n.feed(hooks.ToolOpencode, os.Getpid(), c.lines...)
			wantStates(t, n.states(), c.want...)
		})
	}
}

func TestFactsOnlyWhereTheStateChanges(t *testing.T) {
	n := local(t)
	n.feed(hooks.ToolClaude, 1, ev("a", "SessionStart"), ev("a", "UserPromptSubmit", `"prompt":"x"`))
	for range 20 {
		n.feed(hooks.ToolClaude, 1, ev("a", "PreToolUse"), ev("a", "PostToolUse"))
	}
	n.feed(hooks.ToolClaude, 1,
		ev("a", "PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"{}/src/a.go"}`),
		ev("a", "PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"{}/src/a.go"}`),
		ev("a", "PostToolUse", `"tool_name":"Write","tool_input":{"file_path":"/etc/passwd"}`))
	var events []model.Event
	must(t, n.store.Read(bg(), func(r store.Reader) error {
		var err error
		events, err = r.Events(0, 100)
		return err
	}))
	var topics []string
	for _, e := range events {
		topics = append(topics, e.Topic)
		if e.Kind != model.KindCoord || e.Key != "claude-code:a" {
			t.Errorf("%+v", e)
		}
	}
	if strings.Join(topics, " ") != "session.started session.state session.paths" {
		t.Fatalf("%v", topics)
	}
	if !strings.Contains(string(events[2].Payload), `"untrusted":{"paths":["src/a.go"]}`) {
		t.Errorf("%s", events[2].Payload)
	}
	list, err := n.Sessions(bg())
	must(t, err)
	s := list[0]
	if s.Events != 45 || s.Write != "/etc/passwd" || s.Base != strings.Repeat("b", 40) || s.View != n.repo {
		t.Errorf("%+v", s)
	}
}

func TestContextUse(t *testing.T) {
	n := local(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		must(t, os.WriteFile(p, []byte(text), 0o600))
		return p
	}
	claude := write("c.jsonl", `{"message":{"usage":{"input_tokens":1}}}`+"\n"+
		`{"message":{"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000}}}`+"\n"+
		`{"isSidechain":true,"message":{"usage":{"input_tokens":9}}}`+"\n"+`{"cut":"usage`)
	codex := write("x.jsonl", `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":37128},"model_context_window":258400}}}`+"\n"+
		`{"type":"event_msg","payload":{"type":"token_count","info":null}}`+"\n")
	gemini := write("g.json", `[{"tokens":{"input":5,"output":1}},{"tokens": {"output":2,"input": 77}}]`)
	for _, c := range []struct {
		tool, line string
		want       session.ContextUse
	}{
		{hooks.ToolClaude, ev("a", "Stop", `"transcript_path":"`+claude+`"`), session.ContextUse{Used: 3210}},
		{hooks.ToolClaude, `{"session_id":"a","cwd":"{}","context_window":{"total_input_tokens":500,"context_window_size":1000,"used_percentage":50}}`, session.ContextUse{Used: 500, Max: 1000}},
		{hooks.ToolClaude, `{"session_id":"a","cwd":"{}","context_window":{"total_input_tokens":0,"context_window_size":1000,"used_percentage":null}}`, session.ContextUse{Used: 500, Max: 1000}},
		{hooks.ToolCodex, ev("a", "Stop", `"transcript_path":"`+codex+`"`), session.ContextUse{Used: 37128, Max: 258400}},
		{hooks.ToolGemini, ev("a", "BeforeTool", `"transcript_path":"`+gemini+`"`), session.ContextUse{Used: 77}},
		{hooks.ToolGemini, ev("a", "AfterModel", `"llm_response":{"usageMetadata":{"promptTokenCount":88}}`), session.ContextUse{Used: 88}},
		{hooks.ToolCodex, ev("b", "Stop", `"transcript_path":"`+dir+`"`), session.ContextUse{}},
	} {
		n.feed(c.tool, 1, c.line)
		list, err := n.Sessions(bg())
		must(t, err)
		ok := false
		for _, s := range list {
			if s.Tool == c.tool && (s.ID == "b") == strings.Contains(c.line, `"b"`) {
				ok = s.Ctx == c.want
			}
		}
		if !ok {
			t.Errorf("%s %s: %+v", c.tool, c.line, list)
		}
	}
}

func TestHookInputThatIsNone(t *testing.T) {
	n := local(t)
	for _, text := range []string{"", "x", "[]", "null", `{"session_id":`} {
		if _, err := n.Hook(bg(), hooks.ToolClaude, strings.NewReader(text), 1); model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := n.Hook(bg(), "emacs", strings.NewReader("{}"), 1); model.CodeOf(err) != model.CodeUsage {
		t.Error(err)
	}
	n.feed(hooks.ToolClaude, 1, `{"session_id":"`+strings.Repeat("x", 400)+`\u0000","hook_event_name":"SessionStart"}`)
	if s := n.states(); len(s) != 1 {
		t.Errorf("%v", s)
	}
}

func FuzzParseHook(f *testing.F) {
	f.Add(hooks.ToolClaude, []byte(ev("a", "PostToolUse", `"tool_name":"Edit","tool_input":{"file_path":"x"}`)))
	f.Add(hooks.ToolOpencode, []byte(`{"directory":"/","event":{"type":"session.created","properties":{"info":{"id":"a","parentID":"b"}}}}`))
	f.Add(hooks.ToolCodex, []byte(ev("a", "PostToolUse", `"tool_name":"apply_patch","tool_input":{"command":"*** Add File: x"}`)))
	f.Add(hooks.ToolGemini, []byte(ev("a", "AfterModel", `"llm_response":{"usageMetadata":{"promptTokenCount":-1}}`)))
	f.Fuzz(func(t *testing.T, tool string, raw []byte) {
		r, err := hooks.Parse(tool, raw)
		if err != nil {
			return
		}
		if r.Session != "" {
			d := model.Draft{Topic: "x", Producer: "x", Kind: model.KindCoord, Key: session.Key(r.Tool, r.Session), Payload: []byte("{}")}
			if err := d.Check(); err != nil {
				t.Fatalf("a session that can't stand in the ledger: %v", err)
			}
		}
		if r.Ctx.Used < 0 || r.Ctx.Max < 0 {
			t.Fatalf("%+v", r.Ctx)
		}
	})
}

func TestAHookIsQuickAndWaitsForNoGit(t *testing.T) {
	n := local(t)
	n.feed(hooks.ToolClaude, 1, ev("a", "SessionStart"))
	if got := n.Fleet.repo.Started(); got != 0 {
		t.Errorf("%d git processes", got)
	}
}

func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	must(b, os.MkdirAll(filepath.Join(dir, "app", ".git"), 0o755))
	must(b, os.WriteFile(filepath.Join(dir, "app", ".git", "HEAD"), []byte(strings.Repeat("b", 40)+"\n"), 0o644))
	w := &world{t: b, dir: dir, env: []string{"HOME=" + dir, "USER=ada"}}
	n := w.node("app")
	for b.Loop() {
		n.hook("a", "PreToolUse")
	}
}
