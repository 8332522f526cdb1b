package archive

import (
	"context"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Bounds of retention and of its work.
const (
	MinKeep = time.Minute     // what must be kept, at least
	Every   = time.Minute     // between two sweeps of Run
	Budget  = 5 * time.Second // how long one sweep works, about

	mostSlack = time.Hour // see slack
	readPage  = 2000      // events of one read
	shedRows  = 64        // rows that one transaction takes away: writers wait for it
	shedRests = 3         // times as long as such a transaction takes nothing is done, for their sake
)

// Options say what a sweep does.
type Options struct {
	Keep   time.Duration // events younger than this stay; at least MinKeep
	Budget time.Duration // how long it works, about; 0 is without end
	DryRun bool          // only say what would be sealed
	// Now seals whatever is older than Keep, be it little. Otherwise little waits for
	// more (see slack).
	Now bool
}

// Report says what a sweep did, or would do.
type Report struct {
	Segments int           `json:"segments"` // sealed by it
	Sealed   int64         `json:"sealed"`   // events that it sealed
	Shed     int64         `json:"shed"`     // rows that it took away, of earlier segments as well
	Left     int64         `json:"left"`     // events that are old enough and were left, for want of time or of a transaction
	Took     time.Duration `json:"-"`        // at work
}

// slack is how much older than what is kept the oldest event may become before a
// segment is made of few events: a folder with a file for every minute is of no
// use to anybody.
func slack(keep time.Duration) time.Duration { return min(keep/24, mostSlack) }

// Sweep seals what is older than o.Keep, the oldest first, and takes the rows
// away. The newest event always stays. Errors: CodeRefused for a store that can't
// seal, CodeUsage for a time that is too short, CodeBusy when another process
// sweeps.
func Sweep(ctx context.Context, s store.Store, clock model.Clock, o Options) (rep Report, err error) {
	a, ok := s.(store.Archiver)
	if !ok {
		return rep, model.Errorf(model.CodeRefused, "this store can't seal events away")
	}
	if o.Keep < MinKeep {
		return rep, model.Errorf(model.CodeUsage, "events must be kept for a minute or more, not %s", o.Keep)
	}
	begin, rested := time.Now(), time.Duration(0)
	late := func() bool { return o.Budget > 0 && time.Since(begin)-rested > o.Budget }
	rest := func(d time.Duration) {
		began := time.Now()
		wake.Sleep(ctx, d)
		rested += time.Since(began)
	}
	before := clock().Wall.Add(-o.Keep)
	defer func() { rep.Took = time.Since(begin) - rested }()
	if o.DryRun {
		rep.Left, err = waiting(ctx, s, before)
		return rep, err
	}
	release, err := a.Own()
	if err != nil {
		return rep, err
	}
	defer release()
	if err := a.Tidy(ctx); err != nil {
		return rep, err
	}
	if err := shed(ctx, s, &rep, late, rest); err != nil {
		return rep, err
	}
	for !late() {
		events, more, err := gather(ctx, s, before)
		if err != nil {
			return rep, err
		}
		if len(events) == 0 || !o.Now && !more && events[0].TS.Add(slack(o.Keep)) >= before {
			break
		}
		if err := seal(ctx, s, a, events, clock().Wall); err != nil {
			return rep, err
		}
		rep.Segments, rep.Sealed = rep.Segments+1, rep.Sealed+int64(len(events))
		if err := shed(ctx, s, &rep, late, rest); err != nil {
			return rep, err
		}
	}
	rep.Left, err = waiting(ctx, s, before)
	return rep, err
}

// gather reads the events that the next segment gets; more says that it is full.
func gather(ctx context.Context, s store.Store, before model.Time) (events []model.Event, more bool, err error) {
	after, head, err := ends(ctx, s)
	var line []byte
	for bytes := 0; err == nil; {
		var page []model.Event
		err = s.Read(ctx, func(r store.Reader) (err error) {
			page, err = r.Events(after, readPage)
			return err
		})
		for i := range page {
			e := &page[i]
			if e.TS >= before || e.Seq >= head {
				return events, false, nil
			}
			line = e.AppendCanonical(line[:0])
			bytes += len(line) + 1
			if len(events) > 0 && bytes > segment.MaxBytes || len(events) == segment.MaxEvents {
				return events, true, nil
			}
			events = append(events, *e)
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Seq
	}
	return events, false, err
}

// ends are the last sealed event and the newest of all.
func ends(ctx context.Context, s store.Store) (sealed, head int64, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		h, err := r.Head()
		if err != nil {
			return err
		}
		all, err := r.Segments()
		if head = h.Seq; len(all) > 0 {
			sealed = all[len(all)-1].Last
		}
		return err
	})
	return sealed, head, err
}

// seal makes a segment of the events, and sees it in its file before it counts.
func seal(ctx context.Context, s store.Store, a store.Archiver, events []model.Event, now model.Time) error {
	seg, file, err := segment.Pack(events)
	if err != nil {
		return err
	}
	seg.Sealed = now
	if err := a.Keep(seg, file); err != nil {
		return err
	}
	back, err := a.Unpacked(ctx, seg)
	if err != nil {
		return err
	}
	same := func(a, b model.Event) bool { return a.Seq == b.Seq && a.Hash == b.Hash }
	if !slices.EqualFunc(back, events, same) {
		return model.Errorf(model.CodeCorrupt, "events %d to %d are not what their hashes say, so they are not sealed", seg.First, seg.Last).
			WithHint("binnacle ledger verify says what is wrong")
	}
	return s.Write(ctx, func(tx store.Tx) error { return tx.Seal(seg) })
}

// shed takes away the rows of what is sealed.
func shed(ctx context.Context, s store.Store, rep *Report, late func() bool, rest func(time.Duration)) error {
	for !late() {
		n, begin := 0, time.Now()
		err := s.Write(ctx, func(tx store.Tx) (err error) {
			n, err = tx.Shed(shedRows)
			return err
		})
		rep.Shed += int64(n)
		if err != nil || n == 0 {
			return err
		}
		rest(shedRests * time.Since(begin))
	}
	return nil
}
