package feed

import (
	"context"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/feed"
	"binnacle/model/session"
)

// Rhythm of readers.
const (
	coldPages = 8                // how many pages of the store one page of a reader searches
	scopeAge  = 15 * time.Second // after which a session's paths are looked up again
)

// Reader follows the feed from one place. It is for one goroutine.
type Reader struct {
	feed    *Feed
	who     coord.Who
	filter  feed.Filter
	session string // whose scope is in filter, or ""
	scoped  time.Time
	// at: what the reader asked for up to it was returned, or is in the page that
	// is being filled. placed says that it was found to be a place that is there.
	at     model.Cursor
	placed bool
	after  string // where to begin, until placed
	head   int64  // the newest event that was heard of
	leave  func() // gives the place back
	untail func() // the tailer need not run for it any more
}

// Read returns one page. One that waits takes a place first, before anything is
// read; the refusal wraps ErrFull. A cursor that can't be gone on from is
// *feed.Expired.
func (f *Feed) Read(ctx context.Context, r feed.Request, who coord.Who) (feed.Page, error) {
	wait := min(max(r.Wait, 0), feed.MaxWait)
	d, err := f.reader(r, who)
	if err != nil {
		return feed.Page{}, err
	}
	if wait > 0 {
		if d.leave, err = f.places.take(who.Name); err != nil {
			return feed.Page{}, err
		}
	}
	defer d.Close()
	return d.Next(ctx, wait)
}

// Follow takes a place for a reader that stays, and finds where it begins.
func (f *Feed) Follow(ctx context.Context, r feed.Request, who coord.Who) (*Reader, error) {
	d, err := f.reader(r, who)
	if err != nil {
		return nil, err
	}
	if d.leave, err = f.places.take(who.Name); err != nil {
		return nil, err
	}
	d.untail = f.tail.enter()
	if err = d.rescope(ctx); err == nil {
		_, err = d.load(ctx, 0)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// reader checks a request. It reads nothing.
func (f *Feed) reader(r feed.Request, who coord.Who) (*Reader, error) {
	d := &Reader{feed: f, who: who, session: r.Session, after: r.After}
	var err error
	if r.After != "" && r.After != feed.Start {
		if d.at, err = model.ParseCursor(r.After); err != nil {
			return nil, err
		}
	}
	if d.filter.Kinds, err = feed.ParseKinds(r.Kinds); err != nil {
		return nil, err
	}
	if len(r.Paths) > 0 {
		d.filter.Paths, err = session.DeclaredPaths(r.Paths)
	}
	if err == nil && r.Session != "" {
		err = model.CheckName("session", r.Session, model.MaxKey)
	}
	return d, err
}

// Close gives the reader's place back.
func (d *Reader) Close() {
	if d.untail != nil {
		d.untail()
	}
	if d.leave != nil {
		d.leave()
	}
}

// Cursor is the place after what was returned.
func (d *Reader) Cursor() model.Cursor { return d.at }

// Next returns what there is, at least one event, or waits for it as long as it
// is told to; then the page is empty, and says where to go on all the same. It
// looks at some thousands of events at most, and returns with More, and perhaps
// nothing else, where there are more of them.
func (d *Reader) Next(ctx context.Context, wait time.Duration) (feed.Page, error) {
	late := time.Now().Add(wait)
	p := filling{filter: &d.filter, page: feed.Page{Events: []*feed.Event{}}}
	for pages := 0; ; {
		moved, why := d.feed.tail.at() // before anything is looked at
		err := d.look(ctx, &p, &pages)
		if p.seen > 0 {
			d.at.Seq = p.seen
		}
		p.page.Next, p.page.More = d.at, d.at.Seq < d.head
		left := time.Until(late)
		switch {
		case err != nil && len(p.page.Events) == 0:
			return feed.Page{}, err
		case err != nil: // what was found is not lost with it; the next page may fail
			return p.page, nil
		case p.full, p.page.More && pages >= coldPages, !p.page.More && (len(p.page.Events) > 0 || left <= 0):
			return p.page, nil
		case p.page.More:
			continue
		case why != nil:
			return feed.Page{}, why
		}
		if err := d.sleep(ctx, moved, left); err != nil {
			return feed.Page{}, err
		}
		pages = 0
	}
}

// look fills the page with what follows the reader's place, from the ring, or
// where that does not know it with one page of the store's.
func (d *Reader) look(ctx context.Context, p *filling, pages *int) error {
	if err := d.rescope(ctx); err != nil {
		return err
	}
	if d.placed {
		to, ok := d.feed.tail.read(d.at, p.take)
		d.head = max(d.head, to)
		if ok && (to > d.at.Seq || to >= d.head) {
			return nil
		}
		// The ring may be behind the reader, who came from elsewhere.
		if *pages > 0 && d.at.Seq >= d.head {
			return nil
		}
	}
	*pages++
	events, err := d.load(ctx, feed.MaxEvents)
	for i := range events {
		if !p.take(feed.Of(&events[i], d.at.Epoch)) {
			break
		}
	}
	return err
}

// sleep waits until something moved, or for as long as is left.
func (d *Reader) sleep(ctx context.Context, moved <-chan struct{}, left time.Duration) error {
	if d.untail == nil {
		// The tailer may have to be started: what it finds when it starts is a move.
		d.untail = d.feed.tail.enter()
	}
	if d.session != "" {
		left = min(left, scopeAge)
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-moved:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// rescope looks up the session's paths, unless that was done a moment ago.
func (d *Reader) rescope(ctx context.Context) error {
	if d.session == "" || !d.scoped.IsZero() && time.Since(d.scoped) < scopeAge {
		return nil
	}
	err := d.feed.store.Read(ctx, func(r store.Reader) error {
		s, err := coord.Own(r, d.session, d.who)
		d.filter.Session = &feed.Scope{Key: s.Key, Task: s.Task, Paths: s.Paths}
		return err
	})
	d.scoped = time.Now()
	return err
}

// load reads the next events from the store, at most limit, and looks whether
// the reader's place is still there, at the same instant.
func (d *Reader) load(ctx context.Context, limit int) (events []model.Event, err error) {
	err = d.feed.store.Read(ctx, func(r store.Reader) error {
		events = nil
		epoch, err := store.EpochOf(r)
		if err != nil {
			return err
		}
		head, err := r.Head()
		if err != nil {
			return err
		}
		d.head = head.Seq
		at := d.at
		if !d.placed && d.after == "" {
			at.Seq = head.Seq
		}
		if d.placed && at.Epoch == epoch && at.Seq == head.Seq {
			return nil
		}
		oldest, err := oldestPlace(r, epoch, head.Seq)
		if err != nil {
			return err
		}
		if !d.placed && d.after == feed.Start {
			at.Seq = oldest.Seq
		}
		if x := feed.Expiry(at, oldest, model.Cursor{Epoch: epoch, Seq: head.Seq}); x != nil {
			return x
		}
		if limit > 0 && at.Seq < head.Seq {
			if events, err = r.Events(at.Seq, limit); err != nil {
				return err
			}
		}
		d.at, d.placed = model.Cursor{Epoch: epoch, Seq: at.Seq}, true
		return nil
	})
	return events, err
}

// oldestPlace is the place before the oldest event that is kept.
func oldestPlace(r store.Reader, epoch string, head int64) (model.Cursor, error) {
	at := model.Cursor{Epoch: epoch}
	err := r.QueryRow(`SELECT coalesce(min(seq) - 1, $1) FROM events`, head).Scan(&at.Seq)
	return at, store.Explain("find the oldest event", err)
}

// filling is a page that is being filled.
type filling struct {
	filter *feed.Filter
	page   feed.Page
	bytes  int
	seen   int64 // the last event that was looked at, 0 for none
	full   bool
}

// take looks at the next event, and says whether the page takes more.
func (p *filling) take(e *feed.Event) bool {
	if p.filter.Match(e) {
		if len(p.page.Events) > 0 && p.bytes+e.Size()+1 > feed.MaxBytes {
			p.full = true
			return false
		}
		p.page.Events = append(p.page.Events, e)
		p.bytes += e.Size() + 1
		p.full = len(p.page.Events) == feed.MaxEvents || p.bytes >= feed.MaxBytes
	}
	p.seen = e.ID.Seq
	return !p.full
}
