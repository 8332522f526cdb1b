package ui

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/ui/screen"
	"binnacle/views/viewtest"
)

var (
	update  = viewtest.Flag()
	goldens *viewtest.Goldens
)

func TestMain(m *testing.M) {
	var run func() int
	goldens, run = viewtest.Main(m, "../testdata/golden/ui", update)
	os.Exit(run())
}

// golden compares the whole frame with its file, after the rules.
func (r *rig) golden(name string) {
	r.t.Helper()
	w, h := r.c.size.W, r.c.size.H
	frame := r.c.View()
	viewtest.Rules(r.t, name, frame, w, h)
	goldens.Check(r.t, name, screen.Golden(screen.Parse(frame, w, h), r.c.look.Theme.Name))
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test's own string
	}
	return b
}

// busy fills a workspace as a fleet would.
func (r *rig) busy() {
	r.t.Helper()
	ctx := context.Background()
	must := func(err error) {
		r.t.Helper()
		if err != nil {
			r.t.Fatal(err)
		}
	}
	for i, text := range []string{"compiled ok", "running 381 tests", "日本語のログ 💰 ok", "evil \u001b[2J\u202etext\u009b0m"} {
		r.emit("build/log", model.KindNote, `{"text":`+string(mustJSON(text))+`}`)
		r.pass(time.Duration(i+1) * time.Second)
	}
	same := make([]ledger.EmitRequest, 1204)
	for i := range same {
		same[i] = ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Producer: "chatty", Payload: []byte(`{"text":"retrying the upload"}`)}
	}
	_, err := r.b.Ledger.EmitBatch(ctx, same)
	must(err)
	r.emit("host/load", model.KindMetric, `{"name":"load1","value":1.42,"unit":""}`)
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full on ci-3"}`)
	second := r.emit("test/alert", model.KindSignal, `{"summary":"upload test failed 3 times in a row"}`)
	_, err = r.b.Ledger.Signal(ctx, ledger.SignalRequest{Action: "claim", Key: second.Key, By: "operator"})
	must(err)
	for _, p := range []queue.Push{
		{Body: "verify the release candidate\n\nRun the smoke tests.", Priority: directive.P0, Lane: "release"},
		{Body: "fix the flaky upload test", Priority: directive.P1},
		{Body: "write the release notes", Priority: directive.P2, Lane: "release", BlockedBy: []int64{1}},
		{Body: strings.Repeat("a very long body without end ", 20), Priority: directive.P1},
	} {
		_, err := r.b.Queue.Push(ctx, p)
		must(err)
	}
	_, err = r.b.Queue.Next(ctx, queue.Next{Lane: "release", Consumer: "builder-2", Lease: 30 * time.Minute})
	must(err)
	_, err = r.b.Ledger.ClaimWork(ctx, ledger.ClaimRequest{Key: "job-42", Executor: "probe", Lease: 8 * time.Minute})
	must(err)
	r.pass(7*time.Minute + 12*time.Second)
	r.emit("build/log", model.KindNote, `{"text":"and on it goes"}`)
	r.sync()
}

// TestGoldenFrames draws the cockpit empty and busy at every size of the
// matrix, in every theme, and with each overlay open.
func TestGoldenFrames(t *testing.T) {
	for _, size := range []string{"80x24", "120x40", "200x60"} {
		for _, theme := range []string{"dark", "light", "ansi", "mono"} {
			if size == "200x60" && theme == "ansi" || size == "80x24" && theme == "ansi" {
				continue
			}
			t.Run(size+"-"+theme, func(t *testing.T) {
				r := newRig(t, rigOptions{size: size, theme: theme})
				r.golden("empty-" + size + "-" + theme)
				r.busy()
				r.golden("busy-" + size + "-" + theme)
			})
		}
	}
	states := []struct {
		name, size string
		do         func(r *rig)
	}{
		{"ascii", "120x40", func(*rig) {}},
		{"paused", "120x40", func(r *rig) { r.press("up up up"); r.notes(5); r.sync() }},
		{"filter-typing", "120x40", func(r *rig) { r.press("/"); r.write("kind:no") }},
		{"filter-fault", "120x40", func(r *rig) { r.press("/"); r.write("kind:nothing x"); r.press("enter") }},
		{"filtered", "120x40", func(r *rig) { r.press("/"); r.write("kind:note compiled"); r.press("enter") }},
		{"lanes", "80x24", func(r *rig) { r.press("3 down down") }},
		{"leases", "80x24", func(r *rig) { r.press("4") }},
		{"planes", "80x24", func(r *rig) { r.press("2") }},
		{"needs", "80x24", func(r *rig) { r.press("6") }},
		{"zoom", "120x40", func(r *rig) { r.press("z") }},
		{"marked", "120x40", func(r *rig) { r.press("3 down space space") }},
		{"drop", "120x40", func(r *rig) { r.press("3 down d") }},
		{"bulk", "120x40", func(r *rig) { r.press("3 down space space d"); r.write("1") }},
		{"defer", "120x40", func(r *rig) { r.press("3 down down down f") }},
		{"push", "120x40", func(r *rig) { r.press("a"); r.write("ship it") }},
		{"why", "120x40", func(r *rig) { r.onDirective(3); r.press("w") }},
		{"detail", "120x40", func(r *rig) { r.press("g enter") }},
		{"palette", "120x40", func(r *rig) { r.press("3 :"); r.write("re") }},
		{"help", "200x60", func(r *rig) { r.press("?") }},
		{"help", "80x24", func(r *rig) { r.press("?") }},
		{"too-small", "39x9", func(*rig) {}},
		{"ages", "120x40", func(r *rig) { r.press("t") }},
		{"read-only", "120x40", func(r *rig) { r.press("a") }},
		{"fleet", "120x40", func(r *rig) { r.withFleet(); r.press("5 down") }},
		{"fleet", "80x24", func(r *rig) { r.withFleet(); r.press("5") }},
		{"fleet", "200x60", func(r *rig) { r.withFleet() }},
	}
	for _, s := range states {
		t.Run(s.name+"-"+s.size, func(t *testing.T) {
			o := rigOptions{size: s.size, ascii: s.name == "ascii"}
			if s.name == "read-only" {
				o.readOnly = "--read-only was given"
			}
			r := newRig(t, o)
			r.busy()
			s.do(r)
			r.golden("state-" + s.name + "-" + s.size)
		})
	}
}

// withFleet gives the snapshot a fleet.
func (r *rig) withFleet() {
	yes := true
	s := r.c.snap
	row := func(actor, tool, session, change, state string, paths ...string) *fleetmap.LiveRow {
		return &fleetmap.LiveRow{Actor: actor, Agent: tool, Session: session, Change: change, State: state, Paths: paths}
	}
	v := &fleetmap.Picture{At: r.now, Map: fleetmap.Map{
		Machine: "m-k3fabcdefg", FetchedAt: r.now, FetchAge: 12 * time.Second,
		Machines: []fleetmap.Machine{
			{Machine: "m-k3fabcdefg", Self: true, Readable: true, Fresh: 1},
			{Machine: "m-9qdabcdefg", Readable: true, Fresh: 1, Age: 40 * time.Second},
			{Machine: "m-badbadbadb", Readable: true, Code: model.CodeUnsigned, Why: "the registry wants a signature and there is none"},
		},
		Sessions: []fleetmap.Session{
			{Machine: "m-k3fabcdefg", LiveRow: row("builder-2", "claude-code", "7f3c", "retry", session.Working, "queue/retry.go"), RowAge: 2 * time.Second, Behind: &yes},
			{Machine: "m-9qdabcdefg", LiveRow: row("reviewer", "codex", "019a", "", session.Waiting, "queue/retry.go"), RowAge: 44 * time.Second},
		},
	}}
	v.Collisions = fleetmap.Collisions(v.Map.Sessions)
	s.Fleet = v
	s.Needs = desk.NeedsOf(s, model.Reading{Wall: r.now}, "operator")
	r.send(snapshotMsg{s})
}

// TestVerificationFailureStaysInTheHeader shows a broken chain.
func TestVerificationFailureStaysInTheHeader(t *testing.T) {
	r := newRig(t, rigOptions{size: "200x60"})
	r.busy()
	s := r.c.snap
	s.Verified = desk.Verified{State: desk.VerifyFailed, Seq: 3, At: 4, Finding: "the payload of event 4 was changed"}
	r.send(snapshotMsg{s})
	r.has("✗ at 4: the payload of event 4 was changed")
	r.press("!")
	r.has("The chain of events is broken")
	r.golden("state-broken-200x60")
}
