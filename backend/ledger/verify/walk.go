package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/model"
)

// walker goes along the chain. What holds: every event up to seq is good, hash
// is the last one's, and state is what the events up to seq add up to (nil when
// the walk began in the middle).
type walker struct {
	seq   int64
	hash  string
	ts    model.Time
	state *store.Fold

	// touched collects the records that events moved, when it is not nil.
	touched map[recordID]bool

	spans spans // what event_spans must say, when state is not nil
	loose bool  // what the events mean counts, not how the rows hold it
}

// recordID names a record: its projection's number, and its key.
type recordID struct {
	of  int
	key string
}

func newWalker(s store.Store) walker {
	return walker{hash: model.Genesis, state: store.NewFold(s.Parts())}
}

// trouble says that the event seq is not what must come next; diagnose finds
// out why.
type trouble struct {
	seq     int64
	history error  // not nil: the event is genuine, but its step can't be
	odd     string // a column whose value means what it should, in a form of its own
}

// step takes one event. hashed says whether its hash is that of its bytes.
func (w *walker) step(e *model.Event, hashed bool) *trouble {
	if e.Seq != w.seq+1 || !hashed || e.Prev != w.hash || e.TS < w.ts {
		return &trouble{seq: w.seq + 1}
	}
	if w.state != nil {
		of, made, err := w.state.Apply(*e)
		if err != nil {
			return &trouble{seq: e.Seq, history: err}
		}
		if made {
			// A million records are walked over with their long text left on disk.
			w.state.Parts().Records()[of].Slim(w.state.Records[of][e.Key])
		}
		if of >= 0 && w.touched != nil {
			w.touched[recordID{of, e.Key}] = true
		}
		w.spans.add(e)
	}
	w.seq, w.hash, w.ts = e.Seq, e.Hash, e.TS
	return nil
}

// take is step for an event as its row holds it.
func (w *walker) take(e *model.Event, hashed bool, odd store.Odd) *trouble {
	t := w.step(e, hashed)
	if t == nil && odd.Seq == e.Seq && !w.loose {
		return &trouble{seq: e.Seq, odd: odd.Column}
	}
	return t
}

// hasher checks events' hashes; each goroutine has one of its own.
type hasher struct {
	buf []byte
	hex [2 * sha256.Size]byte
}

func (h *hasher) ok(e *model.Event) bool {
	h.buf = e.AppendCanonical(h.buf[:0])
	sum := sha256.Sum256(h.buf)
	hex.Encode(h.hex[:], sum[:])
	return string(h.hex[:]) == e.Hash
}

const walkPage = 2000 // events of one short read

// chunk is a page of events on its way through the hashing goroutines.
type chunk struct {
	events []model.Event
	odd    store.Odd
	hashed []bool
	err    error
	done   chan struct{} // closed when hashed is filled
}

// run walks to the event "to" with jobs goroutines hashing beside the one that
// reads. It stops early at a trouble, or when there are no more events.
func (w *walker) run(ctx context.Context, s store.Store, to int64, jobs int, progress func(seq int64)) (*trouble, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ordered := make(chan *chunk, jobs+1) // bounds what is in flight
	work := make(chan *chunk, jobs+1)
	finished := make(chan struct{}, jobs+1)
	from := w.seq
	guard.Go("verify read", func() {
		defer func() { finished <- struct{}{} }()
		defer close(ordered)
		defer close(work)
		readChunks(ctx, s, from, to, func(c *chunk) bool {
			select {
			case ordered <- c:
			case <-ctx.Done():
				return false
			}
			if c.err == nil {
				work <- c // has as much room as ordered
			}
			return true
		})
	})
	for range jobs {
		guard.Go("verify hash", func() {
			defer func() { finished <- struct{}{} }()
			var h hasher
			for c := range work {
				for i := range c.events {
					c.hashed[i] = h.ok(&c.events[i])
				}
				close(c.done)
			}
		})
	}
	defer func() {
		cancel()
		for range ordered {
		}
		for range jobs + 1 {
			<-finished
		}
	}()
	for c := range ordered {
		if c.err != nil {
			return nil, c.err
		}
		<-c.done
		for i := range c.events {
			if t := w.take(&c.events[i], c.hashed[i], c.odd); t != nil {
				return t, nil
			}
		}
		if progress != nil {
			progress(w.seq)
		}
	}
	return nil, ctx.Err()
}

// readChunks reads the events after "after" up to "to", page by page.
func readChunks(ctx context.Context, s store.Store, after, to int64, put func(*chunk) bool) {
	for after < to {
		c := &chunk{done: make(chan struct{})}
		limit := int(min(walkPage, to-after))
		c.err = s.Read(ctx, func(r store.Reader) error {
			var err error
			c.events, c.odd, err = r.Inspect().Events(after, limit)
			return err
		})
		if c.err == nil && len(c.events) == 0 {
			return
		}
		c.hashed = make([]bool, len(c.events))
		if !put(c) || c.err != nil {
			return
		}
		after = c.events[len(c.events)-1].Seq
	}
}

func span(from, to int64) string {
	if from == to {
		return "event " + strconv.FormatInt(from, 10)
	}
	return "events " + strconv.FormatInt(from, 10) + " to " + strconv.FormatInt(to, 10)
}
