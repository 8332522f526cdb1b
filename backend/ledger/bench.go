package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
)

// Bench measures the ledger against its peers and limits, in the same run and on
// the same disk, so that every figure comes with what it can be compared to.

// The scales of Bench.
const (
	ScaleQuick = "quick" // some ten seconds
	ScaleFull  = "full"  // a million events
)

// BenchOptions say where and how much.
type BenchOptions struct {
	Dir   string // an empty folder on the disk that is to be measured
	Scale string // ScaleQuick or ScaleFull; "" is ScaleQuick
	Rows  int    // length of the long ledger; 0 is the scale's
	// Open opens a store of the parts in a file.
	Open func(ctx context.Context, path string, parts *store.Parts) (store.Store, error)
	// Progress is called before each part.
	Progress func(part string)
}

// BenchReport is what was measured, with the workload and the machine.
type BenchReport struct {
	Scale   string        `json:"scale"`
	Profile string        `json:"profile"`
	Machine string        `json:"machine"`
	Go      string        `json:"go"`
	Results []BenchResult `json:"results"`
}

// BenchResult is one figure.
type BenchResult struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Peer  string  `json:"peer,omitempty"` // what it is compared with
	Other float64 `json:"peer_value,omitempty"`
	Ratio float64 `json:"ratio,omitempty"` // value to the peer's
	Goal  string  `json:"goal,omitempty"`  // in words
	Met   *bool   `json:"met,omitempty"`
}

// benchSize is how much each part does.
type benchSize struct{ appends, single, rows, pushes, work int }

func sizeOf(scale string) (benchSize, error) {
	switch scale {
	case "", ScaleQuick:
		return benchSize{appends: 40_000, single: 1_000, rows: 60_000, pushes: 1_000, work: 2_000}, nil
	case ScaleFull:
		return benchSize{appends: 200_000, single: 4_000, rows: 1_000_000, pushes: 5_000, work: 20_000}, nil
	}
	return benchSize{}, model.Errorf(model.CodeUsage, "%q is not a scale", model.Clean(scale)).WithHint("the scales are quick and full")
}

// Bench runs everything. It writes only below o.Dir.
func Bench(ctx context.Context, o BenchOptions) (BenchReport, error) {
	size, err := sizeOf(o.Scale)
	if err != nil {
		return BenchReport{}, err
	}
	if o.Rows > 0 {
		size.rows = o.Rows
	}
	rep := BenchReport{
		Scale: o.Scale, Go: runtime.Version(),
		Machine: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)),
		Profile: fmt.Sprintf("notes of %d bytes, synchronous=FULL; %d appends by 64 writers; a ledger of %d events; %d events to 4 subscribers at 1,000 a second; %d work records by 16 workers",
			len(benchPayload(0)), size.appends, size.rows, size.pushes, size.work),
	}
	if rep.Scale == "" {
		rep.Scale = ScaleQuick
	}
	b := &bench{dir: o.Dir, make: o.Open, size: size, rep: &rep}
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

type bench struct {
	dir  string
	make func(ctx context.Context, path string, parts *store.Parts) (store.Store, error)
	size benchSize
	rep  *BenchReport
}

// add files a figure. goal is the ratio wanted; atLeast says in which direction.
func (b *bench) add(r BenchResult, goal float64, atLeast bool) {
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
func (b *bench) limit(r BenchResult, most float64) {
	met := r.Value <= most
	r.Goal, r.Met = fmt.Sprintf("at most %g %s", most, r.Unit), &met
	b.rep.Results = append(b.rep.Results, r)
}

func benchPayload(i int) []byte {
	return fmt.Appendf(nil, `{"tags":["build"],"text":"compiled package %d of the project without a warning"}`, i)
}

func benchRequest(i int) EmitRequest {
	return EmitRequest{Topic: "build/log", Kind: model.KindNote, Producer: "bench@host", Payload: benchPayload(i)}
}

// open makes a ledger of its own.
func (b *bench) open(ctx context.Context, name string) (*Ledger, string, func() error, error) {
	path := filepath.Join(b.dir, name+".db")
	s, err := b.make(ctx, path, store.NewParts(Part()))
	if err != nil {
		return nil, "", nil, err
	}
	l := Open(s, Options{})
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
func (b *bench) appends(ctx context.Context) error {
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
		b.add(BenchResult{Name: what, Value: rate, Unit: "events/s", Peer: "one transaction per event", Other: single}, 15, true)
		b.add(BenchResult{Name: what, Value: rate, Unit: "events/s", Peer: "bare driver, 256 a transaction", Other: ceiling}, 0.5, true)
	}
	return nil
}

// emits appends with 64 writers that share so many producers' names.
func (b *bench) emits(ctx context.Context, names int) (rate float64, err error) {
	l, _, shut, err := b.open(ctx, "appends-"+strconv.Itoa(names))
	if err != nil {
		return 0, err
	}
	all := make([]EmitRequest, b.size.appends)
	for i := range all {
		all[i] = benchRequest(i)
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
func (b *bench) raw(ctx context.Context, name string, batch, n int) (rate float64, err error) {
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
				string(benchPayload(i)), model.Genesis, model.Genesis); err != nil {
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

// fill appends n notes as fast as it goes.
func fill(ctx context.Context, l *Ledger, n int) error {
	for i := 0; i < n; {
		batch := make([]EmitRequest, min(4000, n-i))
		for k := range batch {
			batch[k] = benchRequest(i + k)
			if k%50 == 0 {
				batch[k].Topic = "build/step-" + strconv.Itoa(k)
			}
		}
		if _, err := l.EmitBatch(ctx, batch); err != nil {
			return err
		}
		i += len(batch)
	}
	return nil
}

// long: what a long ledger costs to verify, to look at and to search.
func (b *bench) long(ctx context.Context) error {
	small, _, shutSmall, err := b.open(ctx, "small")
	if err != nil {
		return err
	}
	defer shutSmall()
	if err := fill(ctx, small, 10); err != nil {
		return err
	}
	l, path, shut, err := b.open(ctx, "long")
	if err != nil {
		return err
	}
	defer shut()
	if err := fill(ctx, l, b.size.rows); err != nil {
		return err
	}
	// Twice each, in turns: the first round also brings the file into the page cache.
	var scan, verify float64
	for range 2 {
		s, err := bareScan(ctx, path)
		if err != nil {
			return err
		}
		v, err := l.Verify(ctx, VerifyOptions{})
		if err != nil || !v.OK {
			return model.Errorf(model.CodeCorrupt, "the ledger does not verify: %w", err)
		}
		scan = max(scan, float64(b.size.rows)/s.Seconds())
		verify = max(verify, float64(v.Events)/v.Elapsed.Seconds())
	}
	b.add(BenchResult{Name: "verify", Value: verify, Unit: "events/s", Peer: "bare scan of the same rows", Other: scan}, 0.6, true)

	few, many, err := statusTimes(ctx, small, l)
	if err != nil {
		return err
	}
	b.add(BenchResult{Name: fmt.Sprintf("status at %d events", b.size.rows), Value: many, Unit: "µs", Peer: "status at 10 events", Other: few}, 1.2, false)
	return b.pages(ctx, l)
}

// statusTimes are the medians of status on both, in µs, taken in turns so that
// what else the machine does meets both alike.
func statusTimes(ctx context.Context, a, b *Ledger) (few, many float64, err error) {
	const rounds = 500
	times := [2][]float64{}
	for range rounds {
		for i, l := range []*Ledger{a, b} {
			begin := time.Now()
			if _, err := l.Status(ctx); err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], float64(time.Since(begin).Nanoseconds())/1e3)
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times[0][rounds/2], times[1][rounds/2], nil
}

func (b *bench) pages(ctx context.Context, l *Ledger) error {
	end := int64(b.size.rows) + 1
	for _, c := range []struct{ name, filter string }{
		{"newest page of 500", ""},
		{"newest page of 500, one topic", "topic:build/step-50"},
		{"newest page of 500, by producer and words", "producer:bench* compiled"},
		{"a word that is nowhere, one step", "nowhere"},
	} {
		f, err := model.ParseFilter(c.filter, l.clock.Now())
		if err != nil {
			return err
		}
		d, err := median(7, func() error {
			_, err := l.Page(ctx, desk.PageRequest{Filter: f, Before: end, Limit: 500})
			return err
		})
		if err != nil {
			return err
		}
		b.add(BenchResult{Name: c.name, Value: float64(d.Microseconds()) / 1e3, Unit: "ms"}, 0, true)
	}
	return nil
}

// bareScan reads every column of every row, and does nothing with it.
func bareScan(ctx context.Context, path string) (time.Duration, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	begin := time.Now()
	rows, err := db.QueryContext(ctx, `SELECT seq, ts, topic, producer, kind, key, state, causation, CAST(payload AS BLOB), prev, hash
		FROM events ORDER BY seq`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	cells := make([]sql.RawBytes, 11)
	dest := make([]any, len(cells))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), rows.Err()
}

// median is the middle duration of n calls.
func median(n int, do func() error) (time.Duration, error) {
	all := make([]time.Duration, n)
	for i := range all {
		begin := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		all[i] = time.Since(begin)
	}
	slices.Sort(all)
	return all[n/2], nil
}

// subscribers: the time from a commit's acknowledgement until each of four
// subscribers has the event, at 1,000 events a second.
func (b *bench) subscribers(ctx context.Context) error {
	l, _, shut, err := b.open(ctx, "subscribers")
	if err != nil {
		return err
	}
	defer shut()
	const readers = 4
	n := b.size.pushes
	committed := make([]atomic.Int64, n+1) // by seq: when Emit returned
	seen := make([][]int64, readers)       // by seq: when it came
	begin := time.Now()
	var wg guard.Group
	errs := make(chan error, readers)
	for r := range readers {
		s, err := l.Subscribe(ctx, SubscribeOptions{})
		if err != nil {
			return err
		}
		defer s.Close()
		seen[r] = make([]int64, n+1)
		wg.Go("bench reader", func() {
			for last := int64(0); last < int64(n); {
				items, err := s.Next(ctx)
				if err != nil {
					errs <- err
					return
				}
				now := time.Since(begin).Nanoseconds()
				for _, it := range items {
					if it.Gap == nil {
						last = it.Event.Seq
						seen[r][last] = now
					}
				}
			}
		})
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		e, err := l.Emit(ctx, benchRequest(i))
		if err != nil {
			return err
		}
		committed[e.Seq].Store(time.Since(begin).Nanoseconds())
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
	}
	var lags []int64
	for r := range readers {
		for seq := 1; seq <= n; seq++ {
			lags = append(lags, max(0, seen[r][seq]-committed[seq].Load()))
		}
	}
	slices.Sort(lags)
	b.limit(BenchResult{Name: "commit to subscriber, p50", Value: float64(lags[len(lags)/2]) / 1e6, Unit: "ms"}, 1)
	b.limit(BenchResult{Name: "commit to subscriber, p99", Value: float64(lags[len(lags)*99/100]) / 1e6, Unit: "ms"}, 5)
	return nil
}

// work: claim and complete by 16 workers.
func (b *bench) work(ctx context.Context) error {
	l, _, shut, err := b.open(ctx, "work")
	if err != nil {
		return err
	}
	defer shut()
	begin := time.Now()
	err = parallel(16, b.size.work, func(i int) error {
		c, err := l.ClaimWork(ctx, ClaimRequest{Key: "job-" + strconv.Itoa(i), Executor: "bench"})
		if err != nil {
			return err
		}
		_, err = l.CompleteWork(ctx, WorkRequest{Key: c.Key, Executor: "bench", Token: c.Token, Evidence: []byte(`{"ok":true}`)})
		return err
	})
	b.add(BenchResult{Name: "work claimed and completed, 16 workers", Value: float64(b.size.work) / time.Since(begin).Seconds(), Unit: "records/s"}, 0, true)
	return err
}
