package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// fingerprint names every file below a folder with its bytes and mode.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := path + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(raw)
			line += " " + info.ModTime().String() + " " + hex.EncodeToString(sum[:])
		}
		lines = append(lines, line)
		return nil
	}))
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// everything runs all that speaks with the remote.
func everything(t *testing.T, n *node, id string) {
	t.Helper()
	n.hook("s-"+id, "UserPromptSubmit", `"prompt":"x"`)
	n.fetch()
	n.clock.add(time.Second)
	n.push()
	_, err := n.ChangeOpen(bg(), change.Draft{ID: id, Inputs: []fleetmap.ChangeInput{{Kind: fleetmap.InputPath, Ref: "README"}}})
	must(t, err)
	_, err = n.Watch(bg(), change.WatchOptions{})
	must(t, err)
	_, err = n.NoteLandings(bg())
	must(t, err)
	n.fleet()
	_, err = n.Doctor(bg())
	must(t, err)
}

func TestTheUsersRepositoryIsOnlyRead(t *testing.T) {
	w := newWorld(t)
	w.land(keys.RegistryPath, "# nobody yet\n", "a registry, whose file a filter leaves out")
	plain := w.clone("plain")
	// All that could be disturbed, or could disturb us.
	for _, h := range []string{"pre-push", "post-fetch", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"} {
		must(t, os.WriteFile(filepath.Join(plain, ".git", "hooks", h), []byte("#!/bin/sh\ntouch "+filepath.Join(w.dir, "hook-ran")+"\n"), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(plain, ".git", "index.lock"), nil, 0o644))
	for k, v := range map[string]string{
		"gc.auto": "1", "fetch.prune": "true", "push.followTags": "true", "remote.origin.mirror": "true", "fetch.fsckObjects": "false",
		"push.gpgSign": "true", "core.hooksPath": filepath.Join(plain, ".git", "hooks"), "push.recurseSubmodules": "on-demand",
	} {
		w.git(plain, "config", k, v)
	}
	w.git(w.dir, "clone", "-q", "--filter=blob:none", "file://"+w.remote, "partial")
	main := w.clone("main")
	w.git(main, "worktree", "add", "-q", filepath.Join(w.dir, "linked"))
	w.git(main, "config", "extensions.worktreeConfig", "true")
	w.git(filepath.Join(w.dir, "linked"), "config", "--worktree", "http.extraHeader", "X: y")
	for i, c := range []struct{ dir, git string }{
		{plain, filepath.Join(plain, ".git")},
		{filepath.Join(w.dir, "partial"), filepath.Join(w.dir, "partial", ".git")},
		{filepath.Join(w.dir, "linked"), filepath.Join(main, ".git")},
	} {
		t.Run(filepath.Base(c.dir), func(t *testing.T) {
			n := w.node("node-"+filepath.Base(c.dir), func(o *Options) { o.RepoDir = c.dir })
			n.repo = c.dir
			before := fingerprint(t, c.git)
			tree := fingerprint(t, c.dir)
			everything(t, n, fmt.Sprint("c", i))
			if after := fingerprint(t, c.git); after != before {
				t.Errorf("the repository changed:\n%s\nwas\n%s", after, before)
			}
			if after := fingerprint(t, c.dir); after != tree {
				t.Error("the work tree changed")
			}
			if statefile.Exists(filepath.Join(w.dir, "hook-ran")) {
				t.Error("a hook of the user's ran")
			}
			if n.Root() != c.dir {
				t.Errorf("root %s", n.Root())
			}
		})
	}
	if a, err := git.FindTree(filepath.Join(w.dir, "linked")); err != nil || a.Common != filepath.Join(main, ".git") {
		t.Errorf("%+v %v", a, err)
	}
	w.git(w.remote, "fsck", "--strict")
}

func TestNoGitProcessWhileNothingIsDue(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", func(o *Options) { o.FetchEvery = time.Hour; o.Heartbeat = time.Hour; o.Clock = clock.Machine() })
	ctx, cancel := context.WithCancel(bg())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	eventually(t, "the first fetch", func() bool { s, err := n.Map(ctx); return err == nil && s.FetchedAt != 0 })
	n.hook("s", "UserPromptSubmit", `"prompt":"x"`)
	eventually(t, "the first push", func() bool { return w.remoteRef("refs/bay/live/m-a") != "" })
	eventually(t, "it is noted", func() bool { m, err := n.loadMet(); return err == nil && m.At != nil })
	if !statefile.Held(n.dutiesPath()) {
		t.Error("hooks would start publishers of their own")
	}
	started := n.Fleet.repo.Started()
	for range 50 {
		if _, err := n.Map(ctx); err != nil {
			t.Fatal(err)
		}
	}
	n.hook("s", "PreToolUse")
	idle := time.NewTimer(1500 * time.Millisecond) // three looks for pokes
	<-idle.C
	if got := n.Fleet.repo.Started(); got != started {
		t.Errorf("%d processes while nothing was due", got-started)
	}
	cancel()
	must(t, <-ended)
	if statefile.Held(n.dutiesPath()) {
		t.Error("the duties are still held")
	}
}

func TestRunPublishesFetchesAndRecovers(t *testing.T) {
	w := newWorld(t)
	a := w.node("a", func(o *Options) {
		o.FetchEvery = -1
		o.Heartbeat = 100 * time.Millisecond
		o.Clock = clock.Machine()
	})
	b := w.node("b", func(o *Options) { o.FetchEvery = 100 * time.Millisecond; o.Clock = clock.Machine() })
	ctx, cancel := context.WithCancel(bg())
	ended := make(chan error, 2)
	go func() { ended <- a.Run(ctx) }()
	go func() { ended <- b.Run(ctx) }()
	a.hook("s", "UserPromptSubmit", `"prompt":"x"`)
	eventually(t, "b sees it", func() bool {
		m, err := b.Map(ctx)
		s := sessionsOf(m, "m-a")
		return err == nil && len(s) == 1 && s[0].State == session.Working
	})
	a.hook("s", "SessionEnd", `"reason":"other"`)
	eventually(t, "b sees that it ended", func() bool { m, err := b.Map(ctx); return err == nil && len(sessionsOf(m, "m-a")) == 0 })
	cancel()
	must(t, <-ended)
	must(t, <-ended)
}

func TestPruneKeepsWhatIsNamed(t *testing.T) {
	w := newWorld(t)
	g := forge{w}
	n := w.node("reader")
	for i := range 3 {
		name := fmt.Sprint("m-", i)
		g.publish(name, live(name, 1), nil)
	}
	n.fetch()
	for i := range 5 {
		g.publish("m-1", live("m-1", int64(i+2)), nil)
		n.fetch()
	}
	r, err := n.remoteFor(bg())
	must(t, err)
	state, err := loadFetched(r)
	must(t, err)
	must(t, n.pruneLive(bg(), r, state))
	packs, err := filepath.Glob(filepath.Join(r.Live().Dir, "objects", "pack", "*"))
	must(t, err)
	loose, err := filepath.Glob(filepath.Join(r.Live().Dir, "objects", "??", "*"))
	must(t, err)
	if len(packs) != 0 || len(loose) != 9 {
		t.Errorf("%d packs, %d loose objects", len(packs), len(loose))
	}
	again := w.node("reader") // another process reads the cache
	if m := again.fleet(); len(m.Sessions) != 3 {
		t.Errorf("%+v", m.Sessions)
	}
	g.publish("m-1", live("m-1", 99), nil)
	again.fetch()
	if m := again.fleet(); len(m.Sessions) != 3 {
		t.Errorf("after the next fetch: %+v", m.Sessions)
	}
	must(t, r.Record().Pack(bg()))
}

func TestSHA256Repositories(t *testing.T) {
	dir := t.TempDir()
	w := &world{t: t, dir: dir, remote: filepath.Join(dir, "remote.git"), env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "USER=ada"}}
	must(t, os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte("[user]\nname = T\nemail = t@example.invalid\n[init]\ndefaultBranch = main\n"), 0o600))
	if out, err := w.tryGit(dir, "init", "-q", "--bare", "--object-format=sha256", w.remote); err != nil {
		t.Skip(out)
	}
	w.git(w.remote, "config", "uploadpack.allowFilter", "true")
	w.git(dir, "init", "-q", "--object-format=sha256", "seed")
	w.git(filepath.Join(dir, "seed"), "remote", "add", "origin", w.remote)
	key := newKey(t)
	w.land(keys.RegistryPath, "ci "+keys.PublicLine(key.PublicKey())+"\n", "keys")
	a := w.node("a", func(o *Options) { o.Agent = "ci" })
	if line, err := a.KeyNew("ci"); err != nil || line == "" {
		t.Fatal(err)
	}
	_, err := a.KeyAdd("ci", "")
	must(t, err)
	w.land(keys.RegistryPath, readText(t, a.registryFile()), "a's key")
	a.hook("s", "UserPromptSubmit", `"prompt":"x"`)
	a.push()
	b := w.node("b")
	b.fetch()
	if m := machineOf(t, b.fleet(), "m-a"); !m.Signed || m.Fresh != 1 {
		t.Fatalf("%+v", m)
	}
	w.git(w.remote, "fsck", "--strict")
}

func TestKeysAndDoctor(t *testing.T) {
	w := newWorld(t)
	n := w.node("a", func(o *Options) { o.Agent = "ci" })
	k, err := n.KeyAdd("ci", "")
	must(t, err)
	if again, err := n.KeyAdd("ci", ""); err != nil || again != k {
		t.Errorf("%+v %v", again, err)
	}
	if _, err := n.KeyAdd("CI*", ""); err == nil {
		t.Error("a pattern is taken")
	}
	if _, err := n.KeyAdd("qa", "ssh-ed25519 nonsense"); model.CodeOf(err) != model.CodeUsage {
		t.Error(err)
	}
	_, err = n.KeyAdd("qa", keys.PublicLine(newKey(t).PublicKey()))
	must(t, err)
	n.fetch()
	r, err := n.KeyList(bg())
	must(t, err)
	if len(r.Here) != 2 || len(r.Trunk) != 0 || r.Landed {
		t.Fatalf("%+v", r)
	}
	w.land(keys.RegistryPath, readText(t, n.registryFile()), "keys")
	n.fetch()
	if r, err = n.KeyList(bg()); err != nil || len(r.Trunk) != 2 || !r.Landed {
		t.Fatalf("%+v %v", r, err)
	}
	n.push()
	list, err := n.Doctor(bg())
	must(t, err)
	seen := map[string]fleetmap.FindingLevel{}
	for _, f := range list {
		seen[f.What+" "+string(f.Level)] = f.Level
		if f.Level == fleetmap.FindingBad {
			t.Errorf("%+v", f)
		}
	}
	for _, want := range []string{"git ok", "clock ok", "remote ok", "refs ok", "keys ok", "fetch ok", "hooks warn"} {
		if seen[want] == "" {
			t.Errorf("no %s in %+v", want, list)
		}
	}
	if removed, err := n.KeyRemove("qa", ""); removed != 1 || err != nil {
		t.Error(removed, err)
	}
	if _, err := n.KeyRemove("qa", ""); model.CodeOf(err) != model.CodeNotFound {
		t.Error(err)
	}
	for v, ok := range map[string]bool{"2.39.5": true, "2.36.0": true, "2.35.9": false, "3.0": true, "1.9": false, "2.45.1 (Apple Git-1)": true, "": false} {
		if gitAtLeast(v, 2, 36) != ok {
			t.Errorf("%q", v)
		}
	}
}

func TestNoRemoteAndNoRepository(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	w.git(n.repo, "remote", "remove", "origin")
	_, err := n.Fetch(bg())
	wantCode(t, err, model.CodeNoRemote)
	_, err = n.Push(bg())
	wantCode(t, err, model.CodeNoRemote)
	bare, err := Open(Options{RepoDir: t.TempDir(), StateDir: t.TempDir(), Environ: w.env})
	must(t, err)
	_, err = bare.Map(bg())
	wantCode(t, err, model.CodeNoRemote)
	if _, err := bare.Hook(bg(), hooks.ToolClaude, strings.NewReader(ev("a", "Stop")), 1); model.CodeOf(err) != model.CodeNoWork {
		t.Error(err)
	}
}

// TestNoRemoteCostsNoProcess: that there is no remote is known until the
// repository's configuration changes.
func TestNoRemoteCostsNoProcess(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	url := w.git(n.repo, "remote", "get-url", "origin")
	w.git(n.repo, "remote", "remove", "origin")
	f, err := Open(Options{RepoDir: n.repo, StateDir: t.TempDir(), Environ: w.env})
	must(t, err)
	for range 3 {
		m, err := f.Map(bg())
		if must(t, err); m.Unshared == "" {
			t.Fatalf("%+v", m)
		}
	}
	if got := f.repo.Started(); got != 1 {
		t.Errorf("%d git processes were started", got)
	}
	w.git(n.repo, "remote", "add", "origin", strings.TrimSpace(url))
	_, err = f.Map(bg())
	wantCode(t, err, model.CodeNotFetched)
}

func TestMachineNameIsMadeOnce(t *testing.T) {
	dir := t.TempDir()
	names := make(chan string, 8)
	for range 8 {
		go func() {
			name, err := machineName(dir)
			if err != nil {
				name = err.Error()
			}
			names <- name
		}()
	}
	first := <-names
	for range 7 {
		if n := <-names; n != first {
			t.Errorf("%s and %s", first, n)
		}
	}
	must(t, fleetmap.CheckMachine(first))
}
