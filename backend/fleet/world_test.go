package fleet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/fleetmap"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// A test that needs a program of ours runs this binary again.
	if f := os.Getenv("FLEET_TEST_PROGRAM"); f != "" {
		os.Exit(program(f))
	}
	goleak.VerifyTestMain(m)
}

// handClock is a machine's clocks, moved by hand.
type handClock struct {
	mu sync.Mutex
	at model.Reading
}

func newClock(boot string) *handClock {
	return &handClock{at: model.Reading{Boot: boot, Up: time.Hour, Wall: model.TimeOf(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))}}
}

func (c *handClock) now() model.Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *handClock) add(d time.Duration) {
	c.mu.Lock()
	c.at.Up += d
	c.at.Wall = c.at.Wall.Add(d)
	c.mu.Unlock()
}

// world is a remote with a trunk, and the environment that its users share.
type world struct {
	t      testing.TB
	dir    string
	remote string
	env    []string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, dir: dir, remote: filepath.Join(dir, "remote.git")}
	home := filepath.Join(dir, "home")
	must(t, os.MkdirAll(home, 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = T\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"), 0o600))
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=ada"}
	w.git(dir, "init", "-q", "--bare", w.remote)
	w.git(w.remote, "config", "uploadpack.allowFilter", "true")
	w.git(w.remote, "config", "uploadpack.allowAnySHA1InWant", "true")
	w.git(dir, "clone", "-q", w.remote, filepath.Join(dir, "seed"))
	w.land("README", "hello\n", "first")
	return w
}

// git runs stock git as a user would.
func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	out, err := w.tryGit(dir, args...)
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (w *world) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, w.env...), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// land puts a file on trunk and returns the commit.
func (w *world) land(name, content, message string) string {
	w.t.Helper()
	seed := filepath.Join(w.dir, "seed")
	path := filepath.Join(seed, name)
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte(content), 0o644))
	w.git(seed, "add", "-A")
	w.git(seed, "commit", "-q", "-m", message)
	w.git(seed, "push", "-q", "origin", "HEAD:main")
	return w.git(seed, "rev-parse", "HEAD")
}

// clone makes a user's repository.
func (w *world) clone(name string) string {
	dir := filepath.Join(w.dir, name)
	w.git(w.dir, "clone", "-q", w.remote, dir)
	return dir
}

// node is one machine: a clone, a state folder, a ledger and clocks.
type node struct {
	*Fleet
	w     *world
	clock *handClock
	repo  string
	store store.Store
}

func (w *world) node(name string, change ...func(*Options)) *node {
	w.t.Helper()
	repo := filepath.Join(w.dir, name)
	if !statefile.Exists(repo) {
		w.clone(name)
	}
	state := filepath.Join(w.dir, name+"-state")
	must(w.t, os.MkdirAll(state, 0o700))
	if !statefile.Exists(filepath.Join(state, "machine")) {
		must(w.t, os.WriteFile(filepath.Join(state, "machine"), []byte("m-"+name+"\n"), 0o600))
	}
	n := &node{w: w, clock: newClock("boot-" + name), repo: repo}
	db, err := storetest.OpenAt(filepath.Join(state, "ledger.db"), storetest.Options{Parts: store.NewParts(coord.Part(), Part()), Clock: model.WallOnly(func() model.Time { return n.clock.now().Wall })})
	must(w.t, err)
	w.t.Cleanup(func() { must(w.t, db.Close()) })
	n.store = db
	o := Options{
		RepoDir: repo, StateDir: state, Store: db, Clock: n.clock.now, Environ: w.env, Repo: "example.invalid/app", Actor: "ada",
		Spawn: func() error { return nil },
	}
	for _, c := range change {
		c(&o)
	}
	n.Fleet, err = Open(o)
	must(w.t, err)
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code model.Code) {
	t.Helper()
	if model.CodeOf(err) != code || err == nil {
		t.Fatalf("error %v (%v), want %v", err, model.CodeOf(err), code)
	}
}

func bg() context.Context { return context.Background() }

// hook feeds one event of claude-code's.
func (n *node) hook(session, event string, more ...string) {
	n.w.t.Helper()
	extra := ""
	if len(more) > 0 {
		extra = "," + strings.Join(more, ",")
	}
	text := fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q%s}`, session, n.repo, event, extra)
	if _, err := n.Hook(bg(), hooks.ToolClaude, strings.NewReader(text), 1); err != nil {
		n.w.t.Fatal(err)
	}
}

func (n *node) fetch() FetchReport {
	n.w.t.Helper()
	r, err := n.Fetch(bg())
	must(n.w.t, err)
	return r
}

func (n *node) push() Pushed {
	n.w.t.Helper()
	p, err := n.Push(bg())
	must(n.w.t, err)
	return p
}

func (n *node) fleet() fleetmap.Map {
	n.w.t.Helper()
	m, err := n.Map(bg())
	must(n.w.t, err)
	return m
}

func machineOf(t testing.TB, m fleetmap.Map, name string) fleetmap.Machine {
	t.Helper()
	for _, x := range m.Machines {
		if x.Machine == name {
			return x
		}
	}
	t.Fatalf("the map has no machine %s: %+v", name, m.Machines)
	return fleetmap.Machine{}
}

func sessionsOf(m fleetmap.Map, machine string) []fleetmap.Session {
	var out []fleetmap.Session
	for _, s := range m.Sessions {
		if s.Machine == machine {
			out = append(out, s)
		}
	}
	return out
}

// eventually waits for a condition, within a bound.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("never happened: " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}
