package ledger_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/export"
	"binnacle/backend/ledger/query"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// motley fills a ledger with events whose fields test every corner of a filter.
func motley(t testing.TB, f *fixture) {
	t.Helper()
	furnish(t, f)
	ctx := context.Background()
	for i, text := range []string{"100% sure", "under_score", `back\slash`, "ÄÖ ä", "Quote\"d", "tab\there", "MIXED Case", "[class]", "a*b?c", "日本語 text"} {
		f.clock.Forward(time.Minute)
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: fmt.Sprintf("build/x_%d", i), Kind: model.KindNote, Producer: "ci " + string([]rune(text)[:1]), Payload: object("text", text)}); err != nil {
			t.Fatal(err)
		}
	}
	f.raise("k*[1]%_", 0)
	if _, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "k*[1]%_", By: "a%b", Reason: "Word"}); err != nil {
		t.Fatal(err)
	}
	writeDirective(t, f, 1, "taken", `{"action":"take","by":"w-1"}`)
	writeDirective(t, f, 2, "pending", `{"action":"reprioritize","priority":"P0","by":"op"}`)
	if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "queue/default", Kind: model.KindGeneric, Payload: []byte(`{"by":"w-1","priority":"P0","executor":"bob"}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "odd", Kind: model.KindGeneric, Payload: []byte(`{"by":5,"priority":["P0"],"executor":{"a":"b"}}`)}); err != nil {
		t.Fatal(err)
	}
}

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
	f := open(t)
	motley(t, f)
	checkFilters(t, f, drawFilter)
}

// The same over a ledger of some spans, with producers and kinds that are
// everywhere, in one span, in the last one or nowhere.
func TestQueryFindsWhatTheFilterMatchesInSpans(t *testing.T) {
	f := open(t)
	motley(t, f)
	throng(t, f)
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

// throng appends six spans of events: most by one producer.
func throng(t testing.TB, f *fixture) {
	t.Helper()
	batch := make([]ledger.EmitRequest, 6*store.SpanSize)
	for i := range batch {
		batch[i] = ledger.EmitRequest{Topic: "t/throng", Kind: model.KindNote, Producer: "chatty", Payload: object("text", fmt.Sprint("line ", i))}
	}
	for _, i := range []int{700, 701, 2000, 3000} {
		batch[i].Producer = "rare"
	}
	batch[1300].Kind, batch[1300].Payload = model.KindMetric, []byte(`{"name":"load1","value":1}`)
	batch[len(batch)-1].Producer = "late"
	for part := range slices.Chunk(batch, 1000) {
		f.clock.Forward(10 * time.Second)
		if _, err := f.EmitBatch(context.Background(), part); err != nil {
			t.Fatal(err)
		}
	}
}

func checkFilters(t *testing.T, f *fixture, draw func(rt *rapid.T, now model.Time) filter.Filter) {
	t.Helper()
	ctx := context.Background()
	all, err := query.All(ctx, f.store, query.Query{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		filter := draw(rt, f.clock.Now())
		var want []int64
		for i := range all {
			if filter.Match(&all[i]) {
				want = append(want, all[i].Seq)
			}
		}
		got, err := query.All(ctx, f.store, query.Query{Filter: filter})
		if err != nil {
			rt.Fatal(err)
		}
		if fmt.Sprint(seqs(got)) != fmt.Sprint(want) {
			rt.Fatalf("%s: SQL finds %v, Match %v", filter, seqs(got), want)
		}
		if n, err := query.Count(ctx, f.store, query.Query{Filter: filter}); err != nil || n != int64(len(want)) {
			rt.Fatalf("%s: counted %d, want %d (%v)", filter, n, len(want), err)
		}
		from, to := rapid.Int64Range(0, int64(len(all))).Draw(rt, "after"), rapid.Int64Range(1, int64(len(all))+1).Draw(rt, "before")
		part := 0
		for _, seq := range want {
			if seq > from && seq < to {
				part++
			}
		}
		if n, err := query.Count(ctx, f.store, query.Query{Filter: filter, After: from, Before: to}); err != nil || n != int64(part) {
			rt.Fatalf("%s between %d and %d: counted %d, want %d (%v)", filter, from, to, n, part, err)
		}
		limit := rapid.IntRange(1+len(want)/20, 20+len(want)/20).Draw(rt, "limit")
		var up, down []int64
		for at, end := int64(0), false; !end; {
			p, err := query.Page(ctx, f.store, desk.PageRequest{Filter: filter, After: at, Limit: limit})
			if err != nil || len(p.Events) > limit || p.Next < at {
				rt.Fatalf("%+v %v", p, err)
			}
			up, at, end = append(up, seqs(p.Events)...), p.Next, p.Exhausted
		}
		for at, end := int64(len(all))+1, false; !end; {
			p, err := query.Page(ctx, f.store, desk.PageRequest{Filter: filter, Before: at, Limit: limit})
			if err != nil || len(p.Events) > limit || p.Next > at {
				rt.Fatalf("%+v %v", p, err)
			}
			down, at, end = append(seqs(p.Events), down...), p.Next, p.Exhausted
		}
		if fmt.Sprint(up) != fmt.Sprint(want) || fmt.Sprint(down) != fmt.Sprint(want) {
			rt.Fatalf("%s: paged up %v, down %v, want %v", filter, up, down, want)
		}
		newest, err := query.All(ctx, f.store, query.Query{Filter: filter, Newest: true, Limit: limit})
		if err != nil || len(newest) != min(limit, len(want)) || len(want) > 0 && newest[0].Seq != want[len(want)-1] {
			rt.Fatalf("%s: newest %v of %v (%v)", filter, seqs(newest), want, err)
		}
	})
}

func seqs(events []model.Event) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.Seq)
	}
	return out
}

func TestQueryFlags(t *testing.T) {
	f := open(t)
	motley(t, f)
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
		"since":            {query.Query{Since: start.Add(time.Minute)}, 16},
		"until":            {query.Query{Until: start.Add(time.Minute)}, 59},
		"none":             {query.Query{Since: start.Add(time.Hour)}, 0},
	} {
		events, err := query.All(ctx, f.store, c.q)
		if err != nil || int64(len(events)) != c.want {
			t.Errorf("%s: %d events, want %d (%v)", name, len(events), c.want, err)
		}
		if n, err := query.Count(ctx, f.store, c.q); err != nil || n != c.want {
			t.Errorf("%s: counted %d, want %d (%v)", name, n, c.want, err)
		}
	}
	_, err := query.All(ctx, f.store, query.Query{Kind: "nothing"})
	wantCode(t, err, model.CodeUsage)
	log, err := query.All(ctx, f.store, query.Query{Limit: 5, Newest: true})
	if err != nil || fmt.Sprint(seqs(log)) != "[75 74 73 72 71]" {
		t.Fatalf("%v %v", seqs(log), err)
	}
	stop := errors.New("enough")
	if err := query.Each(ctx, f.store, query.Query{}, func(*model.Event) error { return stop }); !errors.Is(err, stop) {
		t.Fatal(err)
	}
}

func TestLinks(t *testing.T) {
	f := open(t)
	ctx := context.Background()
	f.note("a", "root")
	for _, cause := range []int64{1, 2, 2, 3} {
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "a", Kind: model.KindGeneric, Payload: []byte(`{}`), Causation: cause}); err != nil {
			t.Fatal(err)
		}
	}
	causes, err := f.Causes(ctx, 5, 0)
	if err != nil || fmt.Sprint(seqs(causes)) != "[3 2 1]" {
		t.Fatalf("%v %v", seqs(causes), err)
	}
	if causes, err = f.Causes(ctx, 5, 1); err != nil || len(causes) != 1 {
		t.Fatalf("%v %v", seqs(causes), err)
	}
	effects, err := f.Effects(ctx, 2, 0)
	if err != nil || fmt.Sprint(seqs(effects)) != "[3 4]" {
		t.Fatalf("%v %v", seqs(effects), err)
	}
	_, err = f.Effects(ctx, 99, 0)
	wantCode(t, err, model.CodeNotFound)
}

func TestValues(t *testing.T) {
	f := open(t)
	motley(t, f)
	for field, want := range map[string]string{
		"lane": "[default]", "consumer": "[a%b ann bob w-1]", "state": "[]", "key": "[1 2 3 k*[1]%_ s1 s2 w1 w2]",
	} {
		got, err := query.Values(context.Background(), f.store, field, 100)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s (%v)", field, got, want, err)
		}
	}
	throng(t, f)
	got, err := query.Values(context.Background(), f.store, "producer", 100)
	if err != nil || !slices.IsSorted(got) || !slices.Contains(got, "rare") || !slices.Contains(got, "late") || !slices.Contains(got, "chatty") || len(slices.Compact(got)) != len(got) {
		t.Errorf("producers: %v (%v)", got, err)
	}
	if got, err := query.Values(context.Background(), f.store, "topic", 3); err != nil || len(got) != 3 || got[0] >= got[1] {
		t.Errorf("%v %v", got, err)
	}
}

// An exported line can be checked with any SHA-256 tool: drop hash,
// canonicalise, hash.
func TestExportCanBeChecked(t *testing.T) {
	f := open(t)
	motley(t, f)
	f.note("hostile", "esc \x1b[2J bidi \u202e c1 \u0085 zero \u200b")
	var out bytes.Buffer
	n, err := export.Write(context.Background(), f.store, query.Query{}, export.JSONL, &out)
	if err != nil || n != 76 {
		t.Fatal(n, err)
	}
	prev := model.Genesis
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if strings.ContainsAny(line, "\x1b\u202e\u0085\u200b") {
			t.Fatalf("unsafe: %q", line)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		var hash, linked string
		_ = json.Unmarshal(members["hash"], &hash)
		_ = json.Unmarshal(members["prev"], &linked)
		delete(members, "hash")
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		v := jsontext.Value(raw)
		if err := v.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if model.HashOf(v) != hash || linked != prev {
			t.Fatalf("can't be checked: %s", line)
		}
		prev = hash
	}
	out.Reset()
	if _, err := export.Write(context.Background(), f.store, query.Query{Kind: "signal"}, export.JSON, &out); err != nil {
		t.Fatal(err)
	}
	var list []model.Event
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list) != 5 {
		t.Fatalf("%d events: %v", len(list), err)
	}
	out.Reset()
	if _, err := export.Write(context.Background(), f.store, query.Query{Key: "none"}, export.JSON, &out); err != nil || out.String() != "[]\n" {
		t.Fatalf("%q %v", out.String(), err)
	}
}

func TestExportCSVDefusesFormulas(t *testing.T) {
	f := open(t)
	ctx := context.Background()
	for _, who := range []string{"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "plain, \"quoted\""} {
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "-a", Kind: model.KindNote, Producer: who, Payload: object("text", "a\nb")}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := export.WriteFile(ctx, f.store, query.Query{}, export.CSV, path)
	if err != nil || n != 5 {
		t.Fatal(n, err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows[1:] {
		for i, cell := range r {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("%s is a formula: %q", rows[0][i], cell)
			}
		}
	}
	if rows[1][3] != "'=cmd|' /C calc'!A0" || rows[5][3] != `plain, "quoted"` || rows[1][2] != "'-a" {
		t.Errorf("%q", rows)
	}
	// What fails leaves the old file and nothing else.
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := export.WriteFile(stopped, f.store, query.Query{}, export.CSV, path); err == nil {
		t.Fatal("a cancelled export succeeded")
	}
	if names := readDir(t, filepath.Dir(path)); len(names) != 1 || names["out.csv"] == "" {
		t.Fatalf("left behind: %v", names)
	}
}

func TestStatus(t *testing.T) {
	f := open(t)
	motley(t, f)
	s, err := f.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Head.Seq != 75 || s.Planes["record"]["total"] != 75 || s.Planes["record"]["note"] != 60 || s.Planes["signal"]["pending"] != 1 ||
		s.Planes["work"]["claimed"] != 1 || s.Planes["queue"]["default/P1/taken"] != 1 || s.DBBytes <= 0 || len(s.Alarms) != 0 ||
		s.Cursor != f.Cursor(75).String() || s.Planes["signal"]["cleared"] != 0 {
		t.Fatalf("%+v", s)
	}
}
