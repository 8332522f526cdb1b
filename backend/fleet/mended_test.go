package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// One faulty change or log stops no fetch, and takes nothing of the others.
func TestFaultyRecordRefsAreQuarantinedAlone(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	a := w.node("a")
	for i := range 4 {
		_, err := a.ChangeOpen(bg(), change.Draft{ID: fmt.Sprint("C-", i)})
		must(t, err)
	}
	g.publish("m-x", live("m-x", 1), nil)
	bad := g.object("commit", []byte("tree "+g.tree("100644 change.json "+g.object("blob", []byte("{}")))+"\ncommitter "+who+"\n\nno author\n"))
	for _, ref := range []string{"refs/bay/change/bad", "refs/bay/change/C-1", "refs/bay/log/m-bad"} {
		g.ref(ref, bad)
	}
	b := w.node("b")
	r := b.fetch()
	if r.Machines != 1 || r.ChangeFaults["bad"] == "" || r.ChangeFaults["C-1"] == "" || r.LogFaults["m-bad"] == "" || len(r.ChangeFaults) != 2 {
		t.Fatalf("%+v", r)
	}
	list, err := b.Changes(bg())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	// Who had a good one keeps it.
	a.fetch()
	if list, err := a.Changes(bg()); err != nil || len(list) != 4 {
		t.Fatalf("%+v %v", list, err)
	}
	if m := b.fleet(); !strings.Contains(m.Note, "the change bad can't be fetched") {
		t.Error(m.Note)
	}
	// It is not asked for again.
	started := b.Fleet.repo.Started()
	b.fetch()
	if got := b.Fleet.repo.Started() - started; got != 2 { // config, ls-remote
		t.Errorf("%d processes for a fetch without a change", got)
	}
	g.dropRef("refs/bay/change/bad")
	if r := b.fetch(); r.ChangeFaults["bad"] != "" {
		t.Errorf("%+v", r)
	}
}

// A change that is larger than a change may be fails alone.
func TestAHugeChangeIsLeftOut(t *testing.T) {
	w := newWorld(t)
	w.git(w.remote, "config", "uploadpack.allowFilter", "false")
	g := forge{w}
	a := w.node("a")
	_, err := a.ChangeOpen(bg(), change.Draft{ID: "C-1"})
	must(t, err)
	junk := make([]byte, maxRefBytes+1<<20)
	_, err = rand.Read(junk)
	must(t, err)
	g.ref("refs/bay/change/huge", g.object("commit", plainCommit(g.tree("100644 change.json "+g.object("blob", junk)))))
	b := w.node("b")
	if r := b.fetch(); r.ChangeFaults["huge"] == "" {
		t.Errorf("%+v", r)
	}
	if list, err := b.Changes(bg()); err != nil || len(list) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	if size := folderSize(t, filepath.Join(w.dir, "b-state", "remotes")); size > 2<<20 {
		t.Errorf("%d bytes were kept", size)
	}
}

// Trunk is fetched as plain Git does: faults of old commits don't matter.
func TestTrunkWithOldFaultsIsFetched(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	tree := g.tree("100644 README " + g.object("blob", []byte("x")))
	g.ref("refs/heads/main", g.object("commit", []byte("tree "+tree+"\nauthor T <t@x> 1 +0000\ncommitter T<t@x> 1 +0000\n\nno space before the mail\n")))
	n := w.node("a")
	if r := n.fetch(); r.Trunk == "" {
		t.Fatalf("%+v", r)
	}
}

// A registry that was seen once does not vanish in silence.
func TestAVanishedRegistryIsAnAlarm(t *testing.T) {
	for _, how := range []string{"rewound", "removed", "replaced"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			g := forge{w}
			before := w.git(w.remote, "rev-parse", "refs/heads/main")
			key, evil := newKey(t), newKey(t)
			w.land(keys.RegistryPath, "ci "+keys.PublicLine(key.PublicKey())+"\n", "keys")
			n := w.node("a")
			signed := live("m-good", 1)
			signed.Agent = "ci"
			g.publish("m-good", signed, signWith(t, key))
			n.fetch()
			if m := n.fleet(); len(sessionsOf(m, "m-good")) != 1 || m.Alarm != "" {
				t.Fatalf("%+v", m)
			}
			_, err := n.KeyChanged(bg())
			wantCode(t, err, model.CodeEmpty)
			switch how {
			case "rewound":
				g.ref("refs/heads/main", before)
			case "removed":
				w.land(keys.RegistryPath+".gone", "", "x")
				w.git(filepath.Join(w.dir, "seed"), "rm", "-q", keys.RegistryPath)
				w.land("README", "more\n", "no keys")
			case "replaced":
				seed := filepath.Join(w.dir, "seed")
				w.git(seed, "checkout", "-q", "-B", "other", before)
				must(t, os.MkdirAll(filepath.Join(seed, ".bay", "keys"), 0o755))
				must(t, os.WriteFile(filepath.Join(seed, keys.RegistryPath), []byte("ci "+keys.PublicLine(evil.PublicKey())+"\n"), 0o644))
				w.git(seed, "add", "-A")
				w.git(seed, "commit", "-q", "-m", "other keys")
				w.git(seed, "push", "-q", "-f", "origin", "HEAD:main")
			}
			forged := live("m-evil", 1)
			forged.Agent = "ci"
			g.publish("m-evil", forged, signWith(t, evil))
			n.fetch()
			n.fetch() // again: it stays
			for _, reader := range []*node{n, w.node("a")} {
				m := reader.fleet()
				if m.Alarm == "" || len(m.Sessions) != 0 {
					t.Fatalf("alarm %q, sessions %d", m.Alarm, len(m.Sessions))
				}
				if x := machineOf(t, m, "m-evil"); x.Code != model.CodeRegistry || x.Signed {
					t.Fatalf("%+v", x)
				}
			}
			x, err := n.KeyChanged(bg())
			must(t, err)
			if x.Was.Blob == "" || len(x.Was.Agents) != 1 || (x.Now.Blob == "") != (how != "replaced") {
				t.Fatalf("%+v", x)
			}
			stale := x
			stale.Now.Trunk = before + "0"
			wantCode(t, n.KeyAccept(bg(), stale), model.CodeStale)
			must(t, n.KeyAccept(bg(), x))
			if m := n.fleet(); m.Alarm != "" || len(sessionsOf(m, "m-evil")) != 1 {
				t.Fatalf("after it was accepted: %q, %+v", m.Alarm, m.Machines)
			}
			n.fetch()
			if m := n.fleet(); m.Alarm != "" {
				t.Error(m.Alarm)
			}
		})
	}
}

// A trunk that goes on takes keys in and out without a word.
func TestKeysThatLandAreTakenAsTheyCome(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	for i := range 3 {
		w.land(keys.RegistryPath, "ci "+keys.PublicLine(newKey(t).PublicKey())+"\n", fmt.Sprint("keys ", i))
		n.fetch()
		if m := n.fleet(); m.Alarm != "" {
			t.Fatal(m.Alarm)
		}
	}
}

func TestForgetRemovesADeadMachine(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	n := w.node("a")
	n.push()
	g.publish("m-dead", live("m-dead", 1), nil)
	n.fetch()
	_, err := n.Forgettable(bg(), "m-a", true)
	wantCode(t, err, model.CodeRefused)
	_, err = n.Forgettable(bg(), "m-none", false)
	wantCode(t, err, model.CodeNotFound)
	_, err = n.Forgettable(bg(), "m-dead", false)
	wantCode(t, err, model.CodeRefused) // it lists a session
	n.clock.add(time.Hour)
	x, err := n.Forgettable(bg(), "m-dead", false)
	must(t, err)
	g.publish("m-dead", live("m-dead", 2), nil)
	wantCode(t, n.Forget(bg(), x), model.CodeStale)
	if w.remoteRef("refs/bay/live/m-dead") == "" {
		t.Fatal("one that published was removed")
	}
	x, err = n.Forgettable(bg(), "m-dead", true)
	must(t, err)
	must(t, n.Forget(bg(), x))
	if w.remoteRef("refs/bay/live/m-dead") != "" || w.remoteRef("refs/bay/live/m-a") == "" {
		t.Error("not what was meant")
	}
	if m := n.fleet(); strings.Contains(listed(m), "m-dead") {
		t.Errorf("%+v", m.Machines)
	}
}

// BINNACLE_MACHINE names a machine whose home is thrown away; two at once are
// still told apart.
func TestANamedMachineOutlivesItsHome(t *testing.T) {
	w := newWorld(t)
	named := func(o *Options) { o.Environ = append(append([]string{}, w.env...), machineVariable+"=runner-7") }
	first, second := w.node("one", named), w.node("two", named)
	first.push()
	if p := second.push(); p.Ref != "refs/bay/live/runner-7" || !p.Adopted {
		t.Errorf("%+v", p)
	}
	_, err := first.Push(bg())
	wantCode(t, err, model.CodeConflict)
	_, err = second.RenewMachine()
	wantCode(t, err, model.CodeRefused)
	for value, ok := range map[string]bool{"Bad Name": false, "-x": false, "ci-1": true} {
		_, err := Open(Options{RepoDir: first.repo, StateDir: first.opts.StateDir, Environ: []string{machineVariable + "=" + value}})
		if (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
	if statefile.Exists("/etc/machine-id") {
		a, err := hostMachine()
		must(t, err)
		if b, err := hostMachine(); err != nil || a != b || fleetmap.CheckMachine(a) != nil {
			t.Error(a, b, err)
		}
	}
}

// What is pushed goes to pushurl, is looked for there, and is journalled as
// that; the host's own words are part of a refusal.
func TestPushURLAndTheHostsOwnWords(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(w.dir, "push.git")
	w.git(w.dir, "clone", "-q", "--bare", w.remote, other)
	n := w.node("a")
	w.git(n.repo, "config", "remote.origin.pushurl", other)
	n.push()
	n.clock.add(time.Second)
	n.push()
	if w.git(other, "for-each-ref", "refs/bay/live") == "" || w.remoteRef("refs/bay/live/m-a") != "" {
		t.Error("it went elsewhere")
	}
	must(t, os.WriteFile(filepath.Join(other, "hooks", "pre-receive"), []byte("#!/bin/sh\nprintf 'GH013: \\033[31mrule violated\\n%400s\\n' x >&2\nexit 1\n"), 0o755))
	n.clock.add(time.Second)
	_, err := n.Push(bg())
	wantCode(t, err, model.CodeRefRefused)
	if text := err.Error(); !strings.Contains(text, "GH013: ") || !strings.Contains(text, "rule violated") || strings.ContainsRune(text, 27) || len(text) > 1200 {
		t.Errorf("%q", text)
	}
}

// Readers of the machine's name don't wait for whoever changes it.
func TestTheMachinesNameMayChangeWhileItIsRead(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 200 {
				if n.Machine() == "" || n.executor() == "" || n.own().Committer() == "" {
					t.Error("it has no name")
				}
			}
		}()
	}
	for range 20 {
		_, err := n.RenewMachine()
		must(t, err)
	}
	all.Wait()
}

// What failed in the background is told, and so is its end.
func TestAFaultInTheBackgroundClears(t *testing.T) {
	w := newWorld(t)
	told := make(chan error, 64)
	n := w.node("a", func(o *Options) {
		o.FetchEvery = 50 * time.Millisecond
		o.Alarm = func(_ string, err error) { told <- err }
	})
	ctx, cancel := context.WithCancel(bg())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	defer func() { cancel(); must(t, <-ended) }()
	wait := func(what string, want bool) {
		t.Helper()
		late := time.NewTimer(20 * time.Second)
		defer late.Stop()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case err := <-told:
				if (err != nil) == want {
					return
				}
			case <-tick.C:
				n.clock.add(time.Minute) // past the pause after a failure
			case <-late.C:
				t.Fatal("never told: " + what)
			}
		}
	}
	eventually(t, "the first fetch", func() bool { n.clock.add(time.Second); m, err := n.Map(ctx); return err == nil && m.FetchedAt != 0 })
	must(t, os.Rename(w.remote, w.remote+".away"))
	wait("the fault", true)
	must(t, os.Rename(w.remote+".away", w.remote))
	wait("its end", false)
}
