package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/directive"
)

// profile is the event that every append benchmark writes.
func profile(i int) model.Draft {
	d := model.Draft{
		Topic: "build/log", Producer: "bench@host", Kind: model.KindNote,
		Payload: fmt.Appendf(nil, `{"tags":["build"],"text":"compiled package %d of the project without a warning"}`, i),
	}
	if err := d.Check(); err != nil {
		panic(err)
	}
	return d
}

// BenchmarkAppends measures durable appends by 64 writers, and in the same run
// one transaction an event (how Changi writes) and the raw driver's ceiling: a
// bare loop of prepared single-row inserts into the same table, 256 a
// transaction, without chain, counts or records.
func BenchmarkAppends(b *testing.B) {
	for range b.N {
		single := rawRate(b, 1, 2000)
		ceiling := rawRate(b, 256, 60000)
		ours := appendRate(b, 64, 60000)
		b.ReportMetric(ours, "events/s")
		b.ReportMetric(single, "single/s")
		b.ReportMetric(ceiling, "ceiling/s")
		b.ReportMetric(ours/single, "x-single")
		b.ReportMetric(ours/ceiling, "of-ceiling")
	}
}

func appendRate(b *testing.B, writers, events int) float64 {
	s := open(b, filepath.Join(b.TempDir(), workspace.Database), nil)
	ctx := context.Background()
	drafts := make([]model.Draft, events)
	for i := range drafts {
		drafts[i] = profile(i)
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	start := time.Now()
	for range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= events {
					return
				}
				if _, err := s.Append(ctx, drafts[i:i+1]); err != nil {
					b.Error(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	return float64(events) / time.Since(start).Seconds()
}

// rawRate inserts events into our schema with the driver alone.
func rawRate(b *testing.B, batch, events int) float64 {
	path := filepath.Join(b.TempDir(), workspace.Database)
	if err := open(b, path, nil).Close(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	insert, err := db.Prepare(`INSERT INTO events (seq, ts, topic, producer, kind, key, state, causation, payload, prev, hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	drafts := make([]model.Draft, events)
	for i := range drafts {
		drafts[i] = profile(i)
	}
	start := time.Now()
	for i := 0; i < events; {
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		stmt := tx.Stmt(insert)
		for n := 0; n < batch && i < events; n++ {
			d := drafts[i]
			i++
			_, err := stmt.Exec(i, 1_800_000_000_000_000+i, d.Topic, d.Producer, string(d.Kind), nil, nil, nil,
				string(d.Payload), model.Genesis, model.Genesis)
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(events) / time.Since(start).Seconds()
}

// BenchmarkClaims measures the store's part of a queue: 16 workers that take
// the first pending directive (one query and one event) and finish it (one
// record and one event), each step a durable write.
func BenchmarkClaims(b *testing.B) {
	for range b.N {
		b.ReportMetric(claimRate(b, 16, 20000), "pairs/s")
	}
}

func claimRate(b *testing.B, workers, n int) float64 {
	s := open(b, filepath.Join(b.TempDir(), workspace.Database), nil)
	ctx := context.Background()
	drafts := make([]model.Draft, n)
	for i := range drafts {
		drafts[i] = step("", directive.StatusPending, `{"action":"push","body":"do something useful"}`)
	}
	if _, err := s.Append(ctx, drafts); err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	var done atomic.Int64
	start := time.Now()
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				id, err := claimOne(ctx, s)
				if err != nil {
					b.Error(err)
				}
				if id == 0 || err != nil {
					return
				}
				if err := finishOne(ctx, s, id); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		}()
	}
	wg.Wait()
	if done.Load() != int64(n) {
		b.Errorf("%d of %d done", done.Load(), n)
	}
	return float64(n) / time.Since(start).Seconds()
}

func step(key, state, payload string) model.Draft {
	d := model.Draft{
		Topic: "queue/default", Producer: "bench@host", Kind: model.KindDirective, Key: key, State: state,
		Payload: []byte(payload),
	}
	if err := d.Check(); err != nil {
		panic(err)
	}
	return d
}

func claimOne(ctx context.Context, s store.Store) (id int64, err error) {
	err = s.Write(ctx, func(tx store.Tx) error {
		id = 0
		row := tx.QueryRow(`SELECT id FROM directives WHERE status = 'pending' AND lane = $1 ORDER BY priority, id LIMIT 1`, "default")
		if err := row.Scan(&id); err != nil {
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			return err
		}
		_, err := tx.Append(step(fmt.Sprint(id), directive.StatusTaken,
			`{"action":"take","by":"w","token_hash":"00112233445566778899aabbccddeeff","lease_until":"2030-01-01T00:00:00Z"}`))
		return err
	})
	return id, err
}

func finishOne(ctx context.Context, s store.Store, id int64) error {
	return s.Write(ctx, func(tx store.Tx) error {
		if _, err := queue.Directives.Get(tx, fmt.Sprint(id)); err != nil {
			return err
		}
		_, err := tx.Append(step(fmt.Sprint(id), directive.StatusDone, `{"action":"done","by":"w"}`))
		return err
	})
}
