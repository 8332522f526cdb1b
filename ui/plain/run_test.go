package plain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/model/fleetmap"
)

// fake is a workspace in memory: events that are there, and a feed that the
// test fills.
type fake struct {
	desk.Desk // what --plain does not ask for
	mu        sync.Mutex
	events    []model.Event
	feed      chan feedItem
	broken    error // of Snapshot
	fleet     *fleetmap.Map
}

type feedItem struct {
	items []desk.Item
	err   error
}

func newFake(n int) *fake {
	f := &fake{feed: make(chan feedItem)}
	var head model.Head
	for range n {
		f.events, head = link(f.events, head, `{"text":"hello"}`)
	}
	return f
}

func link(events []model.Event, head model.Head, payload string) ([]model.Event, model.Head) {
	e, next, _ := head.Link(model.Draft{
		Topic: "build/log", Producer: "p", Kind: model.KindNote, Payload: json.RawMessage(payload),
	}, 1_700_000_000_000_000, nil)
	return append(events, e), next
}

func (f *fake) Snapshot(ctx context.Context) (desk.Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return desk.Snapshot{}, f.broken
	}
	s := desk.Snapshot{At: 1_700_000_000_000_000, Epoch: "abc", Counts: model.Counts{}, Fleet: f.view()}
	if n := len(f.events); n > 0 {
		s.Head = model.Head{Seq: f.events[n-1].Seq, Hash: f.events[n-1].Hash}
	}
	return s, ctx.Err()
}

func (f *fake) view() *fleetmap.Picture {
	if f.fleet == nil {
		return nil
	}
	return &fleetmap.Picture{Map: *f.fleet}
}

func (f *fake) Detail(_ context.Context, of desk.Ref) (desk.Detail, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if of.Kind != model.KindCoord || of.Key != "" || f.fleet == nil {
		return desk.Detail{}, model.Errorf(model.CodeNotFound, "there is no %+v", of)
	}
	return desk.Detail{Fleet: f.view()}, nil
}

func (f *fake) Page(_ context.Context, r desk.PageRequest) (desk.Page, error) {
	var out []model.Event
	for _, e := range f.events {
		if e.Seq > r.After && (r.Before == 0 || e.Seq < r.Before) && r.Filter.Match(&e) {
			out = append(out, e)
		}
	}
	p := desk.Page{Exhausted: len(out) <= r.Limit}
	if n := len(out) - r.Limit; n > 0 && r.Before > 0 {
		out = out[n:]
		p.Next = out[0].Seq
	} else if n > 0 {
		out = out[:r.Limit]
		p.Next = out[r.Limit-1].Seq
	}
	p.Events = out
	return p, nil
}

func (f *fake) Follow(context.Context, desk.FollowRequest) (desk.Feed, error) { return f, nil }

func (f *fake) Next(ctx context.Context) ([]desk.Item, error) {
	select {
	case x := <-f.feed:
		return x.items, x.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fake) Close() {}

func (f *fake) cursor(seq int64) model.Cursor { return model.Cursor{Epoch: "abc", Seq: seq} }

// parsed is what the tests look at in a line.
type parsed struct {
	Type    string
	Schema  string
	Cursor  string
	Seq     int64
	Missed  int64
	Next    string
	Message string
	Event   model.Event
}

func parse(t *testing.T, out string) []parsed {
	t.Helper()
	if !strings.HasSuffix(out, "\n") {
		t.Fatalf("the last line is not whole: %q", out)
	}
	var lines []parsed
	for _, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		var p parsed
		if err := json.Unmarshal([]byte(l), &p); err != nil {
			t.Fatalf("%q is no JSON: %v", l, err)
		}
		lines = append(lines, p)
	}
	return lines
}

func types(lines []parsed) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Type)
	}
	return strings.Join(out, " ")
}

func TestOnce(t *testing.T) {
	after := model.Cursor{Seq: 1}
	stale := model.Cursor{Epoch: "old", Seq: 1}
	filter, err := filter.Parse("kind:metric", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
		bye  string
		fail bool
	}{
		{"the instant", Options{}, "hello snapshot bye", "eabc.3", false},
		{"the newest two", Options{Replay: 2}, "hello snapshot event event bye", "eabc.3", false},
		{"after a cursor", Options{After: &after}, "hello snapshot event event bye", "eabc.3", false},
		{"nothing matches", Options{Replay: 9, Filter: filter}, "hello snapshot bye", "eabc.3", false},
		{"another epoch's cursor", Options{After: &stale}, "hello snapshot error bye", "eold.1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Once = true
			var b bytes.Buffer
			err := Run(context.Background(), &b, newFake(3), c.o)
			if (err != nil) != c.fail {
				t.Fatalf("the error is %v", err)
			}
			lines := parse(t, b.String())
			if types(lines) != c.want {
				t.Fatalf("%s came, %s was wanted", types(lines), c.want)
			}
			if lines[0].Schema != "binnacle.plain/1" {
				t.Errorf("the schema is %q", lines[0].Schema)
			}
			if bye := lines[len(lines)-1].Cursor; bye != c.bye {
				t.Errorf("bye says %s, not %s", bye, c.bye)
			}
		})
	}
}

// stream runs Run on a pipe and returns a reader of its lines.
func stream(t *testing.T, f *fake, o Options) (lines *bufio.Scanner, stop func(), result <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, w, f, o)
		_ = w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = r.Close()
	})
	return bufio.NewScanner(r), cancel, done
}

func next(t *testing.T, s *bufio.Scanner) parsed {
	t.Helper()
	if !s.Scan() {
		t.Fatalf("the stream ended: %v", s.Err())
	}
	return parse(t, s.Text()+"\n")[0]
}

func TestFollowSaysEventsGapsAndGoodbye(t *testing.T) {
	f := newFake(1)
	s, stop, done := stream(t, f, Options{})
	if a, b := next(t, s), next(t, s); a.Type != "hello" || b.Type != "snapshot" {
		t.Fatalf("it began with %s and %s", a.Type, b.Type)
	}
	events, head := link(f.events, model.Head{Seq: 1, Hash: f.events[0].Hash}, "{\"text\":\"\x1b]52;c;x\x07 \u202e\"}")
	events, _ = link(events, model.Head{Seq: 5, Hash: head.Hash}, `{"text":"after the gap"}`)
	f.feed <- feedItem{items: []desk.Item{
		{Event: events[1]},
		{Gap: &desk.Gap{Missed: 3, From: 3, To: 5, Next: f.cursor(2)}},
		{Event: events[2]},
	}}
	if !s.Scan() {
		t.Fatal("no event came")
	}
	if strings.ContainsAny(s.Text(), "\x1b\x07\u202e") {
		t.Errorf("the line has raw controls: %q", s.Text())
	}
	e := parse(t, s.Text()+"\n")[0]
	var said struct{ Text string }
	if err := json.Unmarshal(e.Event.Payload, &said); err != nil {
		t.Fatal(err)
	}
	if e.Cursor != "eabc.2" || said.Text != "\x1b]52;c;x\a \u202e" {
		t.Errorf("the event came as %+v, saying %q", e, said.Text)
	}
	if l := next(t, s); l.Type != "lagged" || l.Missed != 3 || l.Next != "eabc.2" {
		t.Errorf("the gap came as %+v", l)
	}
	if e := next(t, s); e.Type != "event" || e.Event.Seq != 6 {
		t.Errorf("after the gap came %+v", e)
	}
	stop()
	if bye := next(t, s); bye.Type != "bye" || bye.Cursor != "eabc.6" {
		t.Errorf("bye came as %+v", bye)
	}
	if err := <-done; err != nil {
		t.Errorf("an ended stream failed: %v", err)
	}
}

// bye says where reading stopped: behind a gap that was said to be left out, but
// before events that are said to come late and have not come.
func TestByeAfterAGapIsWhereReadingStopped(t *testing.T) {
	for _, c := range []struct {
		name string
		gap  desk.Gap
		want string
	}{
		{"left out", desk.Gap{Missed: 3, From: 2, To: 4}, "eabc.4"},
		{"still to come", desk.Gap{Late: 3, From: 2, To: 4}, "eabc.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(1)
			s, stop, done := stream(t, f, Options{})
			next(t, s)
			next(t, s)
			c.gap.Next = f.cursor(1)
			f.feed <- feedItem{items: []desk.Item{{Gap: &c.gap}}}
			if l := next(t, s); l.Type != "lagged" || l.Missed != c.gap.Missed {
				t.Fatalf("the gap came as %+v", l)
			}
			stop()
			if bye := next(t, s); bye.Type != "bye" || bye.Cursor != c.want {
				t.Errorf("bye came as %+v, not at %s", bye, c.want)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABusyDatabaseIsALine(t *testing.T) {
	f := newFake(1)
	s, _, _ := stream(t, f, Options{Every: time.Millisecond})
	next(t, s)
	next(t, s)
	f.mu.Lock()
	f.broken = model.Errorf(model.CodeBusy, "another process holds the lock")
	f.mu.Unlock()
	for l := next(t, s); l.Type != "error"; l = next(t, s) {
		if l.Type != "snapshot" {
			t.Fatalf("%s came", l.Type)
		}
	}
	f.mu.Lock()
	f.broken = nil
	f.mu.Unlock()
	for l := next(t, s); l.Type != "snapshot"; l = next(t, s) {
		if l.Type != "error" {
			t.Fatalf("%s came", l.Type)
		}
	}
}

func TestAFeedThatFailsIsSaid(t *testing.T) {
	f := newFake(1)
	s, _, done := stream(t, f, Options{})
	next(t, s)
	next(t, s)
	f.feed <- feedItem{err: model.Errorf(model.CodeCorrupt, "event 2 is gone")}
	if l := next(t, s); l.Type != "error" || l.Message != "event 2 is gone" {
		t.Errorf("%+v came", l)
	}
	if l := next(t, s); l.Type != "bye" {
		t.Errorf("%+v came", l)
	}
	if err := <-done; model.CodeOf(err) != model.CodeCorrupt {
		t.Errorf("the error is %v", err)
	}
}

// The map comes with the first snapshot, and again when it says something else;
// that it grew older is nothing new.
func TestTheFleetsMapComesWhenItChanges(t *testing.T) {
	f := newFake(1)
	f.fleet = &fleetmap.Map{Repo: "harbour", Machine: "m-1", FetchedAt: 1_700_000_000_000_000, FetchAge: time.Second}
	var b bytes.Buffer
	p := &printer{w: &b, desk: f}
	snap, err := f.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.snapshot(snap); err != nil || !strings.Contains(b.String(), `"fleet":{"schema":`) {
		t.Fatalf("the first snapshot is %s (%v)", b.String(), err)
	}
	for _, c := range []struct {
		name   string
		change func(*fleetmap.Map)
		news   bool
	}{
		{"nothing", func(*fleetmap.Map) {}, false},
		{"age", func(m *fleetmap.Map) { m.FetchAge, m.FetchedAt = time.Hour, 1_700_000_003_000_000 }, false},
		{"a machine", func(m *fleetmap.Map) {
			m.Machines = []fleetmap.Machine{{Machine: "m-2", Readable: true, Age: time.Second}}
		}, true},
		{"the machine's age", func(m *fleetmap.Map) { m.Machines[0].Age = time.Minute }, false},
		{"trunk moved", func(m *fleetmap.Map) { yes := true; m.Behind = &yes }, true},
	} {
		b.Reset()
		c.change(f.fleet)
		if err := p.fleet(context.Background()); err != nil {
			t.Fatal(err)
		}
		if (b.Len() > 0) != c.news {
			t.Errorf("%s: %q came", c.name, b.String())
		}
	}
}

// What this machine knows by itself, because the map can't be made, is not the
// map.
func TestAMapThatCantBeMadeIsNull(t *testing.T) {
	f := newFake(1)
	var b bytes.Buffer
	p := &printer{w: &b, desk: f}
	v := &fleetmap.Picture{Own: true, Fault: "nothing was fetched", Map: fleetmap.Map{Machine: "m-1"}}
	if err := p.snapshot(desk.Snapshot{Fleet: v}); err != nil || !strings.Contains(b.String(), `"fleet":null`) {
		t.Fatalf("the snapshot is %s (%v)", b.String(), err)
	}
}

// closed is a pipe whose reader went away after n writes.
type closed struct{ n int }

func (c *closed) Write(b []byte) (int, error) {
	if c.n--; c.n < 0 {
		return 0, syscall.EPIPE
	}
	return len(b), nil
}

func TestAClosedPipeEndsIt(t *testing.T) {
	for n := range 4 {
		err := Run(context.Background(), &closed{n}, newFake(3), Options{Once: true, Replay: 3})
		if !errors.Is(err, syscall.EPIPE) {
			t.Errorf("after %d writes the error is %v", n, err)
		}
	}
}

// whole refuses a write that is not whole lines.
type whole struct{ t *testing.T }

func (w whole) Write(b []byte) (int, error) {
	if len(b) == 0 || b[len(b)-1] != '\n' {
		w.t.Errorf("a write of %d bytes does not end a line", len(b))
	}
	for _, l := range bytes.Split(bytes.TrimSuffix(b, []byte{'\n'}), []byte{'\n'}) {
		if !json.Valid(l) {
			w.t.Errorf("a line is no JSON: %.80q", l)
		}
	}
	return len(b), nil
}

func TestLinesAreWrittenWhole(t *testing.T) {
	f := newFake(2000)
	long := `{"text":"` + strings.Repeat("x", 200_000) + `"}`
	f.events, _ = link(f.events, model.Head{Seq: 2000, Hash: f.events[1999].Hash}, long)
	if err := Run(context.Background(), whole{t}, f, Options{Once: true, Replay: 3000}); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkEventLine(b *testing.B) {
	f := newFake(1)
	var buf, scratch []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, scratch = appendEvent(buf[:0], &f.events[0], f.cursor(1), scratch)
	}
}
