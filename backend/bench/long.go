package bench

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/query"
	"binnacle/backend/ledger/verify"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
)

// fill appends n notes as fast as it goes.
func fill(ctx context.Context, l *ledger.Ledger, n int) error {
	for i := 0; i < n; {
		batch := make([]ledger.EmitRequest, min(4000, n-i))
		for k := range batch {
			batch[k] = request(i + k)
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
func (b *suite) long(ctx context.Context) error {
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
	var scan, walked float64
	for range 2 {
		s, err := bareScan(ctx, path)
		if err != nil {
			return err
		}
		v, err := verify.Run(ctx, l.Store(), verify.Options{})
		if err != nil || !v.OK {
			return model.Errorf(model.CodeCorrupt, "the ledger does not verify: %w", err)
		}
		scan = max(scan, float64(b.size.rows)/s.Seconds())
		walked = max(walked, float64(v.Events)/v.Elapsed.Seconds())
	}
	b.add(Result{Name: "verify", Value: walked, Unit: "events/s", Peer: "bare scan of the same rows", Other: scan}, 0.6, true)

	few, many, err := statusTimes(ctx, small, l)
	if err != nil {
		return err
	}
	b.add(Result{Name: fmt.Sprintf("status at %d events", b.size.rows), Value: many, Unit: "µs", Peer: "status at 10 events", Other: few}, 1.2, false)
	return b.pages(ctx, l)
}

// statusTimes are the medians of status on both, in µs, taken in turns so that
// what else the machine does meets both alike.
func statusTimes(ctx context.Context, a, b *ledger.Ledger) (few, many float64, err error) {
	const rounds = 500
	times := [2][]float64{}
	for range rounds {
		for i, l := range []*ledger.Ledger{a, b} {
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

func (b *suite) pages(ctx context.Context, l *ledger.Ledger) error {
	end := int64(b.size.rows) + 1
	for _, c := range []struct{ name, filter string }{
		{"newest page of 500", ""},
		{"newest page of 500, one topic", "topic:build/step-50"},
		{"newest page of 500, by producer and words", "producer:bench* compiled"},
		{"a word that is nowhere, one step", "nowhere"},
	} {
		f, err := filter.Parse(c.filter, model.TimeOf(time.Now()))
		if err != nil {
			return err
		}
		d, err := median(7, func() error {
			_, err := query.Page(ctx, l.Store(), desk.PageRequest{Filter: f, Before: end, Limit: 500})
			return err
		})
		if err != nil {
			return err
		}
		b.add(Result{Name: c.name, Value: float64(d.Microseconds()) / 1e3, Unit: "ms"}, 0, true)
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
