package archive

import (
	"context"
	"sync"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
)

// State tells how retention goes. It may be used from any goroutine.
type State struct {
	keep time.Duration

	mu    sync.Mutex
	epoch string
	at    int64 // the oldest row when now was read
	now   desk.Retention
}

// NewState makes one, for events that are kept so long; 0 is for ever.
func NewState(keep time.Duration) *State { return &State{keep: keep} }

// Read says what is sealed and how old the oldest row is, at the reader's instant.
// It costs one step into the table of events while nothing is sealed or shed.
func (s *State) Read(r store.Reader, now model.Time) (desk.Retention, error) {
	oldest, err := r.Oldest()
	if err != nil || oldest == 1 && s.keep == 0 {
		return desk.Retention{}, err
	}
	head, err := r.Head()
	if err != nil {
		return desk.Retention{}, err
	}
	epoch, err := store.EpochOf(r)
	if err != nil {
		return desk.Retention{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != oldest || s.epoch != epoch || s.now.Oldest == 0 {
		if s.now, err = look(r, oldest, head); err != nil {
			return desk.Retention{}, err
		}
		s.now.Keep, s.at, s.epoch = int64(s.keep/time.Second), oldest, epoch
	}
	out := s.now
	// The newest event stays, however old it is.
	if s.keep > 0 && oldest < head.Seq {
		late := now.Sub(out.Oldest) - s.keep - slack(s.keep) - 2*Every
		out.Lag = int64(max(0, late).Truncate(time.Minute) / time.Second)
	}
	return out, nil
}

func look(r store.Reader, oldest int64, head model.Head) (now desk.Retention, err error) {
	all, err := r.Segments()
	if err != nil {
		return now, err
	}
	for _, seg := range all {
		now.Segments, now.Bytes, now.Sealed = now.Segments+1, now.Bytes+seg.Bytes, seg.Last
	}
	if oldest > head.Seq {
		return now, nil
	}
	e, err := r.Event(oldest)
	now.Oldest = e.TS
	return now, err
}

// waiting counts the events that are not sealed and older than before.
func waiting(ctx context.Context, s store.Store, before model.Time) (n int64, err error) {
	sealed, head, err := ends(ctx, s)
	if err != nil {
		return 0, err
	}
	// Times never decrease along the chain: halve what is left.
	low, high := sealed+1, max(head, sealed+1) // the newest event stays
	for low < high && err == nil {
		mid := low + (high-low)/2
		err = s.Read(ctx, func(r store.Reader) error {
			e, err := r.Event(mid)
			if err == nil && e.TS < before {
				low = mid + 1
			} else {
				high = mid
			}
			return err
		})
	}
	return low - sealed - 1, err
}

// Rest is how long it is until a sweep has something to do: from a second to ten
// minutes.
func Rest(ctx context.Context, s store.Store, now model.Time, keep time.Duration) (time.Duration, error) {
	const least, most = time.Second, 10 * time.Minute
	sealed, head, err := ends(ctx, s)
	if err != nil || sealed+1 >= head {
		return most, err
	}
	rest := time.Duration(0)
	err = s.Read(ctx, func(r store.Reader) error {
		e, err := r.Event(sealed + 1)
		rest = e.TS.Add(keep).Sub(now)
		return err
	})
	if due := rest + slack(keep); due < Every {
		return max(due, least), err // few events have waited for more
	}
	return min(max(rest, Every), most), err
}
