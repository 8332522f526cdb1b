package plain

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"binnacle/backend/guard"
	"binnacle/model"
	"binnacle/model/desk"
)

// Run writes lines to w until ctx ends, and then bye. It returns nil after
// bye, also when ctx ended; an error when the workspace can't be read (an error
// line and bye were written) or w can't be written (nothing more was).
func Run(ctx context.Context, w io.Writer, d desk.Desk, o Options) error {
	p := &printer{w: w, desk: d, workspace: o.Workspace}
	err := p.run(ctx, o)
	if ctx.Err() != nil {
		err = nil // it ended because it was told to
	}
	if err != nil {
		p.failure(err)
	}
	p.line(byeLine{Type: "bye", Cursor: p.at.String()})
	if p.failed != nil {
		return p.failed
	}
	return err
}

// printer writes lines and knows the place after what it wrote.
type printer struct {
	w         io.Writer
	desk      desk.Desk
	workspace string
	epoch     string // of the ledger that is read
	at        model.Cursor
	failed    error // w's
	buf       []byte
	scratch   []byte
	// The fleet: whether there is one, and what its map last said but for ages.
	hasFleet bool
	lastMap  []byte
}

// run is Run without the goodbye: hello, the instant, the events up to that
// instant that were asked for, and then those that follow it.
func (p *printer) run(ctx context.Context, o Options) error {
	if o.After != nil {
		p.at = *o.After // bye says it, also when nothing could be read
	}
	here, err := p.hello(ctx)
	if err != nil {
		return err
	}
	if err := p.history(ctx, o, here); err != nil || o.Once {
		return err
	}
	for {
		err := p.stream(ctx, o, here)
		if model.CodeOf(err) != model.CodeStale || p.failed != nil {
			return err
		}
		// Another ledger stands in the place of the one that was followed.
		p.failure(err)
		if here, err = p.hello(ctx); err != nil {
			return err
		}
		p.at = here
	}
}

// stream writes what comes after the cursor.
func (p *printer) stream(ctx context.Context, o Options, after model.Cursor) error {
	feed, err := p.desk.Follow(ctx, desk.FollowRequest{Filter: o.Filter, After: &after, CatchUp: o.CatchUp})
	if err != nil {
		return err
	}
	defer feed.Close()
	return p.follow(ctx, feed, o.Every)
}

// hello writes the first lines: whose instant this is, and the instant.
func (p *printer) hello(ctx context.Context) (here model.Cursor, err error) {
	snap, err := p.desk.Snapshot(ctx)
	if err != nil {
		return here, err
	}
	p.epoch = snap.Epoch
	here = p.cursor(snap.Head.Seq)
	p.line(helloLine{
		Type: "hello", Schema: Schema, Workspace: p.workspace, Epoch: here.Epoch, Seq: snap.Head.Seq,
		Cursor: here.String(),
	})
	if err := p.snapshot(snap); err != nil {
		return here, err
	}
	return here, nil
}

// history writes what was there before the instant of the snapshot, as far as
// it was asked for. The subscription begins at that instant, so that nothing
// falls between the two.
func (p *printer) history(ctx context.Context, o Options, here model.Cursor) error {
	from := here.Seq
	switch {
	case o.After != nil:
		if err := o.After.Check(here); err != nil {
			return err
		}
		from = o.After.Seq
	case o.Replay > 0:
		from = 0
	}
	if from < here.Seq {
		read := p.from
		if o.Replay > 0 {
			read = p.newest
		}
		if err := read(ctx, o, from, here.Seq); err != nil {
			return err
		}
	}
	p.at = here
	return p.failed
}

// readAtOnce is how many events are asked for at once.
const readAtOnce = 256

// from writes the matching events with after < seq <= to.
func (p *printer) from(ctx context.Context, o Options, after, to int64) error {
	for after < to && p.failed == nil {
		page, err := p.desk.Page(ctx, desk.PageRequest{Filter: o.Filter, After: after, Limit: readAtOnce})
		if err != nil {
			return err
		}
		events := page.Events
		for n := len(events); n > 0 && events[n-1].Seq > to; n-- {
			events = events[:n-1] // they come with the stream
		}
		p.events(events)
		if page.Exhausted {
			break
		}
		after = page.Next
	}
	return p.failed
}

// newest writes the newest o.Replay matching events up to the event to.
func (p *printer) newest(ctx context.Context, o Options, _, to int64) error {
	var pages [][]model.Event // the newest first
	for before, left := to+1, o.Replay; left > 0; {
		page, err := p.desk.Page(ctx, desk.PageRequest{Filter: o.Filter, Before: before, Limit: left})
		if err != nil {
			return err
		}
		pages, left, before = append(pages, page.Events), left-len(page.Events), page.Next
		if page.Exhausted {
			break
		}
	}
	for _, events := range slices.Backward(pages) {
		p.events(events)
	}
	return p.failed
}

// cursor is the place after the event seq.
func (p *printer) cursor(seq int64) model.Cursor { return model.Cursor{Epoch: p.epoch, Seq: seq} }

// batch is what the feed gave.
type batch struct {
	items []desk.Item
	err   error
}

// follow writes what the feed gives, and a snapshot at each tick. A feed that
// waits does not hold up a snapshot, so the feed is read beside this loop; it
// is read again only when its last batch was written, so a reader that is slow
// is the feed's to count.
func (p *printer) follow(ctx context.Context, feed desk.Feed, every time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	batches := make(chan batch)
	done := make(chan struct{})
	guard.Go("feed", func() {
		defer close(done)
		for {
			items, err := feed.Next(ctx)
			select {
			case batches <- batch{items, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	defer func() {
		cancel()
		<-done
	}()
	var ticks <-chan time.Time
	if every > 0 {
		t := time.NewTicker(every)
		defer t.Stop()
		ticks = t.C
	}
	var looks <-chan time.Time
	if p.hasFleet {
		t := time.NewTicker(fleetEvery)
		defer t.Stop()
		looks = t.C
	}
	for p.failed == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-looks:
			if err := p.fleet(ctx); err != nil {
				return err
			}
		case b := <-batches:
			p.items(b.items)
			if b.err != nil {
				return b.err
			}
		case <-ticks:
			if err := p.again(ctx); err != nil {
				return err
			}
		}
	}
	return p.failed
}

// again takes and writes a snapshot. One that can't be taken now (a busy
// database) is an error line, and the next tick tries again.
func (p *printer) again(ctx context.Context) error {
	snap, err := p.desk.Snapshot(ctx)
	if err == nil {
		return p.snapshot(snap)
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	p.failure(err)
	return p.failed
}

func (p *printer) snapshot(s desk.Snapshot) error {
	fleet, _, err := p.look(s.Fleet)
	if err != nil {
		return err
	}
	p.line(snapshotLine{
		Type: "snapshot", Snapshot: SnapshotOf(s), Fleet: fleet, Cursor: model.Cursor{Epoch: s.Epoch, Seq: s.Head.Seq}.String(),
	})
	return p.failed
}

func (p *printer) failure(err error) {
	p.line(errorLine{"error", desk.ErrorOf(err)})
}

// items writes a batch of the feed.
func (p *printer) items(items []desk.Item) {
	for i := range items {
		it := &items[i]
		if it.Gap == nil {
			p.event(&it.Event)
			continue
		}
		p.flush()
		p.line(laggedLine{"lagged", *it.Gap})
		if it.Gap.Missed > 0 {
			p.at = p.cursor(it.Gap.To) // the gap was said; bye goes on after it
		}
	}
	p.flush()
}

// events writes a page of the ledger.
func (p *printer) events(events []model.Event) {
	for i := range events {
		p.event(&events[i])
	}
	p.flush()
}

// flushBytes bounds what is gathered before it is written.
const flushBytes = 32 << 10

// event gathers one event's line.
func (p *printer) event(e *model.Event) {
	at := p.cursor(e.Seq)
	p.buf, p.scratch = appendEvent(p.buf, e, at, p.scratch)
	p.at = at
	if len(p.buf) >= flushBytes {
		p.flush()
	}
}

// flush writes what was gathered, whole lines in one write.
func (p *printer) flush() {
	if len(p.buf) > 0 && p.failed == nil {
		_, p.failed = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

// line writes v at once.
func (p *printer) line(v any) {
	if p.failed != nil {
		return
	}
	var err error
	if p.buf, err = appendLine(p.buf, v); err != nil {
		p.failed = err
		return
	}
	p.flush()
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
