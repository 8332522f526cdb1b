// Package bench measures the ledger against its peers and limits, in the same run
// and on the same disk, so that every figure comes with what it can be compared to.
package bench

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// The scales of a run.
const (
	ScaleQuick = "quick" // some ten seconds
	ScaleFull  = "full"  // a million events
)

// Options say where and how much.
type Options struct {
	Dir   string // an empty folder on the disk that is to be measured
	Scale string // ScaleQuick or ScaleFull; "" is ScaleQuick
	Rows  int    // length of the long ledger; 0 is the scale's
	// Open opens a store of the parts in a file.
	Open func(ctx context.Context, path string, parts *store.Parts) (store.Store, error)
	// Progress is called before each part.
	Progress func(part string)
}

// Report is what was measured, with the workload and the machine.
type Report struct {
	Scale   string   `json:"scale"`
	Profile string   `json:"profile"`
	Machine string   `json:"machine"`
	Go      string   `json:"go"`
	Results []Result `json:"results"`
}

// Result is one figure.
type Result struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Peer  string  `json:"peer,omitempty"` // what it is compared with
	Other float64 `json:"peer_value,omitempty"`
	Ratio float64 `json:"ratio,omitempty"` // value to the peer's
	Goal  string  `json:"goal,omitempty"`  // in words
	Met   *bool   `json:"met,omitempty"`
}

// size is how much each part does.
type size struct{ appends, single, rows, pushes, work int }

func sizeOf(scale string) (size, error) {
	switch scale {
	case "", ScaleQuick:
		return size{appends: 40_000, single: 1_000, rows: 60_000, pushes: 1_000, work: 2_000}, nil
	case ScaleFull:
		return size{appends: 200_000, single: 4_000, rows: 1_000_000, pushes: 5_000, work: 20_000}, nil
	}
	return size{}, model.Errorf(model.CodeUsage, "%q is not a scale", clean.Line(scale)).WithHint("the scales are quick and full")
}

// Run runs everything. It writes only below o.Dir.
func Run(ctx context.Context, o Options) (Report, error) {
	size, err := sizeOf(o.Scale)
	if err != nil {
		return Report{}, err
	}
	if o.Rows > 0 {
		size.rows = o.Rows
	}
	rep := Report{
		Scale: o.Scale, Go: runtime.Version(),
		Machine: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)),
		Profile: fmt.Sprintf("notes of %d bytes, synchronous=FULL; %d appends by 64 writers; a ledger of %d events; %d events to 4 subscribers at 1,000 a second; %d work records by 16 workers",
			len(payload(0)), size.appends, size.rows, size.pushes, size.work),
	}
	if rep.Scale == "" {
		rep.Scale = ScaleQuick
	}
	b := &suite{dir: o.Dir, make: o.Open, size: size, rep: &rep}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"appends", b.appends},
		{"a long ledger", b.long},
		{"subscribers", b.subscribers},
		{"work", b.work},
	} {
		if o.Progress != nil {
			o.Progress(part.name)
		}
		if err := part.run(ctx); err != nil {
			return rep, model.Errorf(model.CodeOf(err), "benchmark of %s: %w", part.name, err)
		}
	}
	return rep, nil
}

type suite struct {
	dir  string
	make func(ctx context.Context, path string, parts *store.Parts) (store.Store, error)
	size size
	rep  *Report
}

// add files a figure. goal is the ratio wanted; atLeast says in which direction.
func (b *suite) add(r Result, goal float64, atLeast bool) {
	if r.Other != 0 {
		r.Ratio = r.Value / r.Other
	}
	if goal != 0 {
		met := r.Ratio >= goal
		r.Goal = fmt.Sprintf("ratio at least %g", goal)
		if !atLeast {
			met, r.Goal = r.Ratio <= goal, fmt.Sprintf("ratio at most %g", goal)
		}
		r.Met = &met
	}
	b.rep.Results = append(b.rep.Results, r)
}

// limit files a figure that is to stay under an absolute limit.
func (b *suite) limit(r Result, most float64) {
	met := r.Value <= most
	r.Goal, r.Met = fmt.Sprintf("at most %g %s", most, r.Unit), &met
	b.rep.Results = append(b.rep.Results, r)
}

func payload(i int) []byte {
	return fmt.Appendf(nil, `{"tags":["build"],"text":"compiled package %d of the project without a warning"}`, i)
}

func request(i int) ledger.EmitRequest {
	return ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Producer: "bench@host", Payload: payload(i)}
}

// open makes a ledger of its own.
func (b *suite) open(ctx context.Context, name string) (*ledger.Ledger, string, func() error, error) {
	path := filepath.Join(b.dir, name, "binnacle.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", nil, err
	}
	s, err := b.make(ctx, path, store.NewParts(ledger.Part()))
	if err != nil {
		return nil, "", nil, err
	}
	l := ledger.Open(s, ledger.Options{})
	return l, path, func() error {
		err := l.Close()
		if e := s.Close(); err == nil {
			err = e
		}
		return err
	}, nil
}

// parallel runs do for 0 to n-1 by the given number of goroutines.
func parallel(workers, n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make(chan error, workers)
	var wg guard.Group
	for range workers {
		wg.Go("bench worker", func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := do(int(i)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// appends: durable appends by 64 writers, against one transaction an event, and
// against the bare driver at 256 events a transaction.
func (b *suite) appends(ctx context.Context) error {
	single, err := b.raw(ctx, "single", 1, b.size.single)
	if err != nil {
		return err
	}
	ceiling, err := b.raw(ctx, "ceiling", 256, b.size.appends)
	if err != nil {
		return err
	}
	for _, names := range []int{1, 64} {
		rate, err := b.emits(ctx, names)
		if err != nil {
			return err
		}
		what := "appends, 64 writers"
		if names > 1 {
			what += " of 64 names"
		}
		b.add(Result{Name: what, Value: rate, Unit: "events/s", Peer: "one transaction per event", Other: single}, 15, true)
		b.add(Result{Name: what, Value: rate, Unit: "events/s", Peer: "bare driver, 256 a transaction", Other: ceiling}, 0.5, true)
	}
	return nil
}

// emits appends with 64 writers that share so many producers' names.
func (b *suite) emits(ctx context.Context, names int) (rate float64, err error) {
	l, _, shut, err := b.open(ctx, "appends-"+strconv.Itoa(names))
	if err != nil {
		return 0, err
	}
	all := make([]ledger.EmitRequest, b.size.appends)
	for i := range all {
		all[i] = request(i)
		if names > 1 {
			all[i].Producer = "bench-" + strconv.Itoa(i%names) + "@host"
		}
	}
	begin := time.Now()
	err = parallel(64, len(all), func(i int) error {
		_, err := l.Emit(ctx, all[i])
		return err
	})
	rate = float64(len(all)) / time.Since(begin).Seconds()
	if e := shut(); err == nil {
		err = e
	}
	return rate, err
}

// raw inserts into the same table with the driver alone: no chain, no counts.
func (b *suite) raw(ctx context.Context, name string, batch, n int) (rate float64, err error) {
	_, path, shut, err := b.open(ctx, name)
	if err != nil {
		return 0, err
	}
	if err := shut(); err != nil {
		return 0, err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	insert, err := db.PrepareContext(ctx, `INSERT INTO events (seq, ts, topic, producer, kind, key, state, causation, payload, prev, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return 0, err
	}
	defer insert.Close()
	begin := time.Now()
	for i := 0; i < n; {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return 0, err
		}
		stmt := tx.Stmt(insert)
		for k := 0; k < batch && i < n; k++ {
			i++
			if _, err := stmt.Exec(i, 1_800_000_000_000_000+i, "build/log", "bench@host", "note", nil, nil, nil,
				string(payload(i)), model.Genesis, model.Genesis); err != nil {
				tx.Rollback()
				return 0, err
			}
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(begin).Seconds(), nil
}
