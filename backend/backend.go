// Package backend opens a workspace and runs its engines as goroutines: the
// ledger, the queue and what only one process at a time may do. It is what the
// cockpit, --plain and the subcommands hold on to.
//
// What it promises: a snapshot is one instant; a notice of change reaches the
// reader however the change was made, by this process or another; what only one
// process may do is done by whoever holds the lock, and is given up the moment
// the lock is lost; a panic in any goroutine ends the program through the
// handler it was opened with, after the terminal is restored.
package backend

import (
	"context"
	"io"
	"path/filepath"
	"sync"

	"binnacle/backend/clock"
	"binnacle/backend/coord"
	"binnacle/backend/coord/feed"
	"binnacle/backend/guard"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/archive"
	"binnacle/backend/notice"
	"binnacle/backend/queue"
	"binnacle/backend/queue/receipt"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/redact"
)

// Options say how a workspace is opened.
type Options struct {
	Dir      string // the workspace's folder
	Existing bool   // refuse to make it
	ReadOnly bool
	Mend     bool        // take a ledger that lost its epoch, too: to check, rebuild or restore it
	Clock    model.Clock // nil: the machine's
	Config   Config
	Producer string    // the default name of who writes; "" leaves it to the ledger
	Log      io.Writer // what takes long or is not as it should be; nil: nowhere
}

// Backend is an open workspace, and a desk.Desk that acts as Options.Producer.
type Backend struct {
	Store  store.Store
	Ledger *ledger.Ledger
	Queue  *queue.Queue
	Coord  *coord.Coord
	Feed   *feed.Feed

	opt   Options
	clock model.Clock
	wait  guard.Group
	root  context.Context // ends with Close
	stop  context.CancelFunc
	nudge wake.Bells // for changes that no commit announces
	jumps wake.Bells // wakes what waits for the wall clock when that was set or the machine slept
	fleet fleetPart
	alarm alarmBook
	aged  *archive.State

	listen  sync.Once
	notices *notice.Watcher // of the duties' lock; nil where the system gives none

	mu       sync.Mutex
	redactor *redact.Redactor
	check    desk.Verified
	duty     desk.Duties
	closed   bool
}

var _ desk.Desk = (*Backend)(nil)

// Open opens the workspace's database and the engines on it. Nothing runs yet
// but the committer: a subcommand needs no more.
func Open(ctx context.Context, o Options) (*Backend, error) {
	if o.Clock == nil {
		o.Clock = clock.Machine()
	}
	redactor, err := o.Config.redactor()
	if err != nil {
		return nil, err
	}
	s, err := OpenStore(ctx, StoreOptions{Dir: o.Dir, Existing: o.Existing, ReadOnly: o.ReadOnly, Mend: o.Mend, Clock: o.Clock, Log: o.Log})
	if err != nil {
		return nil, err
	}
	b := &Backend{redactor: redactor, Store: s, opt: o, clock: o.Clock}
	b.aged = archive.NewState(o.Config.Ledger.Keep())
	b.root, b.stop = context.WithCancel(context.Background())
	lo := ledger.Options{Clock: o.Clock, Producer: o.Producer}
	qo := queue.Options{
		Clock: o.Clock, Producer: o.Producer, Lease: span(o.Config.Queue.Lease, queue.DefaultLease),
		MaxAttempts: o.Config.Queue.MaxAttempts, Ageing: span(o.Config.Queue.Ageing, 0),
		Receipts: receipt.Folder(filepath.Join(o.Dir, "claims")),
	}
	if redactor != nil {
		lo.Redactor, qo.Redactor = redactor, redactor
	}
	b.Ledger = ledger.Open(s, lo)
	b.Coord = coord.Open(s, coord.Options{Clock: o.Clock, Redactor: redactor, Producer: o.Producer})
	b.Feed = feed.Open(s, feed.Options{})
	if b.Queue, err = queue.Open(s, qo); err != nil {
		_ = s.Close()
		return nil, err
	}
	return b, nil
}

// redactor compiles the rules, nil when redaction is off.
func (c Config) redactor() (*redact.Redactor, error) {
	if c.Redact.Off {
		return nil, nil
	}
	rules := make([]redact.Rule, 0, len(c.Redact.Patterns))
	for _, p := range c.Redact.Patterns {
		rules = append(rules, redact.Rule{Name: p.Name, Pattern: p.Pattern})
	}
	return redact.New(rules)
}

// Redactor finds secrets as the engines do; nil where that is turned off.
func (b *Backend) Redactor() *redact.Redactor { return b.redactor }

// ReadOnly says whether changes are refused.
func (b *Backend) ReadOnly() bool { return b.Store.ReadOnly() }

// spawn runs a goroutine that Close waits for.
func (b *Backend) spawn(name string, run func()) { b.wait.Go(name, run) }

// Run starts the long-lived goroutines of a cockpit or a server: the
// background verification and the duties. They end with ctx or with Close.
func (b *Backend) Run(ctx context.Context) {
	b.WatchChain(ctx)
	b.WatchClock(ctx)
	if b.fleet.engine != nil {
		b.spawnUntil(ctx, "fleet", b.fleetWatch)
	}
	if !b.ReadOnly() {
		b.spawnUntil(ctx, "duties", b.dutyLoop)
	}
}

// spawnUntil runs a goroutine that Close waits for, with a context that ends
// with ctx, and with Close at the latest. What that takes goes with the
// goroutine, whichever of the two ends it.
func (b *Backend) spawnUntil(ctx context.Context, name string, run func(ctx context.Context)) {
	b.spawn(name, func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(b.root, cancel)()
		run(ctx)
	})
}

// Close ends what Run started, waits for it, and closes the engines and the
// database. What was accepted is durable when it returns.
func (b *Backend) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	b.mu.Unlock()
	b.stop()
	err := b.Ledger.Close() // ends subscriptions, which goroutines wait on
	b.Feed.Close()
	b.wait.Wait()
	b.listen.Do(func() {})
	if b.notices != nil {
		b.notices.Close()
	}
	if e := b.Store.Close(); err == nil {
		err = e
	}
	return err
}
