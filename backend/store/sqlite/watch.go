package sqlite

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/notice"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/wake"
	"binnacle/model"
)

// How often another process's commits are looked for while somebody watches.
// Each look wakes the processor, and that is nearly all that an idle cockpit
// costs. Where the system tells of writes (see stir), a write is followed by
// looks that become more seldom, for it comes before its commit can be seen;
// else there is a look every pollEvery, and quietFactor times more seldom once
// the log has lain still for youngLog.
const (
	pollEvery   = 40 * time.Millisecond
	quietFactor = 4
	noticeFirst = 40 * time.Millisecond
	noticeMore  = 4                      // times the last pause
	noticeLast  = 640 * time.Millisecond // then only every unnoticed
	unnoticed   = 2 * time.Second        // for what no notice told
)

// hub passes the newest head to everyone who watches. This process's commits
// reach it at once; other processes' are noticed by PRAGMA data_version, which
// is polled on a connection of its own, and only while somebody watches.
type hub struct {
	open  func(ctx context.Context) (*conn, error)
	still func() bool // whether open makes connections that see no writer
	log   string      // the write-ahead log's file
	stir  *stir
	every time.Duration

	mu       sync.Mutex
	watchers map[chan model.Head]struct{}
	head     model.Head
	stop     context.CancelFunc // of the poller, nil when none runs
	polling  sync.WaitGroup
	closed   chan struct{}
	ended    bool

	moves, quiet atomic.Int64 // see Changes
}

func newHub(open func(ctx context.Context) (*conn, error), still func() bool, log string, s *stir) *hub {
	return &hub{open: open, still: still, log: log, stir: s, every: pollEvery, watchers: map[chan model.Head]struct{}{}, closed: make(chan struct{})}
}

// publish tells the watchers of a newer head. It never waits: a channel holds
// one head, the newest.
func (h *hub) publish(head model.Head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if head.Seq > h.head.Seq {
		h.tell(head)
	}
}

// replace tells of a head that is the newest although its number may be lower:
// a restored ledger's.
func (h *hub) replace(head model.Head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if head != h.head {
		h.tell(head)
	}
}

func (h *hub) tell(head model.Head) {
	h.head = head
	for w := range h.watchers {
		offer(w, head)
	}
}

func (h *hub) known() model.Head {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.head
}

// offer puts head into w in the place of what waits there.
func offer(w chan model.Head, head model.Head) {
	for {
		select {
		case w <- head:
			return
		default:
		}
		select {
		case <-w:
		default:
		}
	}
}

// watch adds a watcher until ctx ends.
func (h *hub) watch(ctx context.Context, gone <-chan struct{}, now func() (model.Head, error)) <-chan model.Head {
	w := make(chan model.Head, 1)
	h.mu.Lock()
	if h.ended {
		h.mu.Unlock()
		close(w)
		return w
	}
	h.watchers[w] = struct{}{}
	if h.stop == nil {
		pollCtx, stop := context.WithCancel(context.Background())
		h.stop = stop
		h.polling.Add(1)
		guard.Go("head poll", func() { h.poll(pollCtx) })
	}
	h.mu.Unlock()

	// After it is registered: no commit can fall between the two.
	if head, err := now(); err == nil {
		h.mu.Lock()
		if head.Seq < h.head.Seq {
			head = h.head
		} else {
			h.head = head
		}
		offer(w, head)
		h.mu.Unlock()
	}
	h.polling.Add(1)
	guard.Go("head watch", func() {
		defer h.polling.Done()
		select {
		case <-ctx.Done():
		case <-h.closed:
		case <-gone:
			// Whoever watches looks once more, and finds that it can't.
			h.mu.Lock()
			offer(w, h.head)
			h.mu.Unlock()
			select {
			case <-ctx.Done():
			case <-h.closed:
			}
		}
		h.mu.Lock()
		delete(h.watchers, w)
		close(w)
		if len(h.watchers) == 0 && h.stop != nil {
			h.stop()
			h.stop = nil
		}
		h.mu.Unlock()
	})
	return w
}

// close ends every watch.
func (h *hub) close() {
	h.mu.Lock()
	if !h.ended {
		h.ended = true
		close(h.closed)
	}
	h.mu.Unlock()
	h.polling.Wait()
}

// poll looks for other processes' commits until ctx ends. A database that can't
// be read for a while is tried again: the reads say what is wrong with it.
func (h *hub) poll(ctx context.Context) {
	defer h.polling.Done()
	p := poller{hub: h}
	defer p.drop()
	if h.stir.start(notice.Moved | notice.Written) {
		bell := wake.NewBell()
		h.stir.writes.Add(ctx, bell)
		next := noticeFirst
		wake.Loop{Bell: bell, Least: noticeFirst / 4}.Run(ctx, func(why wake.Why) time.Duration {
			before := p.version
			p.once(ctx)
			if next = afterNotice(next, why.Moved, p.version != before); next == unnoticed {
				return wake.Beat(unnoticed)
			}
			return next
		})
		return
	}
	wake.Loop{}.Run(ctx, func(wake.Why) time.Duration {
		p.once(ctx)
		if time.Since(p.log.time) > youngLog {
			return h.every * quietFactor
		}
		return h.every
	})
}

// afterNotice is the pause after a look that came after the given one.
func afterNotice(pause time.Duration, noticed, changed bool) time.Duration {
	switch {
	case changed:
		return noticeLast // that was it; once more, for another may have been under way
	case noticed:
		return noticeFirst
	case pause*noticeMore > noticeLast:
		return unnoticed
	}
	return pause * noticeMore
}

// poller is what polling remembers from one look to the next.
type poller struct {
	hub     *hub
	conn    *conn
	still   bool      // the connection was opened on a file without a writer, see SQLite.still
	version int64     // data_version at the last look
	log     fileStamp // of the log at the last look
	asked   time.Time
	head    model.Head // at the last look
	looked  bool
}

// fileStamp is what a commit changes of the write-ahead log (or of the database,
// without one), as far as a file's size and time tell: commits within one step of the clock look alike.
type fileStamp struct {
	size int64
	time time.Time
}

// stampOf is the zero stamp, with the reason, for a file that can't be looked at.
func stampOf(path string) (fileStamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}, err
	}
	return fileStamp{info.Size(), info.ModTime()}, nil
}

// Asking SQLite costs several system calls, looking at the log's file one. So
// SQLite is asked when the file has changed, as long as it is so young that
// another change may look the same, and every second in any case.
const (
	youngLog = 2 * time.Second
	askEvery = time.Second
)

func (p *poller) once(ctx context.Context) {
	now := time.Now()
	stamp, _ := stampOf(p.hub.log)
	age := now.Sub(stamp.time)
	if p.conn != nil && stamp == p.log && (age > youngLog || age < -youngLog) && now.Sub(p.asked) < askEvery {
		return
	}
	if p.still && p.log.size == 0 && stamp != p.log {
		p.drop() // the connection takes the file for one that nobody changes
	}
	if p.conn == nil {
		c, err := p.hub.open(ctx)
		if err != nil {
			return
		}
		p.conn, p.version, p.still = c, -1, p.hub.still()
	}
	p.log, p.asked = stamp, now
	v, err := pragmaInt(p.conn, stmtDataVersion)
	if err == nil && v != p.version {
		var head model.Head
		if head, err = p.hub.look(p.conn); err == nil {
			p.note(head)
			p.version = v
		}
	}
	if err != nil && !sqlitefile.IsBusy(err) {
		p.drop()
	}
}

// note counts a move of the file, and whether the head moved with it. A new
// connection does not know what it missed: that counts as a move, too, and one
// comes with the first commit after the log was emptied.
func (p *poller) note(head model.Head) {
	if p.looked {
		if head == p.head {
			p.hub.quiet.Add(1)
		}
		p.hub.moves.Add(1)
	}
	p.head, p.looked = head, true
}

func (p *poller) drop() {
	if p.conn != nil {
		_ = p.conn.close()
		p.conn = nil
	}
}

// look reads the head and tells the watchers. A head before the known one is
// read a second time: what was known was committed before that second read, so
// a head that is still before it belongs to a restored ledger.
func (h *hub) look(c *conn) (model.Head, error) {
	head, err := readHead(context.Background(), c)
	if err != nil {
		return head, err
	}
	known := h.known()
	if head.Seq > known.Seq {
		h.publish(head)
		return head, nil
	}
	if head, err = readHead(context.Background(), c); err != nil {
		return head, err
	}
	if head.Seq < known.Seq || head.Seq == known.Seq && head.Hash != known.Hash {
		h.replace(head)
		return head, nil
	}
	h.publish(head)
	return head, nil
}
