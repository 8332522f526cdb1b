package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drawFilter makes a filter of random parts that have a chance to match.
func drawFilter(rt *rapid.T, now model.Time) filter.Filter {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			"kind:note", "kind:signal,work", "-kind:note", "state:pending", `state:""`, "-state:claimed", "topic:build/*", "topic:t/?",
			"topic:*_1", "-topic:t/*", `topic:"build/x_3"`, "producer:ci*", "producer:*\\*", "key:41", "key:s1", `key:"k*[1]%_"`, "key:k*", "key:?*", `key:""`,
			"-key:s*", "lane:default", `lane:""`, "-lane:default", "lane:d*", "priority:P0", "-priority:P1", "status:taken", "-status:pending",
			"status:pending,deferred", "consumer:w-1", "consumer:bob", `consumer:"a%b"`, `consumer:""`, "-consumer:bob", "since:5m", "until:3m",
			"note", "-note", "100%", "%", "_", `\`, "under_", "mixed", "MIXED", "ä", "Ö", `"case\""`, `"tab	here"`, "build", "[class]", "a*b", "日本", "k*", "-w-1", "word",
		}),
	)
	text := strings.Join(rapid.SliceOfN(part, 0, 4).Draw(rt, "parts"), " ")
	f, err := filter.Parse(text, now)
	if err != nil {
		rt.Skip(err) // since given twice
	}
	return f
}

// SQL and Match give the same answer to every filter, whichever way it is
// paged through.
func TestQueryFindsWhatTheFilterMatches(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	checkFilters(t, f, drawFilter)
}

// The same over a ledger of some spans, with producers and kinds that are
// everywhere, in one span, in the last one or nowhere.
func TestQueryFindsWhatTheFilterMatchesInSpans(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	f.Throng()
	checkFilters(t, f, func(rt *rapid.T, now model.Time) filter.Filter {
		part := rapid.SampledFrom([]string{
			"producer:rare", "producer:r*", "producer:chatty", "-producer:chatty", "-producer:ch*,ci*", "producer:nobody", "-producer:nobody",
			"producer:ci*", "producer:late", "producer:*", "producer:chatty,rare", "kind:metric", "-kind:note", "kind:signal,work", "since:30s", "until:30s", "state:pending", "first",
		})
		text := strings.Join(rapid.SliceOfN(part, 0, 3).Draw(rt, "parts"), " ")
		filter, err := filter.Parse(text, now)
		if err != nil {
			rt.Skip(err)
		}
		return filter
	})
}

// The same where a part of the ledger is sealed.
func TestQueryFindsWhatIsSealed(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	head, err := store.HeadNow(context.Background(), f.Store())
	if err != nil {
		t.Fatal(err)
	}
	f.Seal(head.Seq / 2)
	checkFilters(t, f, drawFilter)
}

func checkFilters(t *testing.T, f *ledgertest.Fixture, draw func(rt *rapid.T, now model.Time) filter.Filter) {
	t.Helper()
	ctx := context.Background()
	all, err := query.All(ctx, f.Store(), query.Query{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		filter := draw(rt, f.Clock.Now())
		var want []int64
		for i := range all {
			if filter.Match(&all[i]) {
				want = append(want, all[i].Seq)
			}
		}
		got, err := query.All(ctx, f.Store(), query.Query{Filter: filter})
		if err != nil {
			rt.Fatal(err)
		}
		if fmt.Sprint(ledgertest.Seqs(got)) != fmt.Sprint(want) {
			rt.Fatalf("%s: SQL finds %v, Match %v", filter, ledgertest.Seqs(got), want)
		}
		if n, err := query.Count(ctx, f.Store(), query.Query{Filter: filter}); err != nil || n != int64(len(want)) {
			rt.Fatalf("%s: counted %d, want %d (%v)", filter, n, len(want), err)
		}
		from, to := rapid.Int64Range(0, int64(len(all))).Draw(rt, "after"), rapid.Int64Range(1, int64(len(all))+1).Draw(rt, "before")
		part := 0
		for _, seq := range want {
			if seq > from && seq < to {
				part++
			}
		}
		if n, err := query.Count(ctx, f.Store(), query.Query{Filter: filter, After: from, Before: to}); err != nil || n != int64(part) {
			rt.Fatalf("%s between %d and %d: counted %d, want %d (%v)", filter, from, to, n, part, err)
		}
		limit := rapid.IntRange(1+len(want)/20, 20+len(want)/20).Draw(rt, "limit")
		var up, down []int64
		for at, end := int64(0), false; !end; {
			p, err := query.Page(ctx, f.Store(), desk.PageRequest{Filter: filter, After: at, Limit: limit})
			if err != nil || len(p.Events) > limit || p.Next < at {
				rt.Fatalf("%+v %v", p, err)
			}
			up, at, end = append(up, ledgertest.Seqs(p.Events)...), p.Next, p.Exhausted
		}
		for at, end := int64(len(all))+1, false; !end; {
			p, err := query.Page(ctx, f.Store(), desk.PageRequest{Filter: filter, Before: at, Limit: limit})
			if err != nil || len(p.Events) > limit || p.Next > at {
				rt.Fatalf("%+v %v", p, err)
			}
			down, at, end = append(ledgertest.Seqs(p.Events), down...), p.Next, p.Exhausted
		}
		if fmt.Sprint(up) != fmt.Sprint(want) || fmt.Sprint(down) != fmt.Sprint(want) {
			rt.Fatalf("%s: paged up %v, down %v, want %v", filter, up, down, want)
		}
		newest, err := query.All(ctx, f.Store(), query.Query{Filter: filter, Newest: true, Limit: limit})
		if err != nil || len(newest) != min(limit, len(want)) || len(want) > 0 && newest[0].Seq != want[len(want)-1] {
			rt.Fatalf("%s: newest %v of %v (%v)", filter, ledgertest.Seqs(newest), want, err)
		}
	})
}

func TestQueryFlags(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	ctx := context.Background()
	for name, c := range map[string]struct {
		q    query.Query
		want int64
	}{
		"all":              {query.Query{}, 75},
		"kind":             {query.Query{Kind: "note"}, 60},
		"kinds":            {query.Query{Kind: "signal,work"}, 8},
		"topic":            {query.Query{Topic: "build/x_*"}, 10},
		"topic exact":      {query.Query{Topic: "t/1"}, 10},
		"key and state":    {query.Query{Key: "s1", State: "claimed"}, 1},
		"producer literal": {query.Query{Producer: "ci *"}, 0},
		"text":             {query.Query{Text: "100% SURE"}, 1},
		"text quoted":      {query.Query{Text: `quote"D`}, 1},
		"after":            {query.Query{After: 70}, 5},
		"before":           {query.Query{Before: 5}, 4},
		"limit":            {query.Query{Limit: 3}, 3},
		"since":            {query.Query{Since: ledgertest.Start.Add(time.Minute)}, 16},
		"until":            {query.Query{Until: ledgertest.Start.Add(time.Minute)}, 59},
		"none":             {query.Query{Since: ledgertest.Start.Add(time.Hour)}, 0},
	} {
		events, err := query.All(ctx, f.Store(), c.q)
		if err != nil || int64(len(events)) != c.want {
			t.Errorf("%s: %d events, want %d (%v)", name, len(events), c.want, err)
		}
		if n, err := query.Count(ctx, f.Store(), c.q); err != nil || n != c.want {
			t.Errorf("%s: counted %d, want %d (%v)", name, n, c.want, err)
		}
	}
	_, err := query.All(ctx, f.Store(), query.Query{Kind: "nothing"})
	ledgertest.WantCode(t, err, model.CodeUsage)
	log, err := query.All(ctx, f.Store(), query.Query{Limit: 5, Newest: true})
	if err != nil || fmt.Sprint(ledgertest.Seqs(log)) != "[75 74 73 72 71]" {
		t.Fatalf("%v %v", ledgertest.Seqs(log), err)
	}
	stop := errors.New("enough")
	if err := query.Each(ctx, f.Store(), query.Query{}, func(*model.Event) error { return stop }); !errors.Is(err, stop) {
		t.Fatal(err)
	}
}

func TestValues(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	for field, want := range map[string]string{
		"lane": "[default]", "consumer": "[a%b ann bob w-1]", "state": "[]", "key": "[1 2 3 k*[1]%_ s1 s2 w1 w2]",
	} {
		got, err := query.Values(context.Background(), f.Store(), field, 100)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s (%v)", field, got, want, err)
		}
	}
	f.Throng()
	got, err := query.Values(context.Background(), f.Store(), "producer", 100)
	if err != nil || !slices.IsSorted(got) || !slices.Contains(got, "rare") || !slices.Contains(got, "late") || !slices.Contains(got, "chatty") || len(slices.Compact(got)) != len(got) {
		t.Errorf("producers: %v (%v)", got, err)
	}
	if got, err := query.Values(context.Background(), f.Store(), "topic", 3); err != nil || len(got) != 3 || got[0] >= got[1] {
		t.Errorf("%v %v", got, err)
	}
}
