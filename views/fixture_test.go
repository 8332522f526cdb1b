package views_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/themes"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
	"binnacle/views/document"
	"binnacle/views/viewtest"
)

// goldens is the folder of this package's golden files.
var goldens *viewtest.Goldens

func TestMain(m *testing.M) {
	g, run := viewtest.Main(m, "../testdata/golden/views", viewtest.Flag())
	goldens = g
	os.Exit(run())
}

// now is the instant of every frame here: 2026-06-20 12:04:31 UTC.
var now = model.TimeOf(time.Date(2026, 6, 20, 12, 4, 31, 0, time.UTC))

func ago(d time.Duration) model.Time   { return now.Add(-d) }
func later(d time.Duration) model.Time { return now.Add(d) }

func look(t themes.Theme) canvas.Look {
	return canvas.Look{Theme: t, Glyphs: themes.Unicode(), Now: now}
}

// Text that breaks naive terminal programs.
const (
	hostile = "a\x1b[2Jb\x1b]52;c;QUFB\x07c\u202edcba\u202c \x9b31m \u200bzero\u2066x\u2069 end"
	wide    = "日本語のとても長い説明 👩\u200d👩\u200d👧\u200d👦 🇫🇷 e\u0301 💰🔢⚙ fin"
	long    = "a-word-without-any-space-that-is-much-longer-than-every-pane-could-ever-be-and-then-some-more-of-it-to-be-sure and words"
)

func event(seq int64, back time.Duration, kind model.Kind, producer, topic, key, state, payload string) model.Event {
	return model.Event{
		Seq: seq, TS: ago(back), Kind: kind, Producer: producer, Topic: topic, Key: key, State: state,
		Payload: json.RawMessage(payload), Prev: model.Genesis, Hash: model.HashOf([]byte(payload)),
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func busyRows() []views.EventRow {
	rows := []views.EventRow{
		{Event: event(18204, 0, model.KindDirective, "builder-2", "queue/release", "41", "taken", `{"action":"take","by":"builder-2"}`)},
		{Event: event(18203, time.Second, model.KindSignal, "probe", "build/alert", "disk", "pending", `{"summary":"disk is full on ci-3"}`)},
		{Event: event(18202, 2*time.Second, model.KindNote, "builder-2", "build/log", "", "", `{"text":"compiling 41 packages"}`)},
		{Event: event(18201, 2*time.Second, model.KindMetric, "probe", "host/load", "", "", `{"name":"load","unit":"1m","value":1.42}`)},
		{Event: event(18200, 3*time.Second, model.KindNote, "chatty", "build/log", "", "", `{"text":"retrying the upload"}`), Fold: 1204},
		{Gap: 312},
		{Event: event(16684, 4*time.Minute, model.KindWork, "probe", "jobs/nightly", "job-42", "claimed", `{"action":"claim","executor":"probe","lease_seconds":900}`)},
		{Event: event(16683, 5*time.Minute, model.KindGeneric, "deploy", "deploy/eu-west-1", "", "", `{"build":{"id":77,"ok":true},"region":"eu-west-1"}`)},
		{Event: event(16682, 26*time.Hour, model.KindCoord, "m-k3fq", "session.started", "s-1", "working", `{"agent":"claude-code","branch":"main"}`)},
		{Event: event(16681, 27*time.Hour, model.KindSystem, "binnacle", "system/backup", "", "", `{"action":"backup","bytes":1048576}`)},
		{Loading: true},
	}
	return rows
}

func oddRows() []views.EventRow {
	out := make([]views.EventRow, 0, 6)
	for i, s := range []string{hostile, wide, long, ""} {
		out = append(out, views.EventRow{Event: event(int64(900-i), time.Duration(i)*time.Second, model.KindNote, s+"p", "odd/text", "", "", `{"text":`+quoted(s)+`}`)})
	}
	out = append(out,
		views.EventRow{Event: event(10, time.Hour, "no\x1bkind", wide, long, hostile, hostile, `{"damaged":`)},
		views.EventRow{Event: event(9, time.Hour, model.KindDirective, long, "queue/x", "7", "parked", `{"action":"poison","body":`+quoted(wide+"\nsecond")+`,"why":`+quoted(hostile)+`}`)})
	return out
}

func counts() model.Counts {
	c := model.Counts{}
	for _, x := range []struct {
		plane, name string
		n           int64
	}{
		{"record", "total", 18204},
		{"record", "note", 9120},
		{"record", "metric", 6002},
		{"record", "generic", 1711},
		{"record", "signal", 94},
		{"record", "directive", 1277},
		{"signal", "pending", 3},
		{"signal", "claimed", 1},
		{"signal", "cleared", 88},
		{"signal", "expired", 2},
		{"work", "claimed", 4},
		{"work", "done", 120},
		{"work", "failed", 3},
		{"work", "expired", 1},
	} {
		c.Add(x.plane, x.name, x.n)
	}
	return c
}

func oneDirective(id int64, p directive.Priority, lane, status, body string) directive.Directive {
	return directive.Directive{ID: id, Priority: p, Lane: lane, Status: status, Body: body, CreatedAt: ago(time.Hour), Since: ago(3 * time.Minute), Rev: 2}
}

func taken() []directive.Directive {
	d := oneDirective(41, directive.P0, "release", "taken", "cut the release")
	d.TakenBy, d.TakenAt, d.LeaseUntil, d.Attempt = "builder-2", ago(9*time.Minute), later(21*time.Minute+14*time.Second), 1
	return []directive.Directive{d}
}

func works() []model.Work {
	return []model.Work{{
		Key: "job-42", State: "claimed", Topic: "jobs/nightly", Executor: "probe", LeaseUntil: later(48 * time.Second), Lease: 900,
		Attempt: 3, ClaimedAt: ago(14 * time.Minute), Since: ago(14 * time.Minute), Rev: 5,
	}}
}

func lanes() []desk.Lane {
	blocked := oneDirective(58, directive.P1, "default", "deferred", "write the release notes")
	blocked.BlockedBy = []int64{57}
	parked := oneDirective(59, directive.P2, "default", "parked", "migrate the runners")
	parked.Reason = "its lease ran out 10 times"
	return []desk.Lane{
		{Name: "release", Pending: [3]int64{2, 5, 0}, Taken: 2, Deferred: 1, Done: 40},
		{
			Name: "default", Pending: [3]int64{0, 21, 4}, Taken: 1, Deferred: 2, Parked: 1, Done: 310, Dropped: 2, More: 25,
			Directives: []directive.Directive{oneDirective(57, directive.P1, "default", "pending", "fix the flaky upload test"), blocked, parked},
		},
	}
}

func signals() []model.Signal {
	return []model.Signal{
		{Key: "disk", State: "pending", Topic: "build/alert", Summary: "disk is full on ci-3", Producer: "probe", Raised: ago(2 * time.Hour), Since: ago(2 * time.Hour), Rev: 1},
		{Key: "flaky-upload", State: "pending", Topic: "build/alert", Summary: "the upload test failed 3 times", Producer: "probe", Raised: ago(4 * time.Minute), Since: ago(4 * time.Minute), Rev: 1},
		{Key: "review-12", State: "claimed", Topic: "review/wanted", Summary: "review the schema change", Holder: "ana@laptop", Producer: "builder-1", Raised: ago(time.Hour), Since: ago(20 * time.Second), Rev: 2},
	}
}

func needs() []desk.Need {
	return []desk.Need{
		{Kind: desk.NeedSignal, Key: "disk", Rev: 1, Text: "disk is full on ci-3", State: "pending", Since: ago(2 * time.Hour)},
		{Kind: desk.NeedParked, Key: "59", Rev: 4, Text: "its lease ran out 10 times", State: "parked", Since: ago(time.Hour)},
		{Kind: desk.NeedStalled, Key: "s-9", Text: "builder-3 on ci-2 says nothing", Since: ago(11 * time.Minute)},
		{Kind: desk.NeedQuestion, Key: "s-4", Text: "may I drop the table?", Since: ago(3 * time.Minute)},
		{Kind: desk.NeedLapsing, Key: "job-42", Rev: 5, Text: "probe", State: "work", Since: ago(90 * time.Second)},
	}
}

func header() views.Header {
	h := views.Header{
		Workspace: "~/src/harbour", Events: 18204, Verified: desk.Verified{State: desk.VerifyOK, Seq: 18204},
		Rate: desk.Rate{PerSecond: 42}, Queue: 37, Working: 5, Sessions: 6, Needs: 3,
	}
	for i := range h.Rate.History {
		h.Rate.History[i] = float64((i*7)%11 + 1)
	}
	return h
}

func footer() views.Footer {
	m := keymap.Default()
	return views.Footer{Actions: m.Line(keymap.Directive, keymap.List, keymap.Record, keymap.Global), Mode: "read-write"}
}

func palette() dialog.Palette {
	return dialog.Palette{
		Input: canvas.Input{Text: "req", Cursor: 3}, Total: 61, At: 1,
		Items: []dialog.PaletteItem{
			{Name: "requeue", Help: "Give a taken or parked directive back to its lane.", Key: "r", Matches: []int{0, 1, 2}},
			{Name: "queue next", Help: "Take the next directive.", Matches: []int{2, 3}},
			{Name: "drop", Help: "Drop the directive for good.", Key: "d", Refused: "no directive is under the cursor"},
		},
	}
}

func dropping() dialog.Dialog {
	return dialog.Dialog{
		Title: "Drop", Target: "#57 fix the flaky upload test", Says: []string{
			"The directive is dropped for good and nobody will take it.", "#58 waits for it and becomes pending.",
		}, Buttons: []string{"Keep it", "Drop it"},
	}
}

func bulk() dialog.Dialog {
	d := dropping()
	d.Target = "12 directives in default"
	d.Count = &dialog.Count{Want: 12, Input: canvas.Input{Text: "1", Cursor: 1, Focus: true}}
	d.Blocked, d.Fault = 300*time.Millisecond, "#57 is taken by builder-2 now"
	return d
}

func form() dialog.Form {
	return dialog.Form{
		Title: "Push a directive", Says: "It waits in its lane until somebody takes it.", At: 1, Hint: "enter pushes, tab goes on, esc leaves",
		Fields: []dialog.Field{
			{Label: "body", Input: canvas.Input{Text: "fix the flaky upload test"}},
			{Label: "lane", Input: canvas.Input{Text: "default", Cursor: 7}, Hint: "release, default"},
			{Label: "priority", Input: canvas.Input{Text: "P9"}, Fault: "the priorities are P0, P1 and P2"},
			{Label: "not before", Hint: "2h, 1d, or a time"},
		},
	}
}

func filterBar() dialog.FilterBar {
	return dialog.FilterBar{
		Input: canvas.Input{Text: "kind:signal topic:bu", Cursor: 20}, Chosen: 0,
		Choices: []dialog.Choice{{Text: "topic:build/*", Says: "everything below build"}, {Text: "topic:build/alert", Says: "2 signals"}, {Text: "topic:build/log", Says: ""}},
	}
}

func detailOf() document.Detail {
	e := event(18203, time.Minute, model.KindSignal, "probe", "build/alert", "disk", "pending",
		`{"host":"ci-3","mounts":[{"at":"/","full":true,"gib":[99.5,100]},{}],"summary":`+quoted("disk is full\non ci-3: "+long)+`,"tags":[],"x":null}`)
	e.Causation = 18190
	cause := event(18190, 2*time.Minute, model.KindMetric, "probe", "host/disk", "", "", `{"name":"disk","unit":"%","value":99.5}`)
	effect := event(18210, 10*time.Second, model.KindNote, "builder-2", "build/log", "", "", `{"text":"paused until there is room"}`)
	claimed := event(18300, time.Second, model.KindSignal, "ana@laptop", "build/alert", "disk", "claimed", `{"by":"ana@laptop"}`)
	s := signals()[0]
	return document.Detail{Link: 1, Of: desk.Detail{
		Event: &e, Signal: &s, Cause: &cause, Effects: []model.Event{effect}, History: []model.Event{e, claimed}, Older: 3, Verified: true,
		Whole: now.Add(-3 * time.Minute),
	}}
}

func directiveDetail() document.Detail {
	d := taken()[0]
	d.Body = "cut the release\n\n- tag it\n- push the tag\tand wait\n" + hostile
	d.BlockedBy, d.Parent = []int64{7, 8}, 40
	parent := oneDirective(40, directive.P0, "release", "done", "prepare the release")
	return document.Detail{Link: -1, Of: desk.Detail{
		Directive: &d, Thread: []directive.Directive{parent, d}, Why: &directive.Why{Directive: d, At: now, Now: model.Reading{Wall: now}, Blocks: []int64{44}},
	}}
}

// shape is a view with everything but its size.
type shape struct {
	name string
	draw func(s canvas.Size, l canvas.Look) string
}

func cursor(noun views.Noun, key string, marks ...string) views.Cursor {
	c := views.Cursor{At: views.ID{Noun: noun, Key: key}, Marks: map[views.ID]bool{}}
	for _, m := range marks {
		c.Marks[views.ID{Noun: noun, Key: m}] = true
	}
	return c
}

var focused = canvas.Chrome{Focus: true}

// failing is a pane whose engine failed while old content stays.
var failing = canvas.Chrome{Old: 12 * time.Second, Fault: "database is locked\x1b[2J"}

// shapes is every view in its states.
func shapes() []shape {
	return append(fleetShapes(focused), []shape{
		{"events-first-run", views.Events{Chrome: focused}.Draw},
		{"events-no-match", views.Events{Filter: "kind:signal " + hostile}.Draw},
		{"events-busy", views.Events{Chrome: focused, Cursor: cursor(views.NounEvent, "18202", "18201", "18203"), Rows: busyRows()}.Draw},
		{"events-paused", views.Events{Cursor: cursor(views.NounEvent, "18200"), Rows: busyRows(), Paused: true, Unseen: 312, First: 900, Total: 18204, Filter: "build", Words: []string{"build", "the"}}.Draw},
		{"events-odd", views.Events{Chrome: focused, Cursor: cursor(views.NounEvent, "899", "898"), Rows: oddRows(), Words: []string{"end", "日本"}}.Draw},
		{"events-failing", views.Events{Chrome: failing, Rows: busyRows()}.Draw},
		{"planes-empty", views.Planes{Counts: model.Counts{}}.Draw},
		{"planes-busy", views.Planes{Counts: counts(), Lanes: lanes()}.Draw},
		{"planes-open", views.Planes{Chrome: focused, Cursor: cursor(views.NounSignal, "flaky-upload", "disk"), Counts: counts(), Lanes: lanes(), Signals: signals(), Open: true}.Draw},
		{"planes-odd", views.Planes{Chrome: failing, Counts: hugeCounts(), Signals: oddSignals(), Open: true}.Draw},
		{"lanes-empty", views.Lanes{Chrome: focused}.Draw},
		{"lanes-busy", views.Lanes{Chrome: focused, Cursor: cursor(views.NounDirective, "57", "58"), Lanes: lanes(), Open: map[string]bool{"default": true}}.Draw},
		{"lanes-odd", views.Lanes{Cursor: cursor(views.NounLane, wide), Lanes: oddLanes(), Open: map[string]bool{wide: true}}.Draw},
		{"leases-empty", views.Leases{}.Draw},
		{"leases-busy", views.Leases{Chrome: focused, Cursor: cursor(views.NounWork, "job-42"), Taken: taken(), Work: works(), More: 2}.Draw},
		{"leases-odd", views.Leases{Chrome: failing, Work: oddWork()}.Draw},
		{"needs-empty", views.Needs{}.Draw},
		{"needs-busy", views.Needs{Chrome: focused, Cursor: cursor(views.NounDirective, "59", "59"), Needs: needs()}.Draw},
		{"needs-odd", views.Needs{Needs: []desk.Need{{Kind: hostile, Key: wide, Text: hostile, Since: later(time.Hour)}, {Kind: desk.NeedSignal, Key: long, Text: long}}}.Draw},
		{"detail-event", func(s canvas.Size, l canvas.Look) string { return detailOf().Draw(focused, 0, s, l) }},
		{"detail-directive", func(s canvas.Size, l canvas.Look) string { return directiveDetail().Draw(focused, 3, s, l) }},
		{"detail-odd", func(s canvas.Size, l canvas.Look) string { return oddDetail().Draw(focused, 1, s, l) }},
		{"help", dialog.Help{Map: keymap.Default(), Top: 2}.Draw},
		{"palette", palette().Draw},
		{"palette-none", dialog.Palette{Input: canvas.Input{Text: hostile, Cursor: len(hostile)}}.Draw},
		{"dialog", dropping().Draw},
		{"dialog-bulk", bulk().Draw},
		{"dialog-odd", dialog.Dialog{Title: hostile, Target: wide, Says: []string{long, hostile}, Buttons: []string{wide, hostile}, At: 1}.Draw},
		{"form", form().Draw},
		{"filter-choices", filterBar().Draw},
		{"filter-fault", dialog.FilterBar{Input: canvas.Input{Text: "kind:sgnal " + wide, Cursor: 4}, Fault: "sgnal is not a kind", At: 5, Len: 5}.Draw},
		{"too-small", views.TooSmall},
		{"offer", dialog.Offer{Dir: "/home/ana/src/" + hostile, Accept: "enter", Decline: "q"}.Draw},
	}...)
}

// lineShapes is every view of one line.
func lineShapes() []shape {
	one := func(draw func(int, canvas.Look) string) func(canvas.Size, canvas.Look) string {
		return func(s canvas.Size, l canvas.Look) string { return draw(s.W, l) }
	}
	bad := header()
	bad.Verified = desk.Verified{State: desk.VerifyFailed, At: 812, Finding: "the payload of event 812 differs " + hostile}
	bad.Paused, bad.ReadOnly = true, true
	bad.Alarms = []desk.Alarm{{Engine: "store", Text: "the log has 900 MB " + hostile}, {Engine: "fleet", Text: "fetch failed"}}
	running := header()
	running.Verified = desk.Verified{State: desk.VerifyRunning, Seq: 9000}
	running.Past, running.Needs, running.Queue, running.Sessions, running.Workspace = ago(26*time.Hour), 0, 0, 0, wide
	flash := footer()
	flash.Flash, flash.Marked = views.Flash{Text: "#57 is taken by builder-2 now " + hostile, Level: views.Refused}, 3
	said := footer()
	said.Flash, said.Mode = views.Flash{Text: "dropped #57, u undoes"}, "read-only"
	return []shape{
		{"header", one(header().Draw)},
		{"header-bad", one(bad.Draw)},
		{"header-running", one(running.Draw)},
		{"header-zero", one(views.Header{}.Draw)},
		{"footer", one(footer().Draw)},
		{"footer-flash", one(flash.Draw)},
		{"footer-said", one(said.Draw)},
		{"tabs", one(views.Tabs{Panes: views.Panes(), Active: views.PaneLanes, Needs: 3}.Draw)},
	}
}

func hugeCounts() model.Counts {
	c := counts()
	c.Add("record", "total", 9e18)
	c.Add("record", "note", 123_456_789)
	c.Add("signal", hostile, 7)
	return c
}

func oddSignals() []model.Signal {
	return []model.Signal{
		{Key: hostile, State: hostile, Topic: long, Summary: wide, Holder: hostile, Since: later(time.Hour)},
		{Key: wide, State: "pending", Summary: hostile},
	}
}

func oddLanes() []desk.Lane {
	d := oneDirective(9_999_999_999, 7, wide, hostile, hostile+"\n"+long)
	e := oneDirective(2, directive.P0, wide, "deferred", "\n\n  "+wide)
	e.BlockedBy, e.NotBefore = []int64{1, 2, 3, 4, 5}, later(26*time.Hour)
	f := oneDirective(3, directive.P2, wide, "pending", "")
	f.Deadline, f.RequeueCount = ago(time.Hour), 4
	return []desk.Lane{{Name: wide, Directives: []directive.Directive{d, e, f}, More: 1e9, Pending: [3]int64{1e6, 1e7, 1e12}}, {Name: hostile, Taken: 3}}
}

func oddWork() []model.Work {
	var out []model.Work
	for i, s := range []string{hostile, wide, long} {
		out = append(out, model.Work{Key: s, Executor: s, State: "claimed", LeaseUntil: later(time.Duration(i-1) * 90 * time.Hour), Lease: int64(i) * 400000, Attempt: int64(11 * i)})
	}
	return out
}

func oddDetail() document.Detail {
	w := oddWork()[0]
	w.Reason, w.Evidence = hostile, json.RawMessage(`{"a":{"b":{"c":[[[`+quoted(wide+hostile+long)+`]]]}},`+quoted(hostile+long)+`:{"broken`)
	e := event(5, 0, "kind\x9b", hostile, wide, long, hostile, `[1,2`)
	return document.Detail{Link: 0, Of: desk.Detail{Work: &w, Event: &e, Cause: &e, History: []model.Event{e}}}
}

func sizeName(s canvas.Size) string { return fmt.Sprintf("%dx%d", s.W, s.H) }
