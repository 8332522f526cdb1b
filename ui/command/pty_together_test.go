//go:build linux

package command_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/model"
)

// Two cockpits on one workspace show the same: an act in one is seen in the
// other, and so is what any other process writes.
func TestPTYTwoCockpits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	one, two := begin(t, sessionOptions{dir: dir}), begin(t, sessionOptions{dir: dir, w: 200, h: 60})
	for _, s := range []*session{one, two} {
		s.shows("1 Events", "0 events")
	}
	one.send("a")
	one.shows("Push a directive")
	one.send("walk the dog\r")
	for _, s := range []*session{one, two} {
		s.shows("walk the dog", "1 open", "queue 1")
	}
	// The other one drops it, after it was asked; the first one can't any more.
	two.send("3j")
	two.until("the row", func() bool { return strings.Contains(two.em.String(), "▸   #1") })
	two.send("d")
	two.shows("Cancel", "never done")
	two.send("\t\r")
	for _, s := range []*session{one, two} {
		s.showsNot("1 open")
	}
	two.shows("dropped", "undoes")

	out := ran(t, dir, "emit", "build/alert", `{"summary":"from a command"}`, "--kind", "signal", "--key", "s1", "--json")
	if !strings.Contains(out, `"seq"`) {
		t.Errorf("emit writes %s", out)
	}
	b := openIn(t, w, nil)
	if _, err := b.Ledger.Emit(context.Background(), ledger.EmitRequest{
		Topic: "build/log", Kind: model.KindNote, Producer: "probe", Payload: []byte(`{"text":"from a test"}`),
	}); err != nil {
		t.Fatal(err)
	}
	two.shows("from a command", "from a test", "needs you 1")
	one.shows("1 pending", "from a test", "needs you 1")
	for _, s := range []*session{one, two} {
		s.send("q")
		if status := s.leaves(); status != 0 {
			t.Errorf("it ends with %d", status)
		}
		s.restored()
	}
}

// When the process that does the duties is killed the other one takes them
// over: what runs out afterwards is still taken back.
func TestPTYDutiesGoOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	one := begin(t, sessionOptions{dir: dir})
	one.shows("1 Events", "0 events")
	two := begin(t, sessionOptions{dir: dir})
	two.shows("1 Events", "0 events")
	if err := one.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-one.ended
	b := openIn(t, w, nil)
	if _, err := b.Ledger.ClaimWork(context.Background(), ledger.ClaimRequest{Key: "job-1", Executor: "probe", Lease: time.Second}); err != nil {
		t.Fatal(err)
	}
	two.shows("1 expired")
}

// $EDITOR gets the terminal, and the cockpit comes back with what it left.
func TestPTYEditor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspaceIn(t, dir)
	editor := filepath.Join(dir, "an editor")
	script := "#!/bin/sh\necho in the editor\nread line\nprintf 'ship the %s\\n\\nwith its second paragraph\\n' \"$line\" >\"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := begin(t, sessionOptions{dir: dir, env: []string{"EDITOR='" + editor + "'"}})
	s.shows("1 Events", "0 events")
	s.send("a")
	s.shows("Push a directive")
	s.send("x\x05") // ctrl+e
	s.shows("in the editor")
	s.mu.Lock()
	if s.em.IsAltScreen() || s.em.CursorHidden() {
		t.Error("the editor runs on our screen")
	}
	s.mu.Unlock()
	if now := s.termios(); now != s.before {
		t.Errorf("the editor's terminal is set to %+v, it was %+v", now, s.before)
	}
	s.mark()
	s.send("boat\r")
	s.shows("Push a directive", "ship the boat")
	s.until("the modes", func() bool { return s.em.IsAltScreen() && s.em.CursorHidden() && len(s.modes) > 3 })
	s.send("\r")
	s.shows("ship the boat", "1 open")
	if out := ran(t, dir, "queue", "show", "1", "--json"); !strings.Contains(out, `ship the boat\n\nwith its second paragraph`) {
		t.Errorf("the directive is %s", out)
	}
	s.send("q")
	if status := s.leaves(); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	s.restored()
}

// The demo has something in every pane soon, at every size, and goes on.
func TestPTYDemo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			dir := t.TempDir()
			s := begin(t, sessionOptions{dir: dir, w: c.w, h: c.h, args: []string{"demo", "--seed", "1"}, env: []string{"TMPDIR=" + dir}})
			for _, pane := range []struct{ key, title, empty string }{
				{"1", "1 Events", "will stand here"},
				{"2", "2 Planes", " 0 total"},
				{"3", "3 Lanes", "will stand here"},
				{"4", "4 Leases", "Nothing is held"},
				{"6", "6 Needs you", "Nothing needs you"},
			} {
				s.send(pane.key)
				s.until("something in "+pane.title, func() bool {
					shown := s.em.String()
					return strings.Contains(shown, "▸"+pane.title) && !strings.Contains(shown, pane.empty)
				})
			}
			events := func() int64 {
				var n int64
				for _, f := range strings.Split(s.row(0), "   ") {
					if number, ok := strings.CutPrefix(strings.TrimSpace(f), ""); ok && strings.Contains(number, " events") {
						_, _ = fmt.Sscan(strings.ReplaceAll(number, ",", ""), &n)
					}
				}
				return n
			}
			var first int64
			s.until("the count of events", func() bool { first = events(); return first > 0 })
			s.until("more events", func() bool { return events() > first+5 })
			s.send("q")
			if status := s.leaves(); status != 0 {
				t.Errorf("it ends with %d", status)
			}
			s.restored()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v (%v)", left, err)
			}
		})
	}
}

// A reader that has seen enough ends the demo, quietly; a duration ends it
// with a bye.
func TestDemoPlain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, builtFor(t), "demo", "--seed", "1", "--plain", "--duration", "1h")
	cmd.Dir, cmd.Env = dir, append(cleanEnv(dir), "TMPDIR="+dir)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 64)
	if _, err := io.ReadFull(out, head); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(head), `{"type":"hello"`) {
		t.Errorf("it begins with %s", head)
	}
	_ = out.Close()
	if err := cmd.Wait(); err != nil || errs.String() != "" {
		t.Errorf("after its reader left it ends with %v and says %s", err, errs.String())
	}
	cmd = exec.CommandContext(ctx, builtFor(t), "demo", "--seed", "1", "--plain", "--duration", "1s")
	cmd.Dir, cmd.Env = dir, append(cleanEnv(dir), "TMPDIR="+dir)
	all, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	if err != nil || !strings.HasPrefix(lines[len(lines)-1], `{"type":"bye"`) {
		t.Errorf("it ends with %v and the line %s", err, lines[len(lines)-1])
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v (%v)", left, err)
	}
}

// A cockpit on a workspace in which nothing happens writes nothing, but the
// clock when the minute changes, and takes next to nothing of the processor.
func TestPTYIdle(t *testing.T) {
	dir := t.TempDir()
	old(t, dir)
	s := begin(t, sessionOptions{dir: dir})
	s.shows("2 Planes", "compiled 119")
	s.until("the verified chain", func() bool { return strings.Contains(s.row(0), "✓") })
	s.quiet(1500 * time.Millisecond)
	s.mu.Lock()
	bytes, clock := s.total, s.row(0)
	s.mu.Unlock()
	s.mark()
	_, before := stat(t, s.cmd.Process.Pid)
	const long = 5 * time.Second
	<-time.After(long)
	_, after := stat(t, s.cmd.Process.Pid)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("%s of idling take %s of a processor, %.2f %%", long, after-before, 100*float64(after-before)/float64(long))
	if s.total != bytes && s.row(0) == clock {
		t.Errorf("it writes %d bytes though nothing changes: %q", s.total-bytes, s.raw)
	}
	if s.total > bytes+200 {
		t.Errorf("it writes %d bytes for a minute: %q", s.total-bytes, s.raw)
	}
	if after-before > long/5 {
		t.Errorf("idling takes %s of %s", after-before, long)
	}
}
