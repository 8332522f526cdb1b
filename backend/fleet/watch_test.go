package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

func titles(p fleetmap.WatchPage) string {
	var out []string
	for _, l := range p.Landings {
		out = append(out, l.Title)
	}
	return strings.Join(out, ",")
}

func kinds(p fleetmap.WatchPage) string {
	var out []string
	for _, e := range p.Events {
		out = append(out, e.ID+" "+e.Kind)
	}
	return strings.Join(out, ",")
}

func TestWatchAndChanges(t *testing.T) {
	w := newWorld(t)
	w.land("src/api/a.go", "package api\n", "api")
	a, b := w.node("a"), w.node("b")
	watch := func(n *node, since, id string) fleetmap.WatchPage {
		t.Helper()
		p, err := n.Watch(bg(), change.WatchOptions{Since: since, Change: id})
		must(t, err)
		if p.Freshness.Source != "remote" || p.Cursor == "" {
			t.Fatalf("%+v", p)
		}
		return p
	}
	p := watch(b, "", "")
	if titles(p) != "first,api" || p.Change != "" || p.More {
		t.Fatalf("outside: %s %+v", titles(p), p)
	}
	outside := p.Cursor

	c, err := a.ChangeOpen(bg(), change.Draft{ID: "C-1", Title: "a title", Inputs: []fleetmap.ChangeInput{{Kind: fleetmap.InputPath, Ref: "src/api"}, {Kind: fleetmap.InputPath, Ref: "no/such"}}})
	must(t, err)
	if c.State != fleetmap.ChangeOpen || c.Inputs[0].At == "" || c.Inputs[1].At != "" || a.View() != "C-1" {
		t.Fatalf("%+v", c)
	}
	if _, err := a.ChangeOpen(bg(), change.Draft{ID: "C-1"}); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("opened twice: %v", err)
	}
	c, err = a.ChangeHold(bg(), "C-1", "s1")
	must(t, err)
	if c.Holder.Machine != "m-a" || c.Holder.Actor != "ada" {
		t.Fatalf("%+v", c)
	}
	if _, err := b.ChangeHold(bg(), "C-1", ""); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("held twice: %v", err)
	}
	if _, err := b.ChangeRelease(bg(), "C-1", false); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("another machine released it: %v", err)
	}
	p = watch(b, outside, "")
	if kinds(p) != "m-a:1 change.opened,m-a:2 change.held" || titles(p) != "" {
		t.Fatalf("outside again: %s", kinds(p))
	}
	outside = p.Cursor

	// 28 and 27: the map knows no session for it, from either side.
	b.fetch()
	m := b.fleet()
	if len(m.Sessions) != 1 || m.Sessions[0].State != session.Unknown || m.Sessions[0].Change != "C-1" {
		t.Errorf("28: %+v", m.Sessions)
	}
	if m := a.fleet(); len(m.Sessions) != 1 || m.Sessions[0].State != session.Untracked {
		t.Errorf("27: %+v", m.Sessions)
	}
	a.hook("s1", "UserPromptSubmit", `"prompt":"x"`)
	if m := a.fleet(); len(m.Sessions) != 1 || m.Sessions[0].State != session.Working || m.Sessions[0].Change != "C-1" {
		t.Errorf("tracked: %+v", m.Sessions)
	}
	// 26: trunk at base, ahead, missing.
	s := a.fleet().Sessions[0]
	if s.Behind == nil || *s.Behind {
		t.Errorf("26 at base: %v", s.Behind)
	}
	a.push()
	b.fetch()
	if s := sessionsOf(b.fleet(), "m-a"); len(s) != 1 || s[0].Behind == nil || *s[0].Behind {
		t.Errorf("26 from b: %+v", s)
	}

	// The view: state first, then only what touches its inputs.
	p = watch(a, "", "")
	if p.Change != "C-1" || p.State == nil || titles(p) != "" || kinds(p) != "m-a:1 change.opened,m-a:2 change.held" || len(p.Invalidations) != 0 {
		t.Fatalf("view: %+v", p)
	}
	inside := p.Cursor
	w.land("docs/x", "x", "docs")
	moved := w.land("src/api/b.go", "package api\n", "more api\n\nBay-Change: C-9")
	w.land("README", "new", "readme")
	p = watch(a, inside, "")
	if titles(p) != "more api" || len(p.Invalidations) != 1 || p.Invalidations[0].Cause != moved || p.Invalidations[0].Input.Ref != "src/api" {
		t.Fatalf("view after landings: %s %+v", titles(p), p.Invalidations)
	}
	if p.Landings[0].Change != "C-9" || strings.Join(p.Landings[0].Paths, " ") != "src/api/b.go" {
		t.Errorf("%+v", p.Landings[0])
	}
	if p = watch(a, p.Cursor, ""); len(p.Invalidations)+len(p.Landings)+len(p.Events) != 0 {
		t.Errorf("told twice: %+v", p)
	}
	if p = watch(b, outside, ""); titles(p) != "docs,more api,readme" || len(p.Invalidations) != 0 {
		t.Errorf("outside judges: %s %+v", titles(p), p.Invalidations)
	}
	if s := a.fleet().Sessions[0]; s.Behind == nil || !*s.Behind {
		t.Errorf("26 ahead: %v", s.Behind)
	}

	_, err = a.ChangeRelease(bg(), "C-1", false)
	must(t, err)
	_, err = b.ChangeClose(bg(), "C-1", false)
	must(t, err)
	if _, err := a.ChangeHold(bg(), "C-1", ""); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("a closed change was held: %v", err)
	}
	if out := w.git(w.remote, "log", "--format=%s", "refs/bay/log/m-a"); strings.Count(out, "\n") != 2 {
		t.Errorf("the log:\n%s", out)
	}
	w.git(w.remote, "fsck", "--strict")
}

func TestWatchCursorsThatLeadNowhere(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	first, err := n.Watch(bg(), change.WatchOptions{})
	must(t, err)
	_, err = n.Watch(bg(), change.WatchOptions{Since: "nonsense"})
	wantCode(t, err, model.CodeUsage)
	// Trunk is rewritten: the cursor's commit is no ancestor any more.
	seed := filepath.Join(w.dir, "seed")
	w.git(seed, "commit", "-q", "--amend", "-m", "another first")
	w.git(seed, "push", "-q", "-f", "origin", "HEAD:main")
	_, err = n.Watch(bg(), change.WatchOptions{Since: first.Cursor})
	wantCode(t, err, model.CodeCursorLost)
	// Another remote's cursor.
	other := newWorld(t)
	m := other.node("b")
	_, err = m.Watch(bg(), change.WatchOptions{Since: first.Cursor})
	wantCode(t, err, model.CodeCursorLost)
}

func TestARewrittenLogIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	a, b := w.node("a"), w.node("b")
	_, err := a.LogEvent(bg(), change.EventDraft{Kind: fleetmap.BayPolicyChanged})
	must(t, err)
	page, err := b.Watch(bg(), change.WatchOptions{})
	must(t, err)
	if kinds(page) != "m-a:1 policy.changed" {
		t.Fatal(kinds(page))
	}
	g := forge{w}
	forged, err := fleetmap.BayEvent{Executor: "m-a", Seq: 1, Kind: fleetmap.BayKeyAdded}.Encode()
	must(t, err)
	g.ref("refs/bay/log/m-a", g.object("commit", plainCommit(g.tree("100644 event.json "+g.object("blob", forged)))))
	page, err = b.Watch(bg(), change.WatchOptions{})
	must(t, err)
	if kinds(page) != "m-a:1 policy.changed" || len(page.Notes) != 1 || !strings.Contains(page.Notes[0], string(model.CodeLogRewritten)) {
		t.Fatalf("%s %v", kinds(page), page.Notes)
	}
	if m := b.fleet(); !strings.Contains(m.Note, "rewritten") {
		t.Errorf("note %q", m.Note)
	}
	_, err = a.LogEvent(bg(), change.EventDraft{Kind: fleetmap.BayPolicyChanged})
	wantCode(t, err, model.CodeLogRewritten)
}

func TestLandingsEnterTheLedgerOnce(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	n.fetch()
	if k, err := n.NoteLandings(bg()); k != 0 || err != nil {
		t.Fatal(k, err)
	}
	w.land("a b/ü\n.txt", "x", "odd name")
	seed := filepath.Join(w.dir, "seed")
	w.git(seed, "checkout", "-q", "-b", "side")
	w.land("side/1", "x", "side 1")
	w.git(seed, "push", "-q", "-f", "origin", "HEAD~1:main") // the side is not landed yet
	w.git(seed, "checkout", "-q", "-B", "main", "HEAD~1")
	w.git(seed, "merge", "-q", "--no-ff", "-m", "land side\n\nBay-Change: C-7", "side")
	w.git(seed, "push", "-q", "origin", "HEAD:main")
	n.fetch()
	k, err := n.NoteLandings(bg())
	must(t, err)
	if k != 2 {
		t.Fatalf("%d landings", k)
	}
	if k, err := n.NoteLandings(bg()); k != 0 || err != nil {
		t.Fatal("told twice", k, err)
	}
	var events []model.Event
	must(t, n.store.Read(bg(), func(r store.Reader) error {
		var err error
		events, err = r.Events(0, 10)
		return err
	}))
	if len(events) != 2 || events[0].Topic != session.TopicRefLanded || events[0].Kind != model.KindCoord {
		t.Fatalf("%+v", events)
	}
	if !strings.Contains(string(events[0].Payload), `"paths":["a b/ü\n.txt"]`) {
		t.Errorf("%s", events[0].Payload)
	}
	if p := string(events[1].Payload); !strings.Contains(p, `"change":"C-7"`) || !strings.Contains(p, `"paths":["side/1"]`) {
		t.Errorf("%s", p)
	}
	if s := w.git(seed, "rev-parse", "HEAD"); events[1].Key != s {
		t.Errorf("key %s, want %s", events[1].Key, s)
	}
}

func TestWatchPagesWithoutLossOrRepetition(t *testing.T) {
	w := newWorld(t)
	seed := filepath.Join(w.dir, "seed")
	var script strings.Builder
	for i := range 620 {
		fmt.Fprintf(&script, "commit refs/heads/main\ncommitter T <t@example.invalid> %d +0000\ndata 3\nc%02d\n", 1790000000+i, i%100)
		if i == 0 {
			script.WriteString("from refs/heads/main^0\n")
		}
		fmt.Fprintf(&script, "M 100644 inline f%d\ndata 1\nx\n", i%7)
	}
	path := filepath.Join(w.dir, "import")
	must(t, os.WriteFile(path, []byte(script.String()), 0o600))
	n := w.node("a")
	start, err := n.Watch(bg(), change.WatchOptions{})
	must(t, err)
	w.git(seed, "-c", "alias.imp=!git fast-import --quiet < "+path, "imp")
	w.git(seed, "push", "-q", "origin", "main")
	one, err := n.Watch(bg(), change.WatchOptions{Since: start.Cursor})
	must(t, err)
	two, err := n.Watch(bg(), change.WatchOptions{Since: one.Cursor, Offline: true})
	must(t, err)
	if len(one.Landings) != 500 || !one.More || len(two.Landings) != 120 || two.More {
		t.Fatalf("%d %v, %d %v", len(one.Landings), one.More, len(two.Landings), two.More)
	}
	seen := map[string]bool{}
	for _, l := range append(one.Landings, two.Landings...) {
		seen[l.Commit] = true
	}
	if len(seen) != 620 || one.Landings[0].Title != "c00" {
		t.Fatalf("%d different ones, the first %q", len(seen), one.Landings[0].Title)
	}
	fresh, err := n.Watch(bg(), change.WatchOptions{Offline: true})
	must(t, err)
	if len(fresh.Landings) != 500 || fresh.Skipped != 121 || fresh.More {
		t.Fatalf("%d, skipped %d", len(fresh.Landings), fresh.Skipped)
	}
}

func TestNotifyRunsOnlyWhenTrusted(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	out := filepath.Join(w.dir, "notices")
	script := filepath.Join(n.repo, "scripts", "notify")
	must(t, os.MkdirAll(filepath.Dir(script), 0o755))
	write := func(body string) { must(t, os.WriteFile(script, []byte("#!/bin/sh\n"+body), 0o755)) }
	write("cat >> " + out + "\necho >> " + out + "\nenv >> " + out + "\n")
	must(t, os.MkdirAll(filepath.Join(n.repo, ".bay"), 0o755))
	config := filepath.Join(n.repo, ".bay", "config.toml")
	must(t, os.WriteFile(config, []byte("[notify]\ncommand = \"scripts/notify\"\n"), 0o644))
	say := func() {
		t.Helper()
		_, err := n.LogEvent(bg(), change.EventDraft{Kind: fleetmap.BayPolicyChanged})
		must(t, err)
	}
	say()
	if statefile.Exists(out) || n.Lost() != 1 {
		t.Fatalf("a cloned repository ran code; lost %d", n.Lost())
	}
	if _, runs := n.NotifyState(); runs {
		t.Error("said to run")
	}
	trusted, err := n.Trust(bg())
	must(t, err)
	say()
	got := readText(t, out)
	if trusted.Command != "scripts/notify" || !strings.Contains(got, `"id":"m-a:2"`) || strings.Contains(got, "USER=") {
		t.Fatalf("%+v %s", trusted, got)
	}
	for _, line := range strings.Split(got[strings.Index(got, "\n\n")+1:], "\n") {
		name, _, ok := strings.Cut(line, "=")
		if ok && name != "PATH" && name != "HOME" && name != "PWD" && name != "_" && name != "SHLVL" && name != "OLDPWD" {
			t.Errorf("the command sees %s", name)
		}
	}
	// A change of the program, or of the configuration, asks again.
	write("exit 0\n")
	say()
	if n.Lost() != 2 {
		t.Errorf("the changed program ran: lost %d", n.Lost())
	}
	_, err = n.Trust(bg())
	must(t, err)
	must(t, os.WriteFile(config, []byte("[notify]\ncommand = \"scripts/notify\" # more\n"), 0o644))
	if _, runs := n.NotifyState(); runs {
		t.Error("the changed configuration is trusted")
	}
	// Another exit is lost, and counted; nothing outside of the repository runs.
	write("exit 3\n")
	_, err = n.Trust(bg())
	must(t, err)
	say()
	if n.Lost() != 3 {
		t.Errorf("lost %d", n.Lost())
	}
	must(t, os.Remove(script))
	must(t, os.Symlink("/bin/true", script))
	if _, err := n.notifyProgram("scripts/notify"); model.CodeOf(err) != model.CodeUntrusted {
		t.Errorf("it leads out: %v", err)
	}
	must(t, n.Untrust())
}

func TestANotifyCommandHasFiveSeconds(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	script := filepath.Join(n.repo, "slow")
	marker := filepath.Join(w.dir, "slow-pid")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\ntrap '' TERM\necho $$ > "+marker+"\nsleep 300 &\nwait\nsleep 300\n"), 0o755))
	began := time.Now()
	err := n.deliver(bg(), "./slow", []byte("{}"))
	if err == nil || time.Since(began) > 15*time.Second {
		t.Fatalf("%v after %v", err, time.Since(began))
	}
	eventually(t, "its children end", func() bool { return children(t, "sleep\x00300") == 0 })
}

func TestWitnesses(t *testing.T) {
	w := newWorld(t)
	a, b := w.node("a"), w.node("b")
	a.hook("s", "UserPromptSubmit", `"prompt":"x"`)
	a.push()
	a.fetch()
	b.fetch()
	held, err := b.Witnesses(bg(), "m-a")
	must(t, err)
	if len(held) != 1 || held[0].Ledger.Seq != 1 || len(held[0].Ledger.Hash) != 64 {
		t.Fatalf("%+v", held)
	}
	list, err := a.VerifyWitness(bg())
	must(t, err)
	if len(list) != 1 || !list[0].OK {
		t.Fatalf("%+v", list)
	}
	must(t, a.store.Write(bg(), func(tx store.Tx) error {
		_, err := tx.Exec(`UPDATE events SET hash = $1 WHERE seq = 1`, strings.Repeat("f", 64))
		return err
	}))
	if list, err = a.VerifyWitness(bg()); err != nil || list[0].OK {
		t.Fatalf("a rewritten history passes: %+v %v", list, err)
	}
}
