package verify

import (
	"context"
	"errors"
	"sync"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
)

// DefaultShare is how much of one core a Verifier takes while it catches up.
const DefaultShare = 0.25

// VerifierOptions tune a Verifier.
type VerifierOptions struct {
	Clock   model.Clock         // nil: the machine's
	Share   float64             // of one core, while it catches up; 0 is DefaultShare, 1 is no pause
	Changed func(desk.Verified) // called after each change; must not block
}

// Verifier verifies the chain in the background, goes on as events come, and
// knows how far it is. It does what Run does, slowly, and with each new
// event compares the records that the event moved.
type Verifier struct {
	store  store.Store
	o      VerifierOptions
	epoch  string
	w      walker
	whole  bool // the records have been compared once, all of them
	cmp    comparison
	again  patrol
	schema int64 // store.Inspection.Mark when the schema was compared

	mu  sync.Mutex
	now desk.Verified
}

// NewVerifier makes one. It does nothing before Run.
func NewVerifier(s store.Store, o VerifierOptions) *Verifier {
	if o.Share <= 0 || o.Share > 1 {
		o.Share = DefaultShare
	}
	if o.Clock == nil {
		o.Clock = clock.Machine()
	}
	return &Verifier{store: s, o: o}
}

// Verified says how far it is.
func (v *Verifier) Verified() desk.Verified {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

func (v *Verifier) set(x desk.Verified) {
	v.mu.Lock()
	changed := v.now != x
	v.now = x
	v.mu.Unlock()
	if changed && v.o.Changed != nil {
		v.o.Changed(x)
	}
}

// Run verifies until ctx ends, and then goes on over everything again and again
// (see patrol). A divergence stays until the ledger is another one (a restore
// renews its epoch), or the file changed and a whole walk found it good. An error means that the store can't
// be read; Run may be called again and goes on where it was.
func (v *Verifier) Run(ctx context.Context) error {
	if v.epoch == "" {
		v.reset()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failure error
	walk := time.Now().Add(patrolLook) // when the patrol goes on
	l := wake.Loop{Heads: v.store.Watch(ctx)}
	l.Run(ctx, func(why wake.Why) time.Duration {
		var err error
		if why.Moved {
			err = v.goOn(ctx)
		} else {
			var rest time.Duration
			if rest, err = v.walkAgain(ctx); rest == patrolLook {
				rest = wake.Beat(patrolLook)
			}
			walk = time.Now().Add(rest)
		}
		switch {
		case err == nil, errors.Is(err, errBehind), ctx.Err() != nil:
		case model.CodeOf(err) == model.CodeCorrupt:
			f, cause := unreadable(ctx, v.store, 0, err)
			if f == nil {
				f = &Finding{Message: cause.Error()}
			}
			v.fail(f)
		default:
			failure = err
			cancel()
		}
		return time.Until(walk)
	})
	return failure
}

// goOn verifies what is new, or begins again with another ledger.
func (v *Verifier) goOn(ctx context.Context) error {
	for {
		if v.epoch != v.store.Epoch() {
			v.reset()
		}
		if v.Verified().State == desk.VerifyFailed {
			return nil
		}
		if err := v.catchUp(ctx); err != nil || v.epoch == v.store.Epoch() {
			return err
		}
	}
}

func (v *Verifier) reset() {
	v.epoch = v.store.Epoch()
	v.w, v.whole, v.cmp, v.schema, v.again = newWalker(v.store), false, comparison{}, 0, patrol{}
	v.set(desk.Verified{})
}

// good and fail set what is known. What was found in a ledger that is not there
// any more says nothing: each read notes the epoch that it saw.
func (v *Verifier) good() {
	if v.epoch == v.store.Epoch() {
		v.set(desk.Verified{State: desk.VerifyOK, Seq: v.w.seq, Whole: v.again.ended})
	}
}

func (v *Verifier) fail(f *Finding) {
	if v.epoch == v.store.Epoch() {
		v.set(desk.Verified{State: desk.VerifyFailed, Seq: v.w.seq, Finding: f.Message, At: f.Seq, Whole: v.again.ended})
	}
}

// catchUp verifies up to the newest event.
func (v *Verifier) catchUp(ctx context.Context) error {
	if !v.whole && v.w.seq == 0 {
		v.again.seen = v.store.Changes() // before anything is read
	}
	for {
		f, err := v.advance(ctx)
		switch {
		case errors.Is(err, errBehind):
		case err != nil:
			return err
		case f != nil:
			v.fail(f)
			return nil
		default:
			if v.again.last.IsZero() {
				v.again.ended, v.again.last = v.o.Clock.Now(), time.Now()
			}
			v.good()
			return nil
		}
	}
}

// advance walks to the head and compares what follows from it.
func (v *Verifier) advance(ctx context.Context) (*Finding, error) {
	head, err := store.HeadNow(ctx, v.store)
	if err != nil {
		return nil, err
	}
	pause := v.pauses(ctx)
	var h hasher
	for v.w.seq < head.Seq {
		if head.Seq-v.w.seq > walkPage && v.Verified().State != desk.VerifyFailed {
			v.set(desk.Verified{State: desk.VerifyRunning, Seq: v.w.seq})
		}
		var events []model.Event
		var odd store.Odd
		err := v.store.Read(ctx, func(r store.Reader) error {
			var err error
			events, odd, err = r.Inspect().Events(v.w.seq, walkPage)
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			return diagnose(ctx, v.store, &v.w, &trouble{seq: v.w.seq + 1})
		}
		for i := range events {
			if t := v.w.take(&events[i], h.ok(&events[i]), odd); t != nil {
				return diagnose(ctx, v.store, &v.w, t)
			}
		}
		if err := pause(); err != nil {
			return nil, err
		}
	}
	if !v.whole {
		if f, err := checkForm(ctx, v.store); f != nil || err != nil {
			return f, err
		}
		v.w.touched = map[recordID]bool{} // what moves while it is compared is compared again
		v.w.spans.follow = true
		f, err := compare(ctx, v.store, &v.w, &v.cmp, pause)
		if f != nil || err != nil {
			return f, err
		}
		v.whole = true
		return nil, nil
	}
	return v.compareTouched(ctx)
}

// compareTouched compares head, counts and the records that moved since the
// last time.
func (v *Verifier) compareTouched(ctx context.Context) (*Finding, error) {
	var f *Finding
	err := v.store.Read(ctx, func(r store.Reader) error {
		var err error
		if f, err = v.reform(r); f != nil || err != nil {
			return err
		}
		if f, err = v.w.level(r); f != nil || err != nil {
			return err
		}
		if f, err = v.w.counts(r); f != nil || err != nil {
			return err
		}
		if f, err = v.w.spans.compareFresh(r); f != nil || err != nil {
			return err
		}
		ids := make([]recordID, 0, len(v.w.touched))
		for id := range v.w.touched {
			ids = append(ids, id)
		}
		sortRecordIDs(ids)
		for _, id := range ids {
			if f, err = v.w.one(r, id); f != nil || err != nil {
				return err
			}
		}
		return nil
	})
	if f == nil && err == nil {
		clear(v.w.touched)
		v.w.spans.fresh = nil
	}
	return f, err
}

// reform compares the schema when SQLite says that there is another one.
func (v *Verifier) reform(r store.Reader) (*Finding, error) {
	now, err := r.Inspect().Mark()
	if err != nil || now == v.schema {
		return nil, err
	}
	f, err := form(r)
	if f == nil && err == nil {
		v.schema = now
	}
	return f, err
}

// pauses returns a function that rests so long that the work since the last
// rest took no more than its share.
func (v *Verifier) pauses(ctx context.Context) func() error {
	begin := time.Now()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return func() error {
		worked := time.Since(begin)
		rest := time.Duration(float64(worked) * (1/v.o.Share - 1))
		defer func() { begin = time.Now() }()
		if rest < time.Millisecond {
			return ctx.Err()
		}
		timer.Reset(rest)
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
