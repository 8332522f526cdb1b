package fleet

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
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
	n.feed(ToolClaude, before, ev("a", "UserPromptSubmit"))
	now := os.Getpid()
	n.feed(ToolClaude, now, ev("a", "SessionStart", `"source":"resume"`), ev("a", "UserPromptSubmit"))
	n.feed(ToolClaude, before, ev("a", "SessionEnd"))
	wantStates(t, n.states(), "a", "working")
	n.feed(ToolClaude, now, ev("a", "SessionEnd"))
	wantStates(t, n.states(), "a", "ended")
}

func TestAStragglerEndsNothing(t *testing.T) {
	n := local(t)
	me := os.Getpid()
	n.feed(ToolClaude, me, ev("old", "UserPromptSubmit"), ev("new", "UserPromptSubmit"), ev("old", "PostToolUse"))
	wantStates(t, n.states(), "old", "ended", "new", "working")
	n.clock.add(time.Minute)
	n.feed(ToolClaude, me, ev("old", "PostToolUse"))
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
		"another machine's row":    {func(n *node) { n.sql(`UPDATE fleet_sessions SET machine = 'm-other'`) }, false, 0},
		"a process that is gone":   {func(n *node) { n.sql(`UPDATE fleet_process SET pid = 999999999`) }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := local(t)
			n.feed(ToolClaude, me, ev("a", "UserPromptSubmit"))
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
		n.feed(ToolClaude, 1, ev("a", "UserPromptSubmit"), ev("a", "Notification", `"notification_type":`+strconv.Quote(kind)))
		wantStates(t, n.states(), "a", want)
		list, err := n.Unknown(bg())
		must(t, err)
		if known := kind != "" && kind != "from_the_future"; known == (len(list) == 1) {
			t.Errorf("%q: counted as unknown: %v", kind, list)
		}
	}
	n := local(t)
	n.feed(ToolClaude, 1, ev("a", "UserPromptSubmit"), ev("a", "Stop", `"background_tasks":[{"id":"b1","status":"running"}]`))
	wantStates(t, n.states(), "a", model.SessionBackground)
	n.feed(ToolClaude, 1, ev("a", "Stop", `"background_tasks":[{"id":"b1","status":"completed"}]`))
	wantStates(t, n.states(), "a", "idle")
	wantFold(t, n)
}
