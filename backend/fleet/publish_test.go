package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

func (w *world) remoteRef(name string) string {
	out, err := w.tryGit(w.remote, "rev-parse", "-q", "--verify", name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

func sameMachine(o *Options) {
	must2(os.MkdirAll(o.StateDir, 0o700))
	must2(os.WriteFile(filepath.Join(o.StateDir, "machine"), []byte("m-same\n"), 0o600))
}

func must2(err error) {
	if err != nil {
		panic(err)
	}
}

func TestOneOfEightRacersWins(t *testing.T) {
	w := newWorld(t)
	var nodes []*node
	for i := range 8 {
		nodes = append(nodes, w.node(fmt.Sprintf("r%d", i), sameMachine))
	}
	errs := make([]error, len(nodes))
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Add(1)
		go func() {
			defer all.Done()
			_, errs[i] = n.Push(bg())
		}()
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if model.CodeOf(err) != model.CodeConflict {
			t.Errorf("a loser says %v", err)
		}
	}
	if won != 1 {
		t.Fatalf("%d won: %v", won, errs)
	}
	for i, n := range nodes {
		if _, err := n.Push(bg()); (err == nil) != (errs[i] == nil) {
			t.Errorf("racer %d the second time: %v, the first time %v", i, err, errs[i])
		}
	}
}

func TestAPushWhoseEndNobodySawIsAdopted(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	n.push()
	r, err := n.remoteFor(bg())
	must(t, err)
	// The process was killed after the remote had taken the push, before the
	// journal said so: the journal is the one from before.
	before, err := os.ReadFile(journalPath(r))
	must(t, err)
	n.clock.add(time.Second)
	second := n.push()
	j, err := loadJournal(r, second.Ref)
	must(t, err)
	must(t, os.WriteFile(journalPath(r), before, 0o600))
	old, err := loadJournal(r, second.Ref)
	must(t, err)
	old.Pending = []string{second.Commit}
	must(t, old.save(r))
	n.clock.add(time.Second)
	third := n.push()
	if !third.Adopted || w.remoteRef(third.Ref) != third.Commit || j.Old != second.Commit {
		t.Fatalf("%+v", third)
	}
	// The same when it never got there.
	lost, err := loadJournal(r, second.Ref)
	must(t, err)
	lost.Pending = []string{strings.Repeat("1", 40)}
	must(t, lost.save(r))
	n.clock.add(time.Second)
	if p := n.push(); w.remoteRef(p.Ref) != p.Commit {
		t.Fatalf("%+v", p)
	}
}

func TestAForeignIDIsAConflict(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	p := n.push()
	forge{w}.publish("m-a", live("m-a", 5), nil)
	foreign := w.remoteRef(p.Ref)
	_, err := n.Push(bg())
	wantCode(t, err, model.CodeConflict)
	if w.remoteRef(p.Ref) != foreign {
		t.Fatal("the other's summary was overwritten")
	}
	if model.Exit(err) != 10 || model.HintOf(err) == "" {
		t.Errorf("exit %d, hint %q", model.Exit(err), model.HintOf(err))
	}
	// A name of its own is the way out.
	name, err := n.RenewMachine()
	must(t, err)
	if p := n.push(); p.Ref != "refs/bay/live/"+name {
		t.Fatalf("%+v", p)
	}
	// The ref was deleted: it may be made anew.
	forge{w}.dropRef("refs/bay/live/" + name)
	if p := n.push(); w.remoteRef(p.Ref) != p.Commit {
		t.Fatalf("%+v", p)
	}
}

func TestAHostThatRefusesSuchRefs(t *testing.T) {
	w := newWorld(t)
	must(t, os.WriteFile(filepath.Join(w.remote, "hooks", "pre-receive"), []byte("#!/bin/sh\nwhile read a b ref; do case $ref in refs/bay/*) echo no such refs here >&2; exit 1;; esac; done\n"), 0o755))
	n := w.node("a")
	_, err := n.Push(bg())
	wantCode(t, err, model.CodeRefRefused)
	list, err := n.Doctor(bg())
	must(t, err)
	found := false
	for _, f := range list {
		found = found || f.What == "refs" && f.Level == fleetmap.FindingBad
	}
	if !found {
		t.Errorf("doctor does not say it: %+v", list)
	}
	// Another prefix is the way out.
	other := w.node("b", func(o *Options) { o.Prefix = "refs/heads-of-bay" })
	if p := other.push(); w.remoteRef("refs/heads-of-bay/live/m-b") != p.Commit {
		t.Fatalf("%+v", p)
	}
	if _, err := Open(Options{RepoDir: n.repo, StateDir: t.TempDir(), Prefix: "refs/heads/x"}); model.CodeOf(err) != model.CodeUsage {
		t.Errorf("branches are taken for a prefix: %v", err)
	}
}

// listed names a map's machines.
func listed(m fleetmap.Map) string {
	var names []string
	for _, x := range m.Machines {
		names = append(names, x.Machine)
	}
	return strings.Join(names, " ")
}

func TestTwoHundredFiftySixRefs(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	var lines strings.Builder
	for i := range 256 {
		name := fmt.Sprintf("m-%03d", i)
		fmt.Fprintf(&lines, "%s refs/bay/live/%s\n", g.summary(live(name, 1), nil), name)
	}
	head := w.git(w.remote, "rev-parse", "refs/heads/main")
	must(t, os.WriteFile(filepath.Join(w.remote, "packed-refs"), []byte("# pack-refs with: peeled fully-peeled sorted \n"+lines.String()+head+" refs/heads/main\n"), 0o644))
	n := w.node("zzz")
	if r := n.fetch(); r.Truncated || r.Machines != 256 {
		t.Fatalf("256: %+v", r)
	}
	_, err := n.Push(bg())
	wantCode(t, err, model.CodeRefsFull)
	// The 257th, by name before all others; and our own, last by name.
	g.publish("m-", live("m", 1), nil) // breaks the rule: does not count
	g.publish("a-new", live("a-new", 1), nil)
	own := live("m-zzz", 1)
	g.publish("m-zzz", own, nil)
	r := n.fetch()
	m := n.fleet()
	if !r.Truncated || !m.Truncated || r.Machines != 256 || r.LeftOut != 2 || m.LeftOut != 2 || len(r.Vanished) != 0 {
		t.Fatalf("258: %d, truncated %v, left out %d, gone %v", r.Machines, r.Truncated, r.LeftOut, r.Vanished)
	}
	machineOf(t, m, "m-zzz")
	// The choice stays: news of what is left out, or of what is read, change
	// nothing.
	before := listed(m)
	for i := range 3 {
		g.publish("a-new", live("a-new", int64(i+2)), nil)
		g.publish("m-255", live("m-255", int64(i+2)), nil)
		g.publish("m-007", live("m-007", int64(i+2)), nil)
		r := n.fetch()
		if got := listed(n.fleet()); got != before || len(r.Vanished) != 0 || r.LeftOut != 2 {
			t.Fatalf("fetch %d: gone %v, left out %d; the choice changed: %v", i, r.Vanished, r.LeftOut, got != before)
		}
	}
	// One that is gone makes room for one that was left out.
	w.git(w.remote, "update-ref", "-d", "refs/bay/live/m-100")
	if r := n.fetch(); len(r.Vanished) != 1 || r.Vanished[0] != "m-100" || r.LeftOut != 1 {
		t.Fatalf("%v, left out %d", r.Vanished, r.LeftOut)
	}
}

func TestSignedHereVerifiesInStockGit(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen")
	}
	w := newWorld(t)
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "key")
			out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "ci", "-f", key).CombinedOutput()
			if err != nil {
				t.Fatalf("%v %s", err, out)
			}
			pub, err := os.ReadFile(key + ".pub")
			must(t, err)
			n := w.node("s"+kind, func(o *Options) { o.Agent, o.KeyFile = "ci", key })
			if _, err := n.KeyAdd("ci", string(pub)); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(n.registryFile())
			must(t, err)
			w.land(keys.RegistryPath, string(text), "keys")
			n.hook("s1", "UserPromptSubmit", `"prompt":"x"`)
			p := n.push()
			cmd := exec.Command("git", "-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+n.registryFile(), "verify-commit", p.Commit)
			cmd.Dir, cmd.Env = w.remote, w.env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git verify-commit: %v %s", err, out)
			}
			w.git(w.remote, "fsck", "--strict")
			reader := w.node("reader")
			reader.fetch()
			if m := machineOf(t, reader.fleet(), "m-s"+kind); !m.Signed || m.Fresh != 1 {
				t.Fatalf("%+v", m)
			}
		})
	}
}

func TestStockGitsSignatureIsTaken(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen")
	}
	w := newWorld(t)
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	pub, err := os.ReadFile(key + ".pub")
	must(t, err)
	w.land(keys.RegistryPath, "ci "+string(pub), "keys")
	l := live("m-git", 1)
	l.Agent = "ci"
	g := forge{w}
	tree := g.tree("100644 live.json " + g.object("blob", l.Encode()))
	id := w.git(w.remote, "-c", "gpg.format=ssh", "-c", "user.signingKey="+key, "commit-tree", "-S", "-m", "live", tree)
	w.git(w.remote, "update-ref", "refs/bay/live/m-git", id)
	n := w.node("reader")
	n.fetch()
	if m := machineOf(t, n.fleet(), "m-git"); !m.Signed || m.Fresh != 1 {
		t.Fatalf("%+v", m)
	}
}

// silent accepts connections and never says a word.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	done := make(chan struct{})
	var conns []net.Conn
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, c := range conns {
			c.Close()
		}
	})
	return l.Addr().String()
}

// children counts git processes that speak of the address.
func children(t *testing.T, address string) int {
	t.Helper()
	n := 0
	dirs, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, d := range dirs {
		if raw, err := os.ReadFile(d); err == nil && strings.Contains(string(raw), address) {
			n++
		}
	}
	return n
}

func TestAHangingRemoteIsLeftInTime(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", func(o *Options) { o.ChildTimeout = time.Second })
	n.fetch()
	before := n.fleet()
	n.clock.add(7 * time.Second)
	for _, scheme := range []string{"git", "http"} {
		address := silent(t)
		w.git(n.repo, "config", "remote.origin.url", scheme+"://"+address+"/app.git")
		began := time.Now()
		_, err := n.Fetch(bg())
		wantCode(t, err, model.CodeOffline)
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s: took %v", scheme, took)
		}
		eventually(t, "orphans end", func() bool { return children(t, address) == 0 })
		if _, err := n.Map(bg()); model.CodeOf(err) != model.CodeNotFetched {
			t.Errorf("%s: a fetch from another URL counted: %v", scheme, err)
		}
	}
	// 22: back at the former URL, which can't be reached for a while.
	w.git(n.repo, "config", "remote.origin.url", w.remote)
	must(t, os.Rename(w.remote, w.remote+".away"))
	_, err := n.Fetch(bg())
	wantCode(t, err, model.CodeOffline)
	m := n.fleet()
	if m.FetchedAt != before.FetchedAt || m.FetchAge != 7*time.Second {
		t.Errorf("fetched at %v, age %v", m.FetchedAt, m.FetchAge)
	}
	page, err := n.Watch(bg(), change.WatchOptions{})
	must(t, err)
	if page.Freshness.Source != "cache" || page.Freshness.Age != 7*time.Second || page.Freshness.Why == "" {
		t.Errorf("%+v", page.Freshness)
	}
	_, err = n.Push(bg())
	wantCode(t, err, model.CodeOffline)
	must(t, os.Rename(w.remote+".away", w.remote))
	n.push()
}

func TestNobodyIsAskedForAPassword(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 4096)
			_, _ = c.Read(buf)
			_, _ = c.Write([]byte("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
			c.Close()
		}
	}()
	defer func() { l.Close(); <-served }()
	asked := filepath.Join(w.dir, "asked")
	helper := filepath.Join(w.dir, "askpass")
	must(t, os.WriteFile(helper, []byte("#!/bin/sh\ntouch "+asked+"\necho x\n"), 0o755))
	n := w.node("a", func(o *Options) {
		o.ChildTimeout = 20 * time.Second
		o.Environ = append(append([]string{}, w.env...), "GIT_ASKPASS="+helper, "SSH_ASKPASS="+helper, "DISPLAY=:0", "GIT_DIR=/nowhere", "GIT_TERMINAL_PROMPT=1")
	})
	w.git(n.repo, "config", "remote.origin.url", "http://"+l.Addr().String()+"/app.git")
	w.git(n.repo, "config", "core.askPass", helper)
	_, err = n.Fetch(bg())
	wantCode(t, err, model.CodeOffline)
	if !strings.Contains(model.HintOf(err), "credential") {
		t.Errorf("hint %q of %v", model.HintOf(err), err)
	}
	if statefile.Exists(asked) {
		t.Error("somebody was asked")
	}
}

func TestThrottleWithATrailingEdge(t *testing.T) {
	hb := 10 * time.Second
	now := newClock("b")
	at := now.now()
	for _, c := range []struct {
		name string
		d    demand
		m    met
		wait time.Duration
		due  bool
	}{
		{"no event", demand{}, met{}, 0, false},
		{"first event", demand{event: 5}, met{}, 0, true},
		{"answered", demand{event: 5}, met{Event: 5, At: &at}, 0, false},
		{"within the heartbeat", demand{event: 6}, met{Event: 5, At: &at}, 6 * time.Second, true},
		{"an end does not wait", demand{event: 6, end: 6}, met{Event: 5, At: &at}, 0, true},
		{"an end that was answered", demand{event: 7, end: 6}, met{Event: 5, End: 6, At: &at}, 6 * time.Second, true},
		{"a failure waits longer", demand{event: 6}, met{Event: 5, At: &at, Fails: 3}, 36 * time.Second, true},
		{"an end does not storm a failing host", demand{event: 6, end: 6}, met{Event: 5, At: &at, Fails: 3}, 36 * time.Second, true},
	} {
		n := now.now()
		n.Up += 4 * time.Second
		wait, due := dueIn(c.d, c.m, n, hb)
		if wait != c.wait || due != c.due {
			t.Errorf("%s: %v %v, want %v %v", c.name, wait, due, c.wait, c.due)
		}
	}
	if pause(1) != 10*time.Second || pause(2) != 20*time.Second || pause(50) != 5*time.Minute {
		t.Error("pauses", pause(1), pause(2), pause(50))
	}
}

func TestPushDueSendsTheLastEventOnce(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", func(o *Options) { o.Heartbeat = 150 * time.Millisecond; o.Clock = clock.Machine() })
	spawned := 0
	n.opts.Spawn = func() error { spawned++; return nil }
	n.hook("s1", "UserPromptSubmit", `"prompt":"x"`)
	if spawned != 1 {
		t.Fatalf("%d publishers started", spawned)
	}
	must(t, n.PushDue(bg()))
	first := w.remoteRef("refs/bay/live/m-a")
	must(t, n.PushDue(bg()))
	if first == "" || w.remoteRef("refs/bay/live/m-a") != first {
		t.Fatal("pushed without an event, or not at all")
	}
	n.hook("s1", "Stop")
	n.hook("s1", "UserPromptSubmit", `"prompt":"x"`)
	must(t, n.PushDue(bg()))
	reader := w.node("reader")
	reader.fetch()
	if s := sessionsOf(reader.fleet(), "m-a"); len(s) != 1 || s[0].EventSeq != 3 {
		t.Fatalf("%+v", s)
	}
	// Where another one is at it, nobody starts and nobody waits.
	l, ok, err := statefile.TryLock(n.duePath())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	spawned = 0
	n.hook("s1", "Stop")
	must(t, n.PushDue(bg()))
	l.Unlock()
	if spawned != 0 {
		t.Error("a second publisher was started")
	}
}

func TestTwoClonesOfOneMachineShareItsRef(t *testing.T) {
	w := newWorld(t)
	a := w.node("a")
	other := w.clone("a2")
	b := w.node("a2", func(o *Options) { o.StateDir = filepath.Join(w.dir, "a-state"); o.RepoDir = other })
	b.repo = other
	b.clock = a.clock
	b.opts.Clock = a.clock.now
	a.hook("from-a", "UserPromptSubmit", `"prompt":"x"`)
	b.hook("from-b", "UserPromptSubmit", `"prompt":"x"`)
	a.push()
	if p := b.push(); p.Rows != 2 {
		t.Fatalf("%+v", p)
	}
	reader := w.node("reader")
	reader.fetch()
	if s := sessionsOf(reader.fleet(), "m-a"); len(s) != 2 {
		t.Fatalf("%+v", s)
	}
	a.fetch()
	if s := sessionsOf(a.fleet(), "m-a"); len(s) != 2 {
		t.Fatalf("its own map: %+v", s)
	}
}

func TestACancelledCallEndsItsChildren(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	address := silent(t)
	w.git(n.repo, "config", "remote.origin.url", "git://"+address+"/app.git")
	ctx, cancel := context.WithTimeout(bg(), 700*time.Millisecond)
	defer cancel()
	if _, err := n.Fetch(ctx); err == nil {
		t.Fatal("it answered")
	}
	eventually(t, "orphans end", func() bool { return children(t, address) == 0 })
}
