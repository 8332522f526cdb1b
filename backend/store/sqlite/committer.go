package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// Bounds of one transaction. What is waiting when they are reached goes into
// the next one.
const (
	maxBatch     = 1024                  // writes
	maxBatchSize = 4 << 20               // payload bytes
	maxBatchTime = 20 * time.Millisecond // after which no more writes are taken in
)

// maxConflicts bounds how often a transaction is run again after a conflict.
const maxConflicts = 5

// request is one write on its way through the committer.
type request struct {
	fn     func(tx store.Tx) error
	drafts []model.Draft       // instead of fn
	alone  func(c *conn) error // instead of both: between two transactions
	events []model.Event       // what drafts became
	err    error               // fn's refusal
	state  atomic.Int32
	done   chan error
}

// States of a request. Whoever moves it out of queued owns it: the caller may
// withdraw it, the committer may take it.
const (
	queued int32 = iota
	taken
	withdrawn
)

// committer is the one goroutine that writes. It owns the write connection.
type committer struct {
	conn   *conn
	txn    *txn
	schema int64         // SQLite's count of the schema's changes, when it was last looked at
	wait   time.Duration // how long to wait for another process's lock
	stands func() error  // CodeGone when the file is not where it was opened
	after  func(t *txn)
	tick   func(d time.Duration) // waits; a test may count

	mu      sync.Mutex
	queue   []*request
	apart   []*request // to be run alone
	closing bool
	wake    chan struct{} // holds one
	gone    chan struct{} // closed when the goroutine has ended

	waiting   atomic.Int64
	lastError atomic.Pointer[string]
	last      model.Head // as this process committed it
	foreign   bool       // another process committed since
	batch     []*request // of the transaction, scratch
	lastBatch int        // how many writes the last transaction had
}

func newCommitter(c *conn, clock model.Clock, wait time.Duration, stands func() error, after func(*txn)) *committer {
	k := &committer{
		conn: c, txn: newTxn(c, clock), wait: wait, stands: stands, after: after, tick: time.Sleep,
		wake: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	guard.Go("committer", k.run)
	return k
}

// submit queues a write and waits for its fate.
func (k *committer) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return sqlitefile.Explain("write", err)
	}
	r.done = make(chan error, 1)
	k.mu.Lock()
	if k.closing {
		k.mu.Unlock()
		return store.Closed()
	}
	if r.alone != nil {
		k.apart = append(k.apart, r)
	} else {
		k.queue = append(k.queue, r)
	}
	k.waiting.Add(1)
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.state.CompareAndSwap(queued, withdrawn) {
			k.waiting.Add(-1)
			return sqlitefile.Explain("write", ctx.Err())
		}
		return <-r.done
	}
}

// stop waits until everything queued is committed and ends the goroutine.
func (k *committer) stop() {
	k.mu.Lock()
	k.closing = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
	<-k.gone
}

func (k *committer) run() {
	ended := false
	defer func() {
		if !ended {
			// A write's function ended this goroutine (runtime.Goexit, as a test's
			// FailNow does): its transaction is lost, the others go on.
			k.abandon(model.Errorf(model.CodeInternal, "a write ended the committer's goroutine"))
			guard.Go("committer", k.run)
			return
		}
		close(k.gone)
	}()
	for {
		k.mu.Lock()
		n, closing := len(k.queue), k.closing
		apart := k.apart
		k.apart = nil
		k.mu.Unlock()
		switch {
		case len(apart) > 0:
			k.runApart(apart)
		case n > 0:
			k.transaction()
		case closing:
			ended = true
			return
		default:
			<-k.wake
		}
	}
}

// transaction commits what is waiting.
func (k *committer) transaction() {
	if err := k.begin(); err != nil {
		err = sqlitefile.Explain("write", err)
		if k.take(maxBatch, func(r *request) { k.batch = append(k.batch, r) }) > 0 {
			k.noteError(err)
		}
		k.reply(err)
		return
	}
	var err error
	for tries := 0; ; tries++ {
		if err = k.fill(tries > 0); err == nil {
			err = k.commit()
		}
		if err == nil {
			break
		}
		_ = k.conn.exec(stmtRollback)
		if !sqlitefile.IsBusy(err) || tries >= maxConflicts {
			break
		}
		k.tick(backOff(tries))
		if e := k.begin(); e != nil {
			err = e
			break
		}
	}
	err = sqlitefile.Explain("write to the database", err)
	k.noteError(err)
	k.lastBatch = len(k.batch)
	k.reply(err)
	if k.foreign && err == nil {
		// Others write, too: leave them a gap in which to get the lock.
		k.tick(rand.N(time.Millisecond))
	}
}

// begin opens the transaction. It waits for another process's lock with
// growing, jittered pauses, as long as somebody is waiting for the result.
func (k *committer) begin() error {
	k.conn.trim()
	if err := k.stands(); err != nil {
		return err
	}
	if err := k.lock(k.nobodyWaits); err != nil {
		return err
	}
	h, err := k.look()
	if err == nil {
		err = k.whole(h)
	}
	if err != nil {
		_ = k.conn.exec(stmtRollback)
		return err
	}
	k.foreign = h.Seq != k.last.Seq && k.last.Seq != 0
	k.last = h
	k.txn.reset(h)
	return nil
}

// lock runs BEGIN IMMEDIATE until it has the lock, its time is out, or pointless
// says so.
func (k *committer) lock(pointless func() bool) error {
	deadline := time.Now().Add(k.wait)
	for tries := 0; ; tries++ {
		err := k.conn.exec(stmtBegin)
		if err == nil || !sqlitefile.IsBusy(err) || !time.Now().Before(deadline) || pointless() {
			return err
		}
		k.tick(backOff(tries))
	}
}

// beginTransaction opens a transaction for a function that runs alone.
func (k *committer) beginTransaction() error {
	return k.lock(func() bool { return false })
}

// look reads what other processes may have changed: the head, and the schema,
// which a newer program may have migrated under us. SQLite counts the changes of
// the schema: only after one are the tables' forms looked at.
func (k *committer) look() (model.Head, error) {
	v, err := pragmaInt(k.conn, stmtUserVersion)
	if err != nil {
		return model.Head{}, err
	}
	if v != Version {
		return model.Head{}, otherSchema(v)
	}
	changes, err := pragmaInt(k.conn, stmtSchemaChanges)
	if err == nil && changes != k.schema {
		_, err = k.conn.stale()
		k.schema = changes
	}
	if err != nil {
		k.schema = 0
		return model.Head{}, err
	}
	return readHead(context.Background(), k.conn)
}

// whole refuses to chain on past a hole: the head must be the newest event. It
// costs one step into the table's end.
func (k *committer) whole(h model.Head) error {
	var newest model.Head
	err := k.conn.query(context.Background(), stmtNewest, func(v []driver.Value) bool {
		newest = store.HeadOf(v)
		return false
	})
	if err != nil || newest.Seq == h.Seq && newest.Hash == h.Hash {
		return err
	}
	return model.Errorf(model.CodeCorrupt, "the ledger's newest event is %d, but its head says %d: events were deleted or changed behind it",
		newest.Seq, h.Seq).WithHint("nothing was written; binnacle ledger verify says what is wrong")
}

// backOff is how long to pause before the next try: up to 25 ms, jittered so
// that processes that collided once don't collide again.
func backOff(tries int) time.Duration {
	most := 200 * time.Microsecond << min(tries, 7)
	return most/4 + rand.N(most)
}

func (k *committer) nobodyWaits() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	keep := k.queue[:0]
	for _, r := range k.queue {
		if r.state.Load() == queued {
			keep = append(keep, r)
		}
	}
	clear(k.queue[len(keep):])
	k.queue = keep
	return len(keep) == 0
}

// take moves up to most requests out of the queue, skipping withdrawn ones.
func (k *committer) take(most int, each func(*request)) int {
	k.mu.Lock()
	n := min(most, len(k.queue))
	batch := append([]*request(nil), k.queue[:n]...)
	k.queue = append(k.queue[:0], k.queue[n:]...)
	k.mu.Unlock()
	got := 0
	for _, r := range batch {
		if r.state.CompareAndSwap(queued, taken) {
			k.waiting.Add(-1)
			each(r)
			got++
		}
	}
	return got
}

// fill runs the writes of the transaction: those taken before, when it is run
// again after a conflict, then what is waiting, and what arrives meanwhile.
func (k *committer) fill(again bool) error {
	if again {
		for _, r := range k.batch {
			if err := k.perform(r); err != nil {
				return err
			}
		}
	}
	started := time.Now()
	var broken error
	for yielded := false; broken == nil; {
		n := k.take(min(maxBatch-len(k.batch), 64), func(r *request) {
			k.batch = append(k.batch, r)
			if broken == nil {
				broken = k.perform(r)
			}
		})
		if len(k.batch) >= maxBatch || k.txn.bytes >= maxBatchSize || time.Since(started) > maxBatchTime {
			break
		}
		if n > 0 {
			continue
		}
		if yielded || len(k.batch) >= k.lastBatch {
			break
		}
		// The writers that the last commit woke are about to write again.
		yielded = true
		runtime.Gosched()
	}
	return broken
}

// perform runs one write. Its refusal is the request's; an error that ends the
// transaction is returned.
func (k *committer) perform(r *request) error {
	t := k.txn
	t.begin()
	r.err = call(t, r)
	t.end(r.err != nil)
	return t.broken
}

// call runs the write's function, turning a panic into an error.
func call(t *txn, r *request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = model.Errorf(model.CodeInternal, "a write panicked: %v\n%s", p, debug.Stack())
		}
	}()
	if r.fn != nil {
		return settle(r.fn(tx{t}))
	}
	r.events = make([]model.Event, 0, len(r.drafts))
	for i, d := range r.drafts {
		e, err := t.append(d)
		if err != nil {
			if len(r.drafts) > 1 {
				return fmt.Errorf("event %d of %d: %w", i+1, len(r.drafts), err)
			}
			return err
		}
		r.events = append(r.events, e)
	}
	return nil
}

// settle explains what a write's function says that SQLite said to it.
func settle(err error) error {
	var fault *store.Fault
	if errors.As(err, &fault) {
		return sqlitefile.Explain(fault.Doing, err)
	}
	return err
}

// commit makes the transaction durable, or ends it when nothing was written.
func (k *committer) commit() error {
	t := k.txn
	if err := t.finish(); err != nil {
		return t.broken
	}
	if !t.wrote {
		t.intact = true
		return k.conn.exec(stmtRollback)
	}
	// A file that was taken away takes commits as before. It is looked at right
	// before, so that nothing goes in, and right after, so that nothing that may
	// have gone into a file without a name is acknowledged.
	if err := k.stands(); err != nil {
		return err
	}
	if err := k.conn.exec(stmtCommit); err != nil {
		return err
	}
	if err := k.stands(); err != nil {
		return err
	}
	k.last, t.intact = t.head, true
	k.after(t)
	return nil
}

// reply tells every write of the transaction its fate.
func (k *committer) reply(err error) {
	for i, r := range k.batch {
		res := err
		if res == nil {
			res = r.err
		}
		k.batch[i] = nil
		r.done <- res
	}
	k.batch = k.batch[:0]
}

// abandon rolls back and refuses everything that was in the transaction.
func (k *committer) abandon(err error) {
	_ = k.conn.exec(stmtRollback)
	k.noteError(err)
	k.reply(err)
}

func (k *committer) noteError(err error) {
	if err == nil {
		k.lastError.Store(nil)
		return
	}
	s := err.Error()
	k.lastError.Store(&s)
}

func (k *committer) runApart(all []*request) {
	for _, r := range all {
		if r.state.CompareAndSwap(queued, taken) {
			k.waiting.Add(-1)
			r.done <- k.byItself(r)
		}
	}
}

// byItself runs a request that is no transaction of ours, on a file that
// stands before and after.
func (k *committer) byItself(r *request) error {
	if err := k.stands(); err != nil {
		return err
	}
	if err := r.alone(k.conn); err != nil {
		return err
	}
	return k.stands()
}

// alone runs fn on the write connection outside of any transaction, between
// two of them.
func (k *committer) alone(ctx context.Context, fn func(c *conn) error) error {
	return k.submit(ctx, &request{alone: fn})
}
