package feed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"binnacle/backend/coord"
	"binnacle/backend/coord/feed"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	fed "binnacle/model/feed"
)

func bg() context.Context { return context.Background() }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var ada = coord.Who{Name: "ada"}

// rig is a feed on a database of its own.
type rig struct {
	*feed.Feed
	t     testing.TB
	store store.Store
	place string
	clock model.Clock // nil: the machine's
}

func newRig(t testing.TB, o feed.Options) *rig {
	t.Helper()
	return rigAt(t, o, nil)
}

func rigAt(t testing.TB, o feed.Options, clock model.Clock) *rig {
	t.Helper()
	r := &rig{t: t, place: storetest.Place(t), clock: clock}
	r.store = r.again()
	r.Feed = feed.Open(r.store, o)
	t.Cleanup(r.Feed.Close)
	return r
}

// again opens the same database once more, as another process would.
func (r *rig) again() store.Store {
	r.t.Helper()
	s, err := storetest.OpenAt(r.place, storetest.Options{Parts: parts.All(), Clock: r.clock})
	must(r.t, err)
	r.t.Cleanup(func() { _ = s.Close() })
	return s
}

func note(text string) model.Draft {
	raw, _ := json.Marshal(map[string]string{"text": text})
	return model.Draft{Topic: "build/log", Producer: "tester", Kind: model.KindNote, Payload: raw}
}

// landing is a fact about paths.
func landing(commit string, paths ...string) model.Draft {
	raw, _ := json.Marshal(map[string]any{"commit": commit, "untrusted": map[string]any{"ref": "main", "paths": paths}})
	return model.Draft{Topic: "ref.landed", Producer: "fleet@m", Kind: model.KindCoord, Key: commit, State: "landed", Payload: raw}
}

func write(t testing.TB, s store.Store, drafts ...model.Draft) []model.Event {
	t.Helper()
	for i := range drafts {
		must(t, drafts[i].Check())
	}
	out, err := s.Append(bg(), drafts)
	must(t, err)
	return out
}

// notes writes n of them.
func (r *rig) notes(n int) {
	r.t.Helper()
	for n > 0 {
		batch := make([]model.Draft, min(n, 500))
		for i := range batch {
			batch[i] = note(fmt.Sprint("note ", i))
		}
		write(r.t, r.store, batch...)
		n -= len(batch)
	}
}

func (r *rig) read(q fed.Request) fed.Page {
	r.t.Helper()
	p, err := r.Read(bg(), q, ada)
	must(r.t, err)
	return p
}

func (r *rig) cursor(seq int64) string {
	return model.Cursor{Epoch: r.store.Epoch(), Seq: seq}.String()
}

func seqs(p fed.Page) (out []int64) {
	for _, e := range p.Events {
		out = append(out, e.ID.Seq)
	}
	return out
}

func count(from, to int64) (out []int64) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func wantSeqs(t testing.TB, what string, p fed.Page, want ...int64) {
	t.Helper()
	if got := seqs(p); !slices.Equal(got, want) {
		t.Errorf("%s: the events %v, want %v", what, got, want)
	}
}

// wantExpired checks the error, and that a reader can go on from the place that
// it names.
func (r *rig) wantExpired(what string, err error, oldest int64) {
	r.t.Helper()
	var x *fed.Expired
	if !errors.As(err, &x) || model.CodeOf(err) != model.CodeStale {
		r.t.Errorf("%s: %v", what, err)
		return
	}
	if x.Oldest != (model.Cursor{Epoch: r.store.Epoch(), Seq: oldest}) || !strings.Contains(model.HintOf(err), x.Oldest.String()) {
		r.t.Errorf("%s: it may go on from %s, says %q", what, x.Oldest, model.HintOf(err))
	}
	if p := r.read(fed.Request{After: x.Oldest.String()}); len(p.Events) == 0 || p.Events[0].ID.Seq != oldest+1 {
		r.t.Errorf("%s: after %s comes %v", what, x.Oldest, seqs(p))
	}
}

// Each cursor does what is said of it, also while somebody waits and the ring is
// filled.
func TestCursors(t *testing.T) {
	for _, warm := range []bool{false, true} {
		t.Run(fmt.Sprint("somebody waits ", warm), func(t *testing.T) {
			r := newRig(t, feed.Options{})
			r.notes(10)
			if warm {
				r.warm()
			}
			// The oldest three are sealed elsewhere.
			storetest.Tamper(t, r.place, `DELETE FROM events WHERE seq <= 3`)
			for name, c := range map[string]struct {
				after string
				want  []int64
			}{
				"absent":              {"", nil},
				"start":               {"start", count(4, 10)},
				"the newest":          {r.cursor(10), nil},
				"in the middle":       {r.cursor(6), count(7, 10)},
				"the oldest there is": {r.cursor(3), count(4, 10)},
				"without an epoch":    {"e6", count(7, 10)},
				"a bare number":       {"6", count(7, 10)},
			} {
				p := r.read(fed.Request{After: c.after})
				wantSeqs(t, name, p, c.want...)
				if p.Next.String() != r.cursor(10) || p.More {
					t.Errorf("%s: next %s, more %v", name, p.Next, p.More)
				}
			}
			for name, after := range map[string]string{
				"of another epoch":            "e0000beef.6",
				"past the newest":             r.cursor(11),
				"past it without an epoch":    "e11",
				"before the oldest":           r.cursor(2),
				"before it without an epoch":  "e0",
				"of another epoch, past both": "e0000beef.600",
			} {
				_, err := r.Read(bg(), fed.Request{After: after}, ada)
				r.wantExpired(name, err, 3)
				if _, err = r.Follow(bg(), fed.Request{After: after}, ada); err == nil {
					t.Errorf("%s: it can be followed", name)
				}
			}
			for _, after := range []string{"e", "x6", "e-1", "e.6", "e06", "Start", "e" + strings.Repeat("9", 200), "e6 "} {
				if _, err := r.Read(bg(), fed.Request{After: after, Wait: time.Second}, ada); model.CodeOf(err) != model.CodeInvalid || err == nil {
					t.Errorf("the cursor %q: %v", after, err)
				}
			}
		})
	}
}

// warm keeps the tailer running for the rest of the test, and waits until its
// ring is filled.
func (r *rig) warm() {
	r.t.Helper()
	d, err := r.Follow(bg(), fed.Request{}, coord.Who{Name: "warmer"})
	must(r.t, err)
	r.t.Cleanup(d.Close)
	feed.WaitForRing(r.t, r.Feed)
}

// A restored backup ends the cursors of the epoch before it, those of readers
// that wait too.
func TestARestoreEndsCursors(t *testing.T) {
	r := newRig(t, feed.Options{})
	r.notes(5)
	backup := filepath.Join(t.TempDir(), "copy.db")
	must(t, r.store.(store.Copier).Backup(bg(), backup))
	r.notes(5)
	old := r.cursor(4)
	waiting := make(chan error)
	go func() {
		_, err := r.Read(bg(), fed.Request{Wait: fed.MaxWait}, ada)
		waiting <- err
	}()
	feed.WaitForRing(t, r.Feed)
	must(t, r.again().(store.Copier).Restore(bg(), backup))
	select {
	case err := <-waiting:
		r.wantExpired("one that waits", err, 0)
	case <-time.After(20 * time.Second):
		t.Fatal("nobody told the reader that waits")
	}
	_, err := r.Read(bg(), fed.Request{After: old}, ada)
	r.wantExpired("one from before", err, 0)
	wantSeqs(t, "without an epoch", r.read(fed.Request{After: "e2"}), 3, 4, 5)
}

// Pages have bounds, and cursors take one through all of it.
func TestPages(t *testing.T) {
	r := newRig(t, feed.Options{})
	r.notes(1200)
	long := strings.Repeat("x", 900)
	var big []string
	for i := range 280 {
		big = append(big, fmt.Sprintf("%s/%d", long, i))
	}
	write(t, r.store, landing("c1", big...), landing("c2", "a"), landing("c3", big[:150]...), landing("c4", big[:150]...))
	for _, warm := range []bool{false, true} {
		if warm {
			r.warm()
		}
		var sizes []int
		after, last := fed.Start, int64(0)
		for {
			p := r.read(fed.Request{After: after})
			sizes = append(sizes, len(p.Events))
			for _, e := range p.Events {
				if e.ID.Seq != last+1 {
					t.Fatalf("after %d came %d", last, e.ID.Seq)
				}
				last = e.ID.Seq
			}
			if after = p.Next.String(); !p.More {
				break
			}
		}
		if want := []int{500, 500, 200, 2, 1, 1}; last != 1204 || !slices.Equal(sizes, want) {
			t.Errorf("the pages %v up to %d, want %v", sizes, last, want)
		}
	}
}

// A reader is served what it asked for, and goes on behind what it did not.
func TestFilters(t *testing.T) {
	r := newRig(t, feed.Options{})
	c := coord.Open(r.store, coord.Options{})
	session := func(who, task string, paths ...string) coord.Declared {
		d, err := c.Start(bg(), coord.Start{Task: task, Paths: paths, By: coord.Who{Name: who}})
		must(t, err)
		return d
	}
	own := session("ada", "parser", "src/parser/", "docs/*.md") // 1
	session("bob", "other", "src/")                             // 2: above
	session("bob", "other", "src/parser/lex.go")                // 3: below
	session("bob", "parser", "web/")                            // 4: the same task
	session("bob", "other", "src/parserx/", "docs/a.txt")       // 5: a pattern counts up to its wildcard
	write(t, r.store, note("hello"))                            // 6
	write(t, r.store, landing("c1", "src/parser/parse.go"))     // 7
	write(t, r.store, landing("c2", "web/a", "go.mod"))         // 8
	_, _, err := c.SetPaths(bg(), own.ID, []string{"src/parser/", "docs/*.md", "x"}, ada)
	must(t, err)                                                                                                                                            // 9
	write(t, r.store, model.Draft{Topic: "t", Producer: "p", Kind: model.KindSignal, Key: "disk", State: "pending", Payload: []byte(`{"summary":"full"}`)}) // 10
	for name, q := range map[string]struct {
		fed.Request
		want []int64
	}{
		"all":                    {fed.Request{}, count(1, 10)},
		"one kind":               {fed.Request{Kinds: []string{"session.paths"}}, []int64{9}},
		"a family":               {fed.Request{Kinds: []string{"session"}}, []int64{1, 2, 3, 4, 5, 9}},
		"several":                {fed.Request{Kinds: []string{"ref.landed, note", "signal.pending"}}, []int64{6, 7, 8, 10}},
		"every fact":             {fed.Request{Kinds: []string{"coord"}}, []int64{1, 2, 3, 4, 5, 7, 8, 9}},
		"a state that is not":    {fed.Request{Kinds: []string{"signal.cleared"}}, nil},
		"a file":                 {fed.Request{Paths: []string{"src/parser/parse.go"}}, []int64{1, 2, 7, 9}},
		"a folder":               {fed.Request{Paths: []string{"src/parser"}}, []int64{1, 2, 3, 7, 9}},
		"two":                    {fed.Request{Paths: []string{"web/", "go.mod"}}, []int64{4, 8}},
		"all that has paths":     {fed.Request{Paths: []string{"./"}}, []int64{1, 2, 3, 4, 5, 7, 8, 9}},
		"a session":              {fed.Request{Session: own.Key}, []int64{2, 3, 4, 5, 7}},
		"by its id":              {fed.Request{Session: own.ID, Kinds: []string{"ref"}}, []int64{7}},
		"a session and a folder": {fed.Request{Session: own.ID, Paths: []string{"web/"}}, []int64{4}},
	} {
		q.After = fed.Start
		p := r.read(q.Request)
		wantSeqs(t, name, p, q.want...)
		if p.Next.Seq != 10 {
			t.Errorf("%s: it goes on from %s", name, p.Next)
		}
	}
	if _, err := r.Read(bg(), fed.Request{Session: own.Key, Wait: time.Second}, coord.Who{Name: "bob"}); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("another's session: %v", err)
	}
	for _, kinds := range []string{"sessions", "note.", "note.Added!", "session..x", strings.Repeat("note,", 3) + "nothing"} {
		if _, err := r.Read(bg(), fed.Request{Kinds: []string{kinds}}, ada); model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("the kinds %q: %v", kinds, err)
		}
	}
	if _, err := r.Read(bg(), fed.Request{Paths: []string{"/etc"}}, ada); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("an absolute path: %v", err)
	}
}

// A filter that chooses little is searched for in so many pages at a time, and
// says where to go on.
func TestSparseReads(t *testing.T) {
	r := newRig(t, feed.Options{})
	r.notes(9000)
	write(t, r.store, landing("c1", "a"))
	after, pages := fed.Start, 0
	for {
		p := r.read(fed.Request{After: after, Kinds: []string{"ref"}, Wait: fed.MaxWait})
		pages++
		if after = p.Next.String(); len(p.Events) > 0 {
			wantSeqs(t, "the only one", p, 9001)
			break
		}
		if !p.More || p.Next.Seq != int64(pages)*4000 {
			t.Fatalf("page %d: next %s, more %v", pages, p.Next, p.More)
		}
	}
	if pages != 3 {
		t.Errorf("%d pages", pages)
	}
}

// One that waits hears of the first event, whichever process wrote it; one that
// hears of nothing is told where to go on.
func TestWaiting(t *testing.T) {
	r := newRig(t, feed.Options{})
	other := r.again()
	r.notes(3)
	for i := range int64(4) {
		got := make(chan fed.Page, 1)
		go func() {
			p, err := r.Read(bg(), fed.Request{Kinds: []string{"ref"}, Wait: fed.MaxWait}, ada)
			if err != nil {
				t.Error(err)
			}
			got <- p
		}()
		feed.WaitForRing(t, r.Feed)
		s := r.store
		if i%2 == 1 {
			s = other
		}
		write(t, s, note("not this"))
		write(t, s, landing("c", "a"))
		select {
		case p := <-got:
			wantSeqs(t, "the event", p, 5+2*i)
		case <-time.After(20 * time.Second):
			t.Fatal("it waits on")
		}
		feed.WaitForNobody(t, r.Feed)
	}
	begin := time.Now()
	p := r.read(fed.Request{Kinds: []string{"ref"}, After: r.cursor(11), Wait: 30 * time.Millisecond})
	if len(p.Events) != 0 || p.Next.String() != r.cursor(11) || p.More || time.Since(begin) < 30*time.Millisecond {
		t.Errorf("it returned %+v after %s", p, time.Since(begin))
	}
	ctx, cancel := context.WithCancel(bg())
	cancel()
	if _, err := r.Read(ctx, fed.Request{Wait: fed.MaxWait}, ada); !errors.Is(err, context.Canceled) && model.CodeOf(err) != model.CodeCancelled {
		t.Errorf("a reader that went away: %v", err)
	}
}

// A reader that is slower than the ring reads on from the store, and misses
// nothing.
func TestBehindTheRing(t *testing.T) {
	r := newRig(t, feed.Options{})
	d, err := r.Follow(bg(), fed.Request{}, ada)
	must(t, err)
	defer d.Close()
	r.warm()
	r.notes(12_000)
	feed.WaitForSeq(t, r.Feed, 12_000)
	last := int64(0)
	for last < 12_000 {
		p, err := d.Next(bg(), time.Second)
		must(t, err)
		for _, e := range p.Events {
			if e.ID.Seq != last+1 {
				t.Fatalf("after %d came %d", last, e.ID.Seq)
			}
			last = e.ID.Seq
		}
	}
	if d.Cursor().String() != r.cursor(12_000) {
		t.Errorf("it is at %s", d.Cursor())
	}
}

// counted counts a store's reads.
type counted struct {
	store.Store
	reads atomic.Int64
}

func (c *counted) Read(ctx context.Context, fn func(store.Reader) error) error {
	c.reads.Add(1)
	return c.Store.Read(ctx, fn)
}

// Whoever finds no place to wait is refused before anything is read; a place
// that was left is free again, and a read that does not wait takes none.
func TestAdmission(t *testing.T) {
	r := newRig(t, feed.Options{})
	s := &counted{Store: r.store}
	f := feed.Open(s, feed.Options{Waiters: 100})
	t.Cleanup(f.Close)
	var of [3][]*feed.Reader
	fill := func(who int, want int) {
		t.Helper()
		for {
			d, err := f.Follow(bg(), fed.Request{}, coord.Who{Name: fmt.Sprint("agent ", who)})
			if err != nil {
				if !errors.Is(err, feed.ErrFull) || model.CodeOf(err) != model.CodeBusy {
					t.Errorf("the refusal is %v", err)
				}
				break
			}
			of[who] = append(of[who], d)
		}
		if len(of[who]) != want {
			t.Errorf("agent %d got %d places, want %d", who, len(of[who]), want)
		}
	}
	fill(0, feed.MaxPrincipal)
	fill(1, 100-feed.MaxPrincipal)
	feed.WaitForRing(t, f)
	before := s.reads.Load()
	for range 50 {
		if _, err := f.Read(bg(), fed.Request{After: "e99", Session: "x", Wait: time.Second}, coord.Who{Name: "agent 2"}); !errors.Is(err, feed.ErrFull) {
			t.Fatalf("there is a place: %v", err)
		}
	}
	if n := s.reads.Load() - before; n != 0 {
		t.Errorf("refusing read the store %d times", n)
	}
	if _, err := f.Read(bg(), fed.Request{}, coord.Who{Name: "agent 2"}); err != nil {
		t.Errorf("a read that does not wait: %v", err)
	}
	of[0][0].Close()
	of[0][0].Close()
	fill(2, 1)
	for _, list := range of {
		for _, d := range list {
			d.Close()
		}
	}
	of[2] = nil
	fill(2, feed.MaxPrincipal)
	for _, d := range of[2] {
		d.Close()
	}
}

// Nothing runs while nobody waits, nor after the end.
func TestNothingRunsForNobody(t *testing.T) {
	place := storetest.Place(t)
	before := goleak.IgnoreCurrent()
	s, err := storetest.OpenAt(place, storetest.Options{Parts: parts.All()})
	must(t, err)
	f := feed.Open(s, feed.Options{})
	r := &rig{Feed: f, t: t, store: s, place: place}
	r.notes(3)
	r.read(fed.Request{After: fed.Start, Wait: time.Second})
	feed.WaitForNobody(t, f)
	ended := make(chan error)
	go func() {
		_, err := f.Read(bg(), fed.Request{Wait: fed.MaxWait}, ada)
		ended <- err
	}()
	feed.WaitForRing(t, f)
	f.Close()
	if err := <-ended; model.CodeOf(err) != model.CodeCancelled {
		t.Errorf("a reader of a feed that ended: %v", err)
	}
	must(t, s.Close())
	goleak.VerifyNone(t, before)
}

// The end of the store ends those who wait.
func TestTheStoreEnds(t *testing.T) {
	r := newRig(t, feed.Options{})
	d, err := r.Follow(bg(), fed.Request{}, ada)
	must(t, err)
	defer d.Close()
	feed.WaitForRing(t, r.Feed)
	must(t, r.store.Close())
	if _, err := d.Next(bg(), fed.MaxWait); err == nil {
		t.Error("it goes on")
	}
}
