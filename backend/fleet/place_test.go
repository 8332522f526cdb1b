package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/hooks"
	"binnacle/model/redact"
	"binnacle/model/session"
)

func placed(w *world, name string, change ...func(*Options)) *node {
	w.t.Helper()
	redactor, err := redact.New(nil)
	must(w.t, err)
	n := w.node(name, append(change, func(o *Options) {
		o.Redactor = redactor
		o.Environ = append(append([]string{}, w.env...), "TMUX=/tmp/tmux-0/default,12,0", "TMUX_PANE=%7", "WEZTERM_PANE=3", "KITTY_WINDOW_ID=4", "STY=9.pts")
	})...)
	w.git(n.repo, "checkout", "-q", "-b", "fix/upload")
	n.feed(hooks.ToolClaude, os.Getpid(),
		ev("s", "UserPromptSubmit", `"prompt":"\n  retry the upload with `+theToken+`\nand more","transcript_path":"/home/ada/s.jsonl"`),
		ev("s", "PermissionRequest", `"tool_name":"Bash","tool_input":{"command":"make deploy"}`),
		ev("s", "Notification", `"notification_type":"permission_prompt","message":"Claude needs your permission"`),
		ev("s", "PreToolUse", `"agent_id":"sub"`))
	return n
}

// Where a session runs, what it is about and what it asks is known here, and
// stays here.
func TestAPlaceStaysOnItsMachine(t *testing.T) {
	w := newWorld(t)
	n := placed(w, "a")
	n.fetch()
	list := sessionsOf(n.fleet(), "m-a")
	if len(list) != 1 || list[0].Place == nil {
		t.Fatalf("%+v", list)
	}
	s := list[0]
	want := session.Place{
		Tmux: "/tmp/tmux-0/default", TmuxPane: "%7", WezTerm: "3", Kitty: "4", Screen: "9.pts", Branch: "fix/upload",
		Transcript: "/home/ada/s.jsonl", TTY: s.Place.TTY,
	}
	if *s.Place != want || s.Title != "retry the upload with [redacted:github-token]" || s.Asks != "Bash make deploy" || s.Place.Where() != "tmux pane %7" {
		t.Errorf("%+v %q %q", *s.Place, s.Title, s.Asks)
	}
	raw := w.git(w.remote, "show", n.push().Commit+":live.json")
	rows, err := filepath.Glob(filepath.Join(w.dir, "a-state", "remotes", "*", "rows", "*.json"))
	must(t, err)
	for _, secret := range []string{"tmux", "%7", "9.pts", "fix/upload", "retry", "deploy", "jsonl", "title", "asks", "place"} {
		if strings.Contains(raw, secret) {
			t.Errorf("%q was published: %s", secret, raw)
		}
		if len(rows) != 1 || strings.Contains(readText(t, rows[0]), "retry") {
			t.Errorf("%v", rows)
		}
	}
	// An answer ends the question; the next one's own words count.
	n.feed(hooks.ToolClaude, os.Getpid(), ev("s", "PostToolUse"))
	if s := sessionsOf(n.fleet(), "m-a")[0]; s.Asks != "" || s.Title == "" || s.State != session.Working {
		t.Errorf("%+v %+v", s, s.LiveRow)
	}
	n.feed(hooks.ToolClaude, os.Getpid(), ev("s", "Notification", `"notification_type":"permission_prompt","message":"Claude needs you"`))
	if s := sessionsOf(n.fleet(), "m-a")[0]; s.Asks != "Claude needs you" || s.Place.Transcript == "" {
		t.Errorf("%+v", s.LiveRow)
	}
	wantFold(t, n)
}

func TestTitlesAreSharedWhereTheConfigurationSaysSo(t *testing.T) {
	w := newWorld(t)
	n := placed(w, "a", func(o *Options) { o.ShareTitles = true })
	raw := w.git(w.remote, "show", n.push().Commit+":live.json")
	for _, private := range []string{"tmux", "%7", "9.pts", "fix/upload", "jsonl", theToken} {
		if strings.Contains(raw, private) {
			t.Errorf("%q was published: %s", private, raw)
		}
	}
	b := w.node("b")
	b.fetch()
	if s := sessionsOf(b.fleet(), "m-a"); len(s) != 1 || s[0].Title != "retry the upload with [redacted:github-token]" || s[0].Asks != "Bash make deploy" || s[0].Place != nil {
		t.Errorf("%+v", s)
	}
}

func TestWhatEachToolAsks(t *testing.T) {
	for tool, lines := range map[string][2]string{
		hooks.ToolCodex:  {ev("s", "UserPromptSubmit", `"prompt":"fix it"`), ev("s", "PermissionRequest", `"tool_name":"shell","tool_input":{"command":"npm i"}`)},
		hooks.ToolGemini: {ev("s", "BeforeAgent", `"prompt":"fix it"`), ev("s", "Notification", `"notification_type":"ToolPermission","message":"shell npm i"`)},
		hooks.ToolOpencode: {
			`{"directory":"{}","event":{"type":"session.updated","properties":{"info":{"id":"s","title":"fix it"}}}}`,
			`{"directory":"{}","event":{"type":"question.asked","properties":{"sessionID":"s","questions":[{"question":"shell npm i"}]}}}`,
		},
	} {
		n := local(t)
		if tool == hooks.ToolOpencode {
			n.feed(tool, 1, `{"directory":"{}","hook":"chat.message","input":{"sessionID":"s"}}`)
		}
		n.feed(tool, 1, lines[0], lines[1])
		list, err := n.Sessions(bg())
		must(t, err)
		if row := list[0].row(n.clock.now()); row.Title != "fix it" || row.Asks != "shell npm i" {
			t.Errorf("%s: %q %q", tool, row.Title, row.Asks)
		}
	}
}
