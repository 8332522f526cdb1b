package peers

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mikestefanello/backlite"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"maragu.dev/goqite"
	_ "modernc.org/sqlite"

	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
)

const workers = 16

// open opens a database with the pragmas that all of them get.
func open(b *testing.B, conns int) *sql.DB {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "q.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(30000)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(conns)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

func body(i int) string { return fmt.Sprintf("directive %d: do what it says", i) }

func report(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

// each runs n times one pair on the workers.
func each(b *testing.B, n int, pair func(worker int) error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := pair(w); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkBinnacle(b *testing.B) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Parts: parts.All(), Path: filepath.Join(b.TempDir(), "binnacle.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		b.Fatal(err)
	}
	all := make([]queue.Push, b.N)
	for i := range all {
		all[i] = queue.Push{Body: body(i)}
	}
	if _, err := q.PushMany(ctx, all); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	each(b, b.N, func(w int) error {
		c, err := q.Next(ctx, queue.Next{Consumer: fmt.Sprint("worker-", w)})
		if err != nil {
			return err
		}
		_, err = q.Done(ctx, queue.Act{ID: c.Directive.ID, Token: c.Token})
		return err
	})
	report(b)
}

func BenchmarkGoqite(b *testing.B) {
	ctx := context.Background()
	db := open(b, 1)
	schema, err := goqiteSchema()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec(schema); err != nil {
		b.Fatal(err)
	}
	q := goqite.New(goqite.NewOpts{DB: db, Name: "work", Timeout: time.Minute})
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if err := q.SendTx(ctx, tx, goqite.Message{Body: []byte(body(i))}); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	each(b, b.N, func(int) error {
		m, err := q.Receive(ctx)
		if err != nil {
			return err
		}
		if m == nil {
			return fmt.Errorf("nothing there")
		}
		return q.Delete(ctx, m.ID)
	})
	report(b)
}

type task struct{ Text string }

func (task) Config() backlite.QueueConfig {
	return backlite.QueueConfig{Name: "work", MaxAttempts: 3, Timeout: time.Minute, Backoff: time.Second}
}

func BenchmarkBacklite(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db := open(b, 4)
	c, err := backlite.NewClient(backlite.ClientConfig{DB: db, Logger: silent{}, NumWorkers: workers, ReleaseAfter: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Install(); err != nil {
		b.Fatal(err)
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan struct{})
	c.Register(backlite.NewQueue[task](func(context.Context, task) error {
		if left.Add(-1) == 0 {
			close(done)
		}
		return nil
	}))
	tasks := make([]backlite.Task, b.N)
	for i := range tasks {
		tasks[i] = task{body(i)}
	}
	if _, err := c.Add(tasks...).Save(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	c.Start(ctx)
	wait(b, done)
	report(b)
	b.StopTimer()
	c.Stop(ctx)
}

type job struct {
	Text string `json:"text"`
}

func (job) Kind() string { return "work" }

type worker struct {
	river.WorkerDefaults[job]
	left *atomic.Int64
	done chan struct{}
}

func (w *worker) Work(context.Context, *river.Job[job]) error {
	if w.left.Add(-1) == 0 {
		close(w.done)
	}
	return nil
}

func BenchmarkRiver(b *testing.B) {
	ctx := context.Background()
	db := open(b, 1)
	driver := riversqlite.New(db)
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		b.Fatal(err)
	}
	w := &worker{left: &atomic.Int64{}, done: make(chan struct{})}
	w.left.Store(int64(b.N))
	all := river.NewWorkers()
	river.AddWorker(all, w)
	c, err := river.NewClient(driver, &river.Config{
		Logger: quiet(), Workers: all, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		FetchCooldown: time.Millisecond, FetchPollInterval: time.Millisecond,
	})
	if err != nil {
		b.Fatal(err)
	}
	for at := 0; at < b.N; at += 1_000 {
		var batch []river.InsertManyParams
		for i := at; i < min(b.N, at+1_000); i++ {
			batch = append(batch, river.InsertManyParams{Args: job{body(i)}})
		}
		if _, err := c.InsertMany(ctx, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	if err := c.Start(ctx); err != nil {
		b.Fatal(err)
	}
	wait(b, w.done)
	report(b)
	b.StopTimer()
	if err := c.Stop(ctx); err != nil {
		b.Fatal(err)
	}
}

func wait(b *testing.B, done <-chan struct{}) {
	b.Helper()
	select {
	case <-done:
	case <-time.After(5 * time.Minute):
		b.Fatal("not finished after five minutes")
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

type silent struct{}

func (silent) Info(string, ...any)  {}
func (silent) Error(string, ...any) {}
