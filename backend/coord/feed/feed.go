package feed

import (
	"errors"
	"sync"

	"binnacle/backend/store"
	"binnacle/model"
)

// Bounds of the feed of one process.
const (
	MaxWaiters   = 10_000 // readers that wait
	MaxPrincipal = 64     // of these, of one principal
	ringEvents   = 10_000
	ringBytes    = 32 << 20
)

// ErrFull is wrapped by the refusal of a reader for whom there is no place to wait.
var ErrFull = errors.New("there is no place to wait")

// Options bound a feed; 0 is the constant's bound.
type Options struct {
	Waiters   int // see MaxWaiters
	Principal int // see MaxPrincipal
}

// Feed is the feed of one store, in one process. Its methods may be called from
// any number of goroutines.
type Feed struct {
	store  store.Store
	places places
	tail   tail
}

// Open makes the feed. It neither reads nor starts anything; the store stays the
// caller's.
func Open(s store.Store, o Options) *Feed {
	f := &Feed{store: s, places: places{most: o.Waiters, each: o.Principal, by: map[string]int{}}}
	if f.places.most == 0 {
		f.places.most = MaxWaiters
	}
	if f.places.each == 0 {
		f.places.each = MaxPrincipal
	}
	f.tail.store, f.tail.moved = s, make(chan struct{})
	return f
}

// Close ends every wait, with CodeCancelled, and all that ran for them.
func (f *Feed) Close() { f.tail.close() }

// places are where readers wait: so many in all, and so many of one principal.
type places struct {
	most, each int

	mu  sync.Mutex
	all int
	by  map[string]int
}

// take gives a place, until leave is called, or refuses with ErrFull. It looks
// at nothing but how many there are.
func (p *places) take(principal string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.all >= p.most:
		return nil, model.Errorf(model.CodeBusy, "%d readers wait here already: %w", p.all, ErrFull).WithHint("read without waiting, or again later")
	case p.by[principal] >= p.each:
		return nil, model.Errorf(model.CodeBusy, "%d readers of yours wait here already: %w", p.by[principal], ErrFull).
			WithHint("read without waiting, or let one reader follow several paths and kinds")
	}
	p.all++
	p.by[principal]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.by[principal]--; p.by[principal] == 0 {
			delete(p.by, principal)
		}
	}), nil
}
