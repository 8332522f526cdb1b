package demo_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/coord/notes"
	"binnacle/backend/demo"
	"binnacle/backend/fleet/git"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/query"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// tell lets a fleet take steps in a workspace of its own and returns what each
// event says, without what differs from run to run.
func tell(t *testing.T, seed uint64, steps int) []string {
	t.Helper()
	ctx := context.Background()
	tree := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found, err := git.FindTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, err := storetest.OpenAt(storetest.Place(t), storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	l := ledger.Open(s, ledger.Options{Producer: "demo"})
	defer func() { _ = l.Close() }()
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := notes.Open(s, git.FilesOf(found, os.Environ(), time.Minute), nil)
	f := demo.New(demo.Engines{Ledger: l, Queue: q, Coord: coord.Open(s, coord.Options{}), Notes: known, Tree: tree}, seed)
	for range steps {
		if err := f.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	list, err := known.List(ctx, notes.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range list.Items {
		out = append(out, "stands "+n.ID+" "+string(n.Freshness)+" "+string(n.Rank)+" "+n.Untrusted.Path+" "+n.Untrusted.Title)
	}
	err = query.Each(ctx, l.Store(), query.Query{}, func(e *model.Event) error {
		out = append(out, string(e.Kind)+" "+e.State+" "+e.Topic+" "+e.Producer)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := verify.Run(ctx, l.Store(), verify.Options{})
	if err != nil || v.Finding != nil {
		t.Fatalf("%+v %v", v.Finding, err)
	}
	return out
}

// TestAgentsDeclareSessionsAndWriteNotes: the story has every fact that commands
// over sessions and notes make, and notes of every standing.
func TestAgentsDeclareSessionsAndWriteNotes(t *testing.T) {
	story := strings.Join(tell(t, 1, 600), "\n")
	for _, want := range []string{
		"coord working session.started migrator", "coord working session.paths ", "coord ended session.ended ",
		"coord open note.added ", "coord superseded note.superseded ", "coord open note.endorsed ana", "coord retracted note.retracted ",
		"coord reported note.reported reviewer", "coord open note.unreported ana", " fresh endorsed ", " fresh agent ", " stale agent ",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("nothing of %q in\n%s", want, story)
		}
	}
}

func TestTheSameSeedTellsTheSameStory(t *testing.T) {
	a, b := tell(t, 7, 300), tell(t, 7, 300)
	if len(a) != len(b) {
		t.Fatalf("%d and %d events", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("event %d: %q and %q", i+1, a[i], b[i])
		}
	}
	other := tell(t, 8, 300)
	same := len(other) == len(a)
	for i := 0; same && i < len(a); i++ {
		same = a[i] == other[i]
	}
	if same {
		t.Fatal("another seed tells the same story")
	}
}
