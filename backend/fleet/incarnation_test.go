package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"binnacle/backend/fleet/hooks"
	"binnacle/backend/store"
	"binnacle/model/session"
)

func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// The end of the process that had the session before says nothing of the one
// that has it now.
func TestOnlyItsOwnEndEndsASession(t *testing.T) {
	n := local(t)
	before := sleeper(t).Process.Pid
	n.feed(hooks.ToolClaude, before, ev("a", "UserPromptSubmit"))
	now := os.Getpid()
	n.feed(hooks.ToolClaude, now, ev("a", "SessionStart", `"source":"resume"`), ev("a", "UserPromptSubmit"))
	n.feed(hooks.ToolClaude, before, ev("a", "SessionEnd"))
	wantStates(t, n.states(), "a", "working")
	n.feed(hooks.ToolClaude, now, ev("a", "SessionEnd"))
	wantStates(t, n.states(), "a", "ended")
}

func TestAStragglerEndsNothing(t *testing.T) {
	n := local(t)
	me := os.Getpid()
	n.feed(hooks.ToolClaude, me, ev("old", "UserPromptSubmit"), ev("new", "UserPromptSubmit"), ev("old", "PostToolUse"))
	wantStates(t, n.states(), "old", "ended", "new", "working")
	n.clock.add(time.Minute)
	n.feed(hooks.ToolClaude, me, ev("old", "PostToolUse"))
	wantStates(t, n.states(), "old", "ended", "new", "working")
}

// sql changes a row as another machine, or a container, would have written it.
func (n *node) sql(query string, args ...any) {
	n.w.t.Helper()
	must(n.w.t, n.store.Write(bg(), func(tx store.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

func (n *node) alive() map[string]bool {
	n.w.t.Helper()
	list, err := n.Sessions(bg())
	must(n.w.t, err)
	out := map[string]bool{}
	for _, s := range list {
		out[s.ID] = s.Alive
	}
	return out
}

func TestAliveIsThisProcessOnThisBootInThisNamespace(t *testing.T) {
	me := os.Getpid()
	for name, c := range map[string]struct {
		change func(n *node)
		alive  bool
		swept  int
	}{
		"its process runs":         {func(*node) {}, true, 0},
		"a reused number":          {func(n *node) { n.sql(`UPDATE fleet_process SET pid_start = pid_start - 1`) }, false, 1},
		"another boot":             {func(n *node) { n.clock.mu.Lock(); n.clock.at.Boot = "next"; n.clock.mu.Unlock() }, false, 1},
		"a container's process":    {func(n *node) { n.sql(`UPDATE fleet_process SET space = 'pid:[1]'`) }, false, 0},
		"a container's, gone here": {func(n *node) { n.sql(`UPDATE fleet_process SET space = 'pid:[1]', pid = 999999999`) }, false, 0},
		"another machine's row":    {func(n *node) { n.sql(`UPDATE sessions SET machine = 'm-other'`) }, false, 0},
		"a process that is gone":   {func(n *node) { n.sql(`UPDATE fleet_process SET pid = 999999999`) }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := local(t)
			n.feed(hooks.ToolClaude, me, ev("a", "UserPromptSubmit"))
			c.change(n)
			if got := n.alive()["a"]; got != c.alive {
				t.Errorf("alive: %t", got)
			}
			k, err := n.SweepGone(bg())
			must(t, err)
			if k != c.swept {
				t.Errorf("%d were ended", k)
			}
		})
	}
}

func TestOnlyWhatBlocksOnAPersonWaits(t *testing.T) {
	for kind, want := range map[string]string{
		"permission_prompt": "waiting", "elicitation_dialog": "waiting", "idle_prompt": "working", "agent_completed": "working",
		"quota_auto_resume_scheduled": "working", "from_the_future": "working", "": "working",
	} {
		n := local(t)
		n.feed(hooks.ToolClaude, 1, ev("a", "UserPromptSubmit"), ev("a", "Notification", `"notification_type":`+strconv.Quote(kind)))
		wantStates(t, n.states(), "a", want)
		list, err := n.Unknown(bg())
		must(t, err)
		if known := kind != "" && kind != "from_the_future"; known == (len(list) == 1) {
			t.Errorf("%q: counted as unknown: %v", kind, list)
		}
	}
	n := local(t)
	n.feed(hooks.ToolClaude, 1, ev("a", "UserPromptSubmit"), ev("a", "Stop", `"background_tasks":[{"id":"b1","status":"running"}]`))
	wantStates(t, n.states(), "a", session.Background)
	n.feed(hooks.ToolClaude, 1, ev("a", "Stop", `"background_tasks":[{"id":"b1","status":"completed"}]`))
	wantStates(t, n.states(), "a", "idle")
	wantFold(t, n)
}

// A type that this program does not know changes nothing of a session, whatever
// state that is in, and is counted by its name.
func TestUnknownTypesOfOpencodeAreCountedNeverGuessed(t *testing.T) {
	e := func(kind, props string) string {
		return `{"directory":"{}","event":{"type":"` + kind + `","properties":{"sessionID":"a",` + props + `}}}`
	}
	unknown := map[string]string{
		"session.status waiting": e("session.status", `"status":{"type":"waiting"}`),
		"session.status ":        e("session.status", `"status":"idle"`),
		"session.paused":         e("session.paused", `"status":{"type":"idle"}`),
		"permission.expired":     e("permission.expired", `"id":"p"`),
		"question.deferred":      e("question.deferred", `"id":"q"`),
		"tool.execute.cancelled": `{"directory":"{}","hook":"tool.execute.cancelled","input":{"sessionID":"a"}}`,
	}
	for state, first := range map[string]string{
		"working": e("session.status", `"status":{"type":"busy"}`),
		"waiting": e("question.asked", `"id":"q"`),
		"idle":    e("session.idle", `"x":1`),
	} {
		for name, line := range unknown {
			n := local(t)
			n.feed(hooks.ToolOpencode, 1, first, line, line)
			wantStates(t, n.states(), "a", state)
			list, err := n.Unknown(bg())
			must(t, err)
			if len(list) != 1 || list[0].Event != name || list[0].Count != 2 {
				t.Errorf("%s while %s: counted as %+v", name, state, list)
			}
		}
	}
}

func TestUnknownNamesAreBounded(t *testing.T) {
	n := local(t)
	n.feed(hooks.ToolOpencode, 1, `{"directory":"{}","hook":"chat.message","input":{"sessionID":"a"}}`)
	for i := range maxUnknown + 20 {
		n.feed(hooks.ToolOpencode, 1, fmt.Sprintf(`{"directory":"{}","hook":"new.%d","input":{"sessionID":"a"}}`, i))
	}
	n.feed(hooks.ToolOpencode, 1, `{"directory":"{}","hook":"new.0","input":{"sessionID":"a"}}`)
	count := map[string]int64{}
	list, err := n.Unknown(bg())
	must(t, err)
	for _, u := range list {
		count[u.Event] = u.Count
	}
	if len(count) != maxUnknown+1 || count["…"] != 20 || count["new.0"] != 2 {
		t.Errorf("%d names, %d others, %d of the first", len(count), count["…"], count["new.0"])
	}
}
