package notes_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/coord/notes"
	"binnacle/backend/fleet/git"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/note"
	"binnacle/model/redact"
)

func bg() context.Context { return context.Background() }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, want model.Code) {
	t.Helper()
	if err == nil || model.CodeOf(err) != want {
		t.Fatalf("%v, want %s", err, want)
	}
}

// The people and the agents of these tests.
var (
	ann = notes.Who{Name: "ann@desk"}
	bob = notes.Who{Name: "bob"}
	bot = notes.Who{Name: "bot", Agent: true}
	rob = notes.Who{Name: "rob", Agent: true}
)

// rig is the engine on a database of its own, seen from a work tree, with a
// clock that the test moves.
type rig struct {
	*notes.Notes
	t     testing.TB
	tree  string
	store store.Store
	clock *clocktest.Machine
}

// newRig makes the work tree a Git repository with a commit in it.
func newRig(t testing.TB) *rig {
	r := bareRig(t)
	r.git("init", "-q", "-b", "main")
	r.write("src/main.go", "package main\n")
	r.write("CODEOWNERS", "/src/ @ann bob\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "first")
	r.look()
	return r
}

// bareRig leaves the work tree outside of Git.
func bareRig(t testing.TB) *rig {
	t.Helper()
	at, err := model.ParseTime("2026-06-20T15:00:00Z")
	must(t, err)
	r := &rig{t: t, tree: t.TempDir(), clock: clocktest.New(at)}
	r.store, err = storetest.OpenAt(storetest.Place(t), storetest.Options{Parts: parts.All(), Clock: r.clock.Read})
	must(t, err)
	t.Cleanup(func() { must(t, r.store.Close()) })
	r.look()
	return r
}

// look makes the engine anew, for what the work tree is now.
func (r *rig) look() {
	r.t.Helper()
	tree, err := git.FindTree(r.tree)
	must(r.t, err)
	redactor, err := redact.New(nil)
	must(r.t, err)
	r.Notes = notes.Open(r.store, git.FilesOf(tree, r.environ(), 30*time.Second), redactor)
}

func (r *rig) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.tree, "GIT_CONFIG_NOSYSTEM=1"}
}

func (r *rig) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir, cmd.Env = r.tree, r.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *rig) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.tree, name)
	must(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(r.t, os.WriteFile(path, []byte(content), 0o644))
}

func (r *rig) add(who notes.Who, path string) note.Item {
	r.t.Helper()
	w, err := r.Add(bg(), who, notes.New{Path: path, Title: "about " + path})
	must(r.t, err)
	return w.Item
}

func (r *rig) get(id string) note.Item {
	r.t.Helper()
	i, err := r.Get(bg(), id)
	must(r.t, err)
	return i
}

// want compares a note, as it is read now, in one line.
func (r *rig) want(id, line string) {
	r.t.Helper()
	i := r.get(id)
	if got := fmt.Sprintf("%s %s %s", i.State, i.Freshness, i.Rank); got != line {
		r.t.Fatalf("note %s is %s, want %s", id, got, line)
	}
}

// listed are the notes' ids, in the order of a list.
func (r *rig) listed(o notes.ListOptions) string {
	r.t.Helper()
	l, err := r.List(bg(), o)
	must(r.t, err)
	var ids []string
	for _, i := range l.Items {
		ids = append(ids, i.ID)
	}
	return strings.Join(ids, " ")
}

func (r *rig) events() (all []model.Event) {
	r.t.Helper()
	must(r.t, r.store.Read(bg(), func(rd store.Reader) (err error) {
		all, err = rd.Events(0, 10_000)
		return err
	}))
	return all
}

// refuses runs what must be refused with the code, and must leave nothing behind.
func (r *rig) refuses(code model.Code, do func() error) {
	r.t.Helper()
	before := len(r.events())
	wantCode(r.t, do(), code)
	if after := len(r.events()); after != before {
		r.t.Fatalf("a refusal left %d events", after-before)
	}
}

// verify holds the tables to the fold of the events.
func (r *rig) verify() {
	r.t.Helper()
	v, err := verify.Run(bg(), r.store, verify.Options{})
	if err != nil || !v.OK {
		r.t.Fatalf("%+v, %v", v, err)
	}
}

// one drops a value that the test does not look at.
func one[T any](_ T, err error) error { return err }

// endorse drops what Endorse returns besides its error.
func (r *rig) endorse(who notes.Who, id string) error {
	_, _, err := r.Endorse(bg(), who, id)
	return err
}

func titled(path, title string) notes.New { return notes.New{Path: path, Title: title} }
