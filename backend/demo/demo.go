package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"binnacle/backend"
	"binnacle/backend/coord"
	"binnacle/backend/coord/notes"
	"binnacle/backend/fleet/git"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Fleet is a simulated fleet. It is used by one goroutine.
type Fleet struct {
	ledger *ledger.Ledger
	queue  *queue.Queue
	crew   *crew
	rng    *rand.Rand
	steps  int

	signals []string // keys of open ones, the oldest first
	claims  []held   // work in hand
	workers []worker
	jobs    int
	chore   int
	load    float64
}

// held is a work record that an executor holds.
type held struct {
	key, executor, token string
	beats                int
	dead                 bool // its executor is gone: the lease will lapse
}

// worker takes directives.
type worker struct {
	name  string
	lane  string
	claim queue.Claim
	busy  int // steps left on the claim; 0: it has none
	away  int // steps until it comes back from the dead
}

// Engines are those of the workspace that a fleet lives in.
type Engines struct {
	Ledger *ledger.Ledger
	Queue  *queue.Queue
	Coord  *coord.Coord
	Notes  *notes.Notes
	Tree   string      // the work tree that Notes sees, in which its agents write files
	Place  coord.Place // of the work tree, as far as it is known
}

// EnginesOf are the backend's; tree and environ are those of the work tree that
// the fleet lives in, in a Git repository or not.
func EnginesOf(b *backend.Backend, tree string, environ []string) (Engines, error) {
	e := Engines{Ledger: b.Ledger, Queue: b.Queue, Coord: b.Coord, Tree: tree}
	found, err := git.FindTree(tree)
	if err != nil {
		return e, err
	}
	e.Notes = notes.Open(b.Store, git.FilesOf(found, environ, gitWithin), b.Redactor())
	if f := b.Fleet(); f != nil {
		e.Place = f.Here()
	}
	return e, nil
}

// gitWithin bounds a look at the work tree.
const gitWithin = 10 * time.Second

// New makes a fleet; the same seed tells the same story.
func New(e Engines, seed uint64) *Fleet {
	f := &Fleet{ledger: e.Ledger, queue: e.Queue, crew: newCrew(e, seed), rng: rand.New(rand.NewPCG(seed, 0x62696e6e61636c65)), load: 1.2}
	for i, lane := range []string{"default", "default", "release", "docs", "review"} {
		f.workers = append(f.workers, worker{name: fmt.Sprintf("worker-%d", i+1), lane: lane})
	}
	return f
}

// Leases of the simulated executors: short, so that one sees them run out.
const (
	workLease      = 12 * time.Second
	directiveLease = 20 * time.Second
)

// Run tells the story until ctx ends: first enough that every pane has
// something in it, then a step every tenth of a second or so.
func (f *Fleet) Run(ctx context.Context) error {
	if err := f.begin(ctx); err != nil {
		return stopped(ctx, err)
	}
	for {
		if !wake.Sleep(ctx, time.Duration(60+f.rng.IntN(120))*time.Millisecond) {
			return nil
		}
		if err := f.Step(ctx); err != nil {
			return stopped(ctx, err)
		}
	}
}

func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// begin fills an empty workspace.
func (f *Fleet) begin(ctx context.Context) error {
	for range 12 {
		if err := f.push(ctx); err != nil {
			return err
		}
	}
	for range 16 {
		if err := f.note(ctx); err != nil {
			return err
		}
	}
	for range 2 {
		if err := f.alarm(ctx); err != nil {
			return err
		}
		if err := f.claimWork(ctx); err != nil {
			return err
		}
	}
	for range 6 {
		if err := f.work(ctx); err != nil {
			return err
		}
	}
	return f.crew.begin(ctx)
}

// sceneEvery is after how many steps the crew plays a scene.
const sceneEvery = 20

// Step lets the fleet do one thing.
func (f *Fleet) Step(ctx context.Context) error {
	if f.steps++; f.steps%sceneEvery == 0 {
		if err := f.crew.step(ctx); err != nil {
			return err
		}
	}
	switch n := f.rng.IntN(100); {
	case n < 30:
		return f.note(ctx)
	case n < 45:
		return f.metric(ctx)
	case n < 47:
		return f.burst(ctx)
	case n < 52:
		return f.alarm(ctx)
	case n < 57:
		return f.answer(ctx)
	case n < 68:
		return f.beat(ctx)
	case n < 76:
		return f.push(ctx)
	default:
		return f.work(ctx)
	}
}

func pick[T any](f *Fleet, from []T) T { return from[f.rng.IntN(len(from))] }

func (f *Fleet) emit(ctx context.Context, topic, producer string, kind model.Kind, key string, payload map[string]any) (model.Event, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return model.Event{}, err
	}
	return f.ledger.Emit(ctx, ledger.EmitRequest{Topic: topic, Producer: producer, Kind: kind, Key: key, Payload: raw})
}

// note: somebody says something.
func (f *Fleet) note(ctx context.Context) error {
	_, err := f.emit(ctx, pick(f, logTopics()), pick(f, builders()), model.KindNote, "", map[string]any{
		"text": pick(f, logLines()),
	})
	return err
}

// metric: a probe measures.
func (f *Fleet) metric(ctx context.Context) error {
	f.load = max(0.1, f.load+(f.rng.Float64()-0.5)*0.6)
	_, err := f.emit(ctx, "host/load", pick(f, probes()), model.KindMetric, "", map[string]any{
		"name": "load1", "value": float64(int(f.load*100)) / 100,
	})
	return err
}

// burst: somebody says the same thing again and again.
func (f *Fleet) burst(ctx context.Context) error {
	raw, err := json.Marshal(map[string]any{"text": "waiting for the artifact store"})
	if err != nil {
		return err
	}
	all := make([]ledger.EmitRequest, 20+f.rng.IntN(180))
	for i := range all {
		all[i] = ledger.EmitRequest{Topic: "build/log", Producer: "chatty", Kind: model.KindNote, Payload: raw}
	}
	_, err = f.ledger.EmitBatch(ctx, all)
	return err
}

// maxOpen bounds the signals that wait at one time.
const maxOpen = 6

// alarm: a probe asks for somebody.
func (f *Fleet) alarm(ctx context.Context) error {
	if len(f.signals) >= maxOpen {
		return f.answer(ctx)
	}
	a := pick(f, alarms())
	e, err := f.emit(ctx, a.topic, pick(f, probes()), model.KindSignal, "", map[string]any{"summary": a.summary})
	if err != nil {
		return err
	}
	f.signals = append(f.signals, e.Key)
	return nil
}

// answer: somebody claims the oldest signal and clears it. What an operator did
// to it in the cockpit stays.
func (f *Fleet) answer(ctx context.Context) error {
	if len(f.signals) < 3 {
		return nil // the last ones wait for whoever watches
	}
	key := f.signals[0]
	f.signals = f.signals[1:]
	for _, action := range []string{ledger.SignalClaim, ledger.SignalClear} {
		_, err := f.ledger.Signal(ctx, ledger.SignalRequest{Action: action, Key: key, By: "fixer", Reason: "handled"})
		if model.CodeOf(err) == model.CodeRefused {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
