package queue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

func TestPushRefusals(t *testing.T) {
	r := newRig(t, queue.Options{})
	good := queue.Push{Body: "b", Priority: directive.P1}
	cases := []struct {
		name   string
		change func(*queue.Push)
		code   model.Code
		says   string
	}{
		{"empty", func(p *queue.Push) { p.Body = "" }, model.CodeInvalid, "empty body"},
		{"blank", func(p *queue.Push) { p.Body = " \n\t" }, model.CodeInvalid, "empty body"},
		{"large", func(p *queue.Push) { p.Body = strings.Repeat("x", 128<<10+1) }, model.CodeInvalid, "131073 bytes"},
		{"no UTF-8", func(p *queue.Push) { p.Body = "a\xff" }, model.CodeInvalid, "UTF-8"},
		{"lane with a control", func(p *queue.Push) { p.Lane = "a\x1b" }, model.CodeInvalid, "lane"},
		{"long lane", func(p *queue.Push) { p.Lane = strings.Repeat("l", 129) }, model.CodeInvalid, "128 bytes"},
		{"priority", func(p *queue.Push) { p.Priority = 3 }, model.CodeInvalid, "priority"},
		{"parent", func(p *queue.Push) { p.Parent = 7 }, model.CodeNotFound, "no parent #7"},
		{"blocker", func(p *queue.Push) { p.BlockedBy = []int64{7} }, model.CodeNotFound, "no dependency #7"},
		{"importance", func(p *queue.Push) { p.Importance = 10 }, model.CodeInvalid, "importance"},
		{"who", func(p *queue.Push) { p.By = "a\x1b" }, model.CodeInvalid, "control"},
	}
	for _, c := range cases {
		p := good
		c.change(&p)
		_, err := r.q.Push(background(), p)
		wantCode(t, err, c.code)
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := r.q.PushMany(background(), []queue.Push{good, p}); err == nil {
			t.Errorf("%s: PushMany took it", c.name)
		}
	}
	_, err := r.q.Push(background(), queue.Push{Body: strings.Repeat("x", 128<<10+1)})
	if !strings.Contains(model.HintOf(err), "file") {
		t.Errorf("hint %q", model.HintOf(err))
	}
}

// TestHostileBodies: the largest bodies, also of bytes that JSON doubles or
// multiplies by six, come back as they went in.
func TestHostileBodies(t *testing.T) {
	r := newRig(t, queue.Options{})
	for _, unit := range []string{"x", "\n", "\x01", "\"", "é", "日", "\u2028", "a\x00"} {
		body := "b" + strings.Repeat(unit, (128<<10-1)/len(unit))
		id := r.push(body, directive.P0)
		if c := r.next(queue.Next{}); c.Directive.ID != id || c.Directive.Body != body {
			t.Fatalf("%q came back otherwise", unit)
		}
		if r.show(id).Body != body {
			t.Fatalf("%q is shown otherwise", unit)
		}
	}
	l, err := r.q.List(background(), queue.List{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range l.Items {
		if !it.Cut || len(it.Body) > queue.CutBody {
			t.Fatalf("#%d is shown with %d bytes, cut: %t", it.ID, len(it.Body), it.Cut)
		}
	}
}

func TestRedaction(t *testing.T) {
	rules, err := redact.New([]redact.Rule{{Name: "mine", Pattern: "hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, queue.Options{Redactor: rules})
	body := queue.Push{Body: "fine\nlog in with hunter2", Priority: directive.P0}
	_, err = r.q.Push(background(), body)
	wantCode(t, err, model.CodeSecret)
	if !strings.Contains(err.Error(), "the body looks like it holds a secret (mine) on line 2") || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("%v", err)
	}
	for _, p := range []queue.Push{{Body: "x", Why: "hunter2"}, {Body: "x", By: "hunter2"}, {Body: "x", Lane: "hunter2", Secrets: redact.SecretsRedact}} {
		_, err = r.q.Push(background(), p)
		wantCode(t, err, model.CodeSecret)
	}
	_, err = r.q.Next(background(), queue.Next{Consumer: "hunter2"})
	wantCode(t, err, model.CodeSecret)
	body.Secrets = redact.SecretsAllow
	if kept, err := r.q.Push(background(), body); err != nil || kept.After.Body != body.Body {
		t.Fatalf("%+v %v", kept, err)
	}
	body.Secrets, body.Body = redact.SecretsRedact, "log in with hunter2"
	pushed, err := r.q.Push(background(), body)
	if err != nil {
		t.Fatal(err)
	}
	id := pushed.After.ID
	_, err = r.q.Park(background(), queue.Act{ID: id, Force: true, Why: "hunter2 was wrong"})
	wantCode(t, err, model.CodeSecret)
	ok(t)(r.q.Park(background(), queue.Act{ID: id, Force: true, Why: "hunter2 was wrong", Secrets: redact.SecretsRedact}))
	d := r.show(id)
	if d.Body != "log in with [redacted:mine]" || d.Reason != "[redacted:mine] was wrong" {
		t.Fatalf("got %+v", d.Directive)
	}
	for _, e := range d.History {
		if strings.Contains(string(e.Payload), "hunter2") || !strings.Contains(string(e.Payload), `"redacted":1`) {
			t.Fatalf("payload %s", e.Payload)
		}
	}
}

func TestListPagesInOrder(t *testing.T) {
	r := newRig(t, queue.Options{})
	var want []int64
	lanes := []string{"", "release", "build"}
	byPriority := [3][]int64{}
	for i := range 60 {
		p := directive.Priority(i * 7 % 3)
		id := r.push(fmt.Sprint(i), p, func(x *queue.Push) { x.Lane = lanes[i%3] })
		byPriority[p] = append(byPriority[p], id)
	}
	for _, ids := range byPriority {
		want = append(want, ids...)
	}
	gone := r.next(queue.Next{Lane: "build"})
	ok(t)(r.q.Done(background(), act(gone.Directive.ID, gone.Token)))
	pages := func(l queue.List) (ids []int64) {
		t.Helper()
		for {
			p, err := r.q.List(background(), l)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range p.Items {
				ids = append(ids, it.ID)
			}
			if !p.More {
				return ids
			}
			l.After = p.Next
		}
	}
	for _, limit := range []int{1, 7, 500} {
		if got := pages(queue.List{All: true, Limit: limit}); !slices.Equal(got, want) {
			t.Fatalf("all by %d: %v", limit, got)
		}
		pending := slices.DeleteFunc(slices.Clone(want), func(id int64) bool { return id == gone.Directive.ID })
		if got := pages(queue.List{Limit: limit}); !slices.Equal(got, pending) {
			t.Fatalf("pending by %d: %v", limit, got)
		}
		if got := pages(queue.List{Limit: limit, Status: directive.StatusDone}); !slices.Equal(got, []int64{gone.Directive.ID}) {
			t.Fatalf("done by %d: %v", limit, got)
		}
		if got := pages(queue.List{Limit: limit, Lane: "build", All: true}); len(got) != 20 {
			t.Fatalf("a lane by %d: %v", limit, got)
		}
	}
}

func TestThread(t *testing.T) {
	r := newRig(t, queue.Options{})
	child := func(of int64, p directive.Priority) int64 {
		return r.push(fmt.Sprintf("child of %d", of), p, func(x *queue.Push) { x.Parent = of })
	}
	root := r.push("root", directive.P1)
	a := child(root, directive.P2)
	b := child(root, directive.P0)
	c := child(a, directive.P1)
	want := []int64{root, b, a, c}
	for _, of := range want {
		th, err := r.q.Thread(background(), of)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, d := range th.Items {
			ids = append(ids, d.ID)
		}
		if !slices.Equal(ids, want) || th.Root != root || th.Status() != "open" || th.Open != 4 {
			t.Fatalf("thread of #%d: %v, %+v", of, ids, th)
		}
	}
	for _, id := range want {
		ok(t)(r.q.Drop(background(), force(id)))
	}
	th, err := r.q.Thread(background(), c)
	if err != nil || th.Line() != fmt.Sprintf("thread #%d done total=4 open=0", root) || len(th.OpenItems()) != 0 {
		t.Fatalf("%s, %v", th.Line(), err)
	}
	if d := r.show(b); len(d.Thread) != 4 {
		t.Fatalf("shown thread: %d", len(d.Thread))
	}
	_, err = r.q.Thread(background(), 99)
	wantCode(t, err, model.CodeNotFound)
}

func TestWhy(t *testing.T) {
	r := newRig(t, queue.Options{})
	a, b, c := r.push("a", directive.P0), r.push("b", directive.P1), r.push("c", directive.P1)
	why := func(id int64) string {
		t.Helper()
		w, err := r.q.Why(background(), id)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(w.Sentences(nil), " ")
	}
	wants := func(id int64, parts ...string) {
		t.Helper()
		got := why(id)
		for _, p := range parts {
			if !strings.Contains(got, p) {
				t.Fatalf("#%d: %q does not say %q", id, got, p)
			}
		}
	}
	wants(a, fmt.Sprintf("#%d is next in lane default.", a))
	wants(c, fmt.Sprintf("#%d is number 3 of 3 in lane default.", c), fmt.Sprintf("Ahead of it: #%d, #%d.", a, b), "Its priority is P1")
	r.next(queue.Next{Consumer: "builder", Lease: time.Hour})
	claimed := r.next(queue.Next{Consumer: "w", Lease: time.Hour})
	r.clock.advance(time.Minute)
	wants(claimed.Directive.ID, "has been held by w for 1m (attempt 1)", "for another 59:00")
	ok(t)(r.q.Defer(background(), force(c), queue.Deferral{For: 2 * time.Hour, BlockedBy: []int64{b}}))
	wants(c, "is deferred", "until 2026-06-20 14:01:00 +00:00, in 2:00:00", fmt.Sprintf("for #%d, which is taken", b))
	wants(b, fmt.Sprintf("Waiting for it: #%d.", c))
	ok(t)(r.q.Park(background(), queue.Act{ID: c, Force: true, Why: "no budget"}))
	wants(c, "has been parked", "no budget")
}

func TestConsumerIsChecked(t *testing.T) {
	r := newRig(t, queue.Options{})
	r.push("a", directive.P0)
	for _, n := range []queue.Next{{Consumer: "a\x1b"}, {Lane: "a\nb"}, {Lease: -1}, {Lease: 31 * 24 * time.Hour}, {Stale: -1}} {
		_, err := r.q.Next(background(), n)
		wantCode(t, err, model.CodeInvalid)
	}
}

func TestFront(t *testing.T) {
	r := newRig(t, queue.Options{})
	for i := range 300 {
		r.push(fmt.Sprint(i), directive.Priority(i%3), func(p *queue.Push) { p.Lane = "release" })
	}
	r.push("alone", directive.P1)
	held := r.next(queue.Next{Lane: "release", Consumer: "w"})
	done := r.next(queue.Next{Consumer: "w"})
	ok(t)(r.q.Done(background(), act(done.Directive.ID, done.Token)))
	parked := r.push("held", directive.P1, func(p *queue.Push) { p.Lane = "release" })
	ok(t)(r.q.Park(background(), force(parked)))
	r.push("waits", directive.P1, func(p *queue.Push) {
		p.Lane, p.NotBefore = "release", r.clock.now().Add(time.Hour)
	})
	var f queue.Front
	err := r.store.Read(background(), func(rd store.Reader) error {
		counts, err := rd.Counts()
		if err != nil {
			return err
		}
		f, err = r.q.Front(rd, counts)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Lanes) != 2 || f.Lanes[0].Name != "release" || f.Lanes[1].Name != "default" {
		t.Fatalf("lanes %+v", f.Lanes)
	}
	l := f.Lanes[0]
	if l.Pending != [3]int64{99, 100, 100} || l.Taken != 1 || l.Deferred != 1 || l.Parked != 1 || l.Open() != 302 {
		t.Fatalf("counts %+v", l)
	}
	if len(l.Directives) != desk.MaxPerLane || l.More != 302-desk.MaxPerLane {
		t.Fatalf("%d shown, %d more", len(l.Directives), l.More)
	}
	if l.Directives[0].ID != held.Directive.ID || l.Directives[1].Priority != directive.P0 {
		t.Fatalf("begins with %+v", l.Directives[:2])
	}
	if len(f.Taken) != 1 || len(f.Parked) != 1 || f.Parked[0].ID != parked {
		t.Fatalf("taken %v, parked %v", f.Taken, f.Parked)
	}
	if d := f.Lanes[1]; d.Done != 1 || d.Open() != 0 || len(d.Directives) != 0 {
		t.Fatalf("the finished lane: %+v", d)
	}
}

// TestAgeingOvertakes: what waits long goes first in the end, and why says so.
func TestAgeingOvertakes(t *testing.T) {
	r := newRig(t, queue.Options{Ageing: 30 * time.Minute})
	old := r.push("old", directive.P2)
	r.clock.advance(time.Hour)
	r.push("new", directive.P1)
	w, err := r.q.Why(background(), old)
	if err != nil || w.Rank != 1 || w.Effective != 0 {
		t.Fatalf("why %+v, %v", w, err)
	}
	if !strings.Contains(strings.Join(w.Sentences(nil), " "), "2 steps ahead of its priority") {
		t.Fatalf("why %v", w.Sentences(nil))
	}
	important := r.push("important", directive.P2, func(p *queue.Push) { p.Importance = 3 })
	due := r.push("due", directive.P2, func(p *queue.Push) { p.Deadline = r.clock.now().Add(-time.Minute) })
	for _, want := range []int64{important, due, old} {
		if p, err := r.q.Peek(background(), ""); err != nil || p.ID != want {
			t.Fatalf("peek #%d, want #%d (%v)", p.ID, want, err)
		}
		if c := r.next(queue.Next{}); c.Directive.ID != want {
			t.Fatalf("next #%d, want #%d", c.Directive.ID, want)
		}
	}
}

// TestOrderProperty: whatever is pushed, claimed, handed back and deferred, next
// takes what peek showed, and that is the first by model.Ageing.
func TestOrderProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ageing := rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(rt, "ageing")
		r := openRig(t, queue.Options{Ageing: ageing})
		defer r.close()
		// Another handle on the file is what another process is.
		other, err := storetest.OpenAt(r.path, storetest.Options{Parts: parts.All(), Clock: r.clock.Read})
		if err != nil {
			rt.Fatal(err)
		}
		defer other.Close()
		second, err := queue.Open(other, queue.Options{Clock: r.clock.Read, Ageing: ageing})
		if err != nil {
			rt.Fatal(err)
		}
		queues := []*queue.Queue{r.q, second}
		line := make([]queue.Push, rapid.IntRange(0, 8).Draw(rt, "line"))
		for i := range line {
			line[i] = queue.Push{Body: "x", Priority: directive.Priority(rapid.IntRange(0, 2).Draw(rt, "p"))}
		}
		if _, err := r.q.PushMany(background(), line); err != nil {
			rt.Fatal(err)
		}
		steps := rapid.IntRange(1, 12).Draw(rt, "steps")
		for range steps {
			r.q = rapid.SampledFrom(queues).Draw(rt, "process")
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0, 1:
				r.push("x", directive.Priority(rapid.IntRange(0, 2).Draw(rt, "p")), func(p *queue.Push) {
					p.Importance = int64(rapid.IntRange(-2, 2).Draw(rt, "importance"))
					if rapid.Bool().Draw(rt, "due") {
						p.Deadline = r.clock.now().Add(time.Duration(rapid.IntRange(-5, 5).Draw(rt, "in")) * time.Minute)
					}
				})
			case 2:
				r.clock.advance(time.Duration(rapid.IntRange(0, 200).Draw(rt, "wait")) * time.Second)
			case 3:
				id := int64(rapid.IntRange(1, 10).Draw(rt, "id"))
				_, _ = r.q.Defer(background(), force(id), queue.Deferral{For: time.Minute})
			case 4, 5, 6:
				want, peekErr := r.q.Peek(background(), "")
				first := r.firstByModel(ageing)
				c, err := r.q.Next(background(), queue.Next{Lease: time.Minute})
				if (err == nil) != (peekErr == nil) || c.Directive.ID != want.ID || c.Directive.ID != first {
					rt.Fatalf("peek #%d (%v), model #%d, next #%d (%v)", want.ID, peekErr, first, c.Directive.ID, err)
				}
				if err != nil {
					continue
				}
				switch rapid.IntRange(0, 3).Draw(rt, "end") {
				case 0:
					ok(t)(r.q.Requeue(background(), act(c.Directive.ID, c.Token)))
				case 1, 2:
					ok(t)(r.q.Done(background(), act(c.Directive.ID, c.Token)))
				}
			}
		}
	})
}

// firstByModel reckons from every directive what next has to take.
func (r *rig) firstByModel(ageing time.Duration) int64 {
	now := r.clock.Read()
	var line []directive.Directive
	err := r.store.Read(background(), func(rd store.Reader) error {
		for id := int64(1); ; id++ {
			d, err := queue.Directives.Get(rd, directive.Key(id))
			if model.CodeOf(err) == model.CodeNotFound && err != nil {
				return nil
			}
			if err != nil {
				return err
			}
			switch {
			case d.Status == directive.StatusPending:
			case d.Lapsed(now) || d.Status == directive.StatusDeferred && d.NotBefore <= now.Wall:
				d.Status, d.Since = directive.StatusPending, now.Wall
			default:
				continue
			}
			line = append(line, d)
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if len(line) == 0 {
		return 0
	}
	directive.Ageing{Interval: ageing}.Sort(line, now.Wall)
	return line[0].ID
}
