package demo_test

import (
	"context"
	"testing"

	"binnacle/backend/demo"
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
	f := demo.New(l, q, seed)
	for range steps {
		if err := f.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
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
