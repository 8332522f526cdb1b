package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

func (n *node) keep(tool, text string, pid int) {
	n.w.t.Helper()
	r, err := hooks.Parse(tool, []byte(strings.ReplaceAll(text, "{}", n.repo)))
	must(n.w.t, err)
	must(n.w.t, n.Keep(r, n.clock.now(), pid))
}

func (n *node) take() int {
	n.w.t.Helper()
	k, err := n.TakeSpool(bg())
	must(n.w.t, err)
	return k
}

func spooling(t *testing.T) (*node, string) {
	t.Helper()
	n := local(t)
	path := filepath.Join(t.TempDir(), hooks.SpoolName)
	n.opts.Spool = path
	return n, path
}

// Many hooks write while others take: each report counts once.
func TestTheSpoolLosesNothingAndDoublesNothing(t *testing.T) {
	n, path := spooling(t)
	const writers, each = 20, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				n.keep(hooks.ToolCodex, ev(fmt.Sprintf("s%d-%d", w, i), "UserPromptSubmit"), 1)
				if i%5 == 0 {
					n.take()
				}
			}
		})
	}
	all.Wait()
	n.take()
	if statefile.Exists(path) {
		t.Error("the spool stays when it was taken in")
	}
	list, err := n.Sessions(bg())
	must(t, err)
	for _, s := range list {
		if s.Events != 1 {
			t.Errorf("%s has %d events", s.ID, s.Events)
		}
	}
	if len(list) != writers*each {
		t.Fatalf("%d of %d sessions", len(list), writers*each)
	}
}

// A process that dies between its commit and the removal of the spool leaves a
// spool that was taken in.
func TestASpoolThatStaysIsNotTakenTwice(t *testing.T) {
	n, path := spooling(t)
	n.keep(hooks.ToolCodex, ev("a", "UserPromptSubmit"), 1)
	before, err := os.ReadFile(path)
	must(t, err)
	n.take()
	must(t, os.WriteFile(path, before, 0o600))
	if k := n.take(); k != 0 {
		t.Fatalf("%d reports were taken twice", k)
	}
	n.keep(hooks.ToolCodex, ev("b", "UserPromptSubmit"), 1)
	if k := n.take(); k != 1 {
		t.Fatalf("%d reports, not the one that is new", k)
	}
}

func TestAHostileSpoolCostsOnlyItsLines(t *testing.T) {
	n, path := spooling(t)
	n.keep(hooks.ToolCodex, ev("a", "UserPromptSubmit"), 1)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("nonsense\n{}\n" + `{"report":{"Tool":"codex","Session":"half`)
	must(t, err)
	must(t, f.Close())
	n.keep(hooks.ToolCodex, ev("b", "UserPromptSubmit"), 1)
	n.take()
	wantStates(t, n.states(), "a", "working", "b", "working")
	lost, skipped, err := n.NotKept(bg())
	must(t, err)
	if lost != 0 || skipped != 3 {
		t.Errorf("%d lost, %d passed over", lost, skipped)
	}
}

func TestAFullSpoolCountsWhatItRefuses(t *testing.T) {
	n, path := spooling(t)
	n.keep(hooks.ToolCodex, ev("a", "UserPromptSubmit"), 1)
	must(t, os.Truncate(path, hooks.MaxSpool-10)) // a hole costs no disk
	r, err := hooks.Parse(hooks.ToolCodex, []byte(ev("b", "UserPromptSubmit")))
	must(t, err)
	if err := n.Keep(r, n.clock.now(), 1); !errors.Is(err, hooks.ErrNotKept) {
		t.Fatal(err)
	}
	n.take()
	wantStates(t, n.states(), "a", "working")
	lost, _, err := n.NotKept(bg())
	must(t, err)
	if lost != 1 {
		t.Errorf("%d are counted as lost", lost)
	}
}

func TestTheStateFolderTakesWhatTheWorkspaceCannot(t *testing.T) {
	n := local(t)
	n.opts.Spool = filepath.Join(n.repo, "no such folder", hooks.SpoolName)
	n.keep(hooks.ToolCodex, ev("a", "UserPromptSubmit"), 1)
	if n.take() != 1 {
		t.Fatal("the report is gone")
	}
}

func TestWhatHappenedBeforeChangesNothing(t *testing.T) {
	n, _ := spooling(t)
	n.keep(hooks.ToolOpencode, `{"directory":"{}","event":{"type":"session.status","properties":{"sessionID":"a","status":{"type":"busy"}}}}`, os.Getpid())
	older := n.clock.now()
	n.clock.add(time.Second)
	n.keep(hooks.ToolOpencode, `{"directory":"{}","event":{"type":"session.idle","properties":{"sessionID":"a"}}}`, os.Getpid())
	r, err := hooks.Parse(hooks.ToolOpencode, []byte(`{"directory":"`+n.repo+`","hook":"tool.execute.after","input":{"sessionID":"a"}}`))
	must(t, err)
	must(t, n.Keep(r, older, os.Getpid()))
	n.take()
	wantStates(t, n.states(), "a", "idle")
}

func TestNumbersOrderReportsOfOneProcess(t *testing.T) {
	n, _ := spooling(t)
	e := func(kind string, k int) string {
		return fmt.Sprintf(`{"directory":"{}","binnacle_n":%d,"event":{"type":%q,"properties":{"sessionID":"a"}}}`, k, kind)
	}
	n.feed(hooks.ToolOpencode, os.Getpid(), e("session.created", 1), e("session.idle", 3), e("session.execution.started", 2))
	wantStates(t, n.states(), "a", "idle")
	n.feed(hooks.ToolOpencode, os.Getpid(), e("question.asked", 4))
	wantStates(t, n.states(), "a", "waiting")
	n.feed(hooks.ToolOpencode, os.Getpid(), e("question.replied", 5))
	wantStates(t, n.states(), "a", "working")
}

// A line that reads well and that the ledger refuses all the same costs only
// itself: what came behind it is taken in.
func TestALineThatTheLedgerRefusesIsPassedOver(t *testing.T) {
	n, path := spooling(t)
	n.keep(hooks.ToolCodex, ev("first", "UserPromptSubmit"), 1)
	raw, err := os.ReadFile(path)
	must(t, err)
	line := bytes.TrimSpace(raw[hooks.SpoolHead:])
	var s hooks.Spooled
	must(t, json.Unmarshal(line, &s))
	s.Report.Session, s.About.ID, s.About.Actor = "poison", "poison", strings.Repeat("a", model.MaxPayload)
	raw, err = json.Marshal(s)
	must(t, err)
	must(t, hooks.AppendSpool(path, append(raw, '\n')))
	n.keep(hooks.ToolCodex, ev("last", "UserPromptSubmit"), 1)
	if k := n.take(); k != 2 || statefile.Exists(path) {
		t.Fatalf("%d are taken in", k)
	}
	if _, skipped, err := n.NotKept(bg()); err != nil || skipped != 1 {
		t.Fatalf("%d lines are counted, %v", skipped, err)
	}
	list, err := n.Sessions(bg())
	if err != nil || len(list) != 2 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
}

// Without HOME the user's home is looked up; nothing is made in the project.
func TestWithoutHOMEAReportIsKeptAllTheSame(t *testing.T) {
	for name, env := range map[string][]string{"unset": {"USER=ada"}, "empty": {"HOME="}, "relative": {"HOME=x"}} {
		home := t.TempDir()
		n := local(t)
		o := n.opts
		o.StateDir, o.Environ, o.Home = "", env, func() (string, error) { return home, nil }
		f, err := Open(o)
		must(t, err)
		n.Fleet = f
		n.feed(hooks.ToolClaude, os.Getpid(), ev("s", "UserPromptSubmit"))
		wantStates(t, n.states(), "s", "working")
		if !statefile.Exists(filepath.Join(home, ".local", "state", "binnacle", "machine")) || statefile.Exists(filepath.Join(n.repo, ".local")) || statefile.Exists(filepath.Join(n.repo, "x")) {
			t.Errorf("HOME %s: the state is not in the user's home", name)
		}
		o.Home = func() (string, error) { return "", os.ErrNotExist }
		_, err = Open(o)
		wantCode(t, err, model.CodeRefused)
	}
}
