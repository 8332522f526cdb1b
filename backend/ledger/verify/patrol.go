package verify

import (
	"context"
	"fmt"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
)

// What was verified may be changed afterwards, by a hand in the sqlite3 shell or
// by a disk. So the Verifier walks over everything again: the chain is hashed
// anew up to where it is known, and counts and records are compared with what
// the first walk added up. How soon and how fast depends on why:
//
//   - the file changed without a newer event: at once, quickly. Telemetry changes
//     it so as well, and often, so the walks are spaced by their own cost, and by
//     more and more seconds while it goes on;
//   - the file changed, and there are newer events: slowly;
//   - nothing changed: every hour, more slowly, for what no commit tells.
const (
	patrolLook  = time.Second // between looks at whether there is a reason
	urgentShare = DefaultShare
	slowShare   = 0.01
	idleShare   = 0.002
	idleEvery   = time.Hour
	slowEvery   = time.Minute

	urgentRest  = 25 // times what the last walk cost, at least, so 4 % of a core at most
	urgentFirst = 2 * time.Second
	urgentMost  = 10 * time.Second
	calm        = time.Minute // without a quiet change: the spacing begins anew
)

// patrol is a walk over what was verified already. What holds: every event up to
// w.seq was read and hashed again since it began.
type patrol struct {
	walking bool
	share   float64
	w       walker // without a state: the Verifier has it
	cmp     comparison
	records bool // the chain is done, the records are under way
	cost    time.Duration

	seen   store.Changes // when the last walk began
	last   time.Time     // when the last walk ended
	urgent time.Time     // when the last urgent one ended
	rest   time.Duration // before the next urgent one
	floor  time.Duration
	ended  model.Time // of the last whole walk
}

// walkAgain does a page of the patrol and says how long to rest.
func (v *Verifier) walkAgain(ctx context.Context) (time.Duration, error) {
	if v.epoch != v.store.Epoch() {
		return 0, v.goOn(ctx)
	}
	if v.Verified().State == desk.VerifyFailed {
		return patrolLook, v.retry(ctx)
	}
	if !v.whole {
		return patrolLook, nil
	}
	p := &v.again
	p.reason(v.store.Changes(), time.Now())
	if !p.walking {
		return patrolLook, nil
	}
	begin := time.Now()
	f, done, err := v.patrolPage(ctx)
	cost := time.Since(begin)
	p.cost += cost
	rest := time.Duration(float64(cost) * (1/p.share - 1))
	if v.epoch != v.store.Epoch() {
		return 0, v.goOn(ctx)
	}
	switch {
	case err != nil:
		p.walking = false
		return patrolLook, err
	case f != nil:
		p.walking = false
		v.fail(f)
	case done:
		p.end(time.Now())
		p.ended = v.o.Clock.Now()
		v.good()
	}
	return rest, nil
}

// retry verifies everything from the first event on, when the file changed since
// it was found bad: somebody may have mended it. Until that is known the finding
// stays. The tries are spaced by their cost, as urgent walks are.
func (v *Verifier) retry(ctx context.Context) error {
	p := &v.again
	if v.store.Changes().All == p.seen.All || time.Since(p.urgent) < p.rest {
		return nil
	}
	v.w, v.whole, v.cmp, v.schema, v.again = newWalker(v.store), false, comparison{}, 0, patrol{ended: p.ended}
	begin := time.Now()
	err := v.catchUp(ctx)
	p.urgent = time.Now()
	p.rest = max(urgentFirst, time.Duration(urgentRest*v.o.Share*float64(p.urgent.Sub(begin))))
	return err
}

// reason begins a walk where there is one to begin; a slow one that is under way
// gives way to an urgent one.
func (p *patrol) reason(now store.Changes, at time.Time) {
	quiet := now.Quiet != p.seen.Quiet
	switch {
	case quiet && at.Sub(p.urgent) >= p.rest && (!p.walking || p.share < urgentShare):
		p.begin(now, urgentShare)
	case p.walking:
	case now.All != p.seen.All && at.Sub(p.last) >= slowEvery:
		p.begin(now, slowShare)
	case at.Sub(p.last) >= idleEvery:
		p.begin(now, idleShare)
	}
}

func (p *patrol) begin(now store.Changes, share float64) {
	p.walking, p.share, p.seen = true, share, now
	p.w, p.cmp, p.records, p.cost = walker{hash: model.Genesis}, comparison{}, false, 0
}

func (p *patrol) end(at time.Time) {
	p.walking, p.last = false, at
	if p.share < urgentShare {
		return
	}
	if p.floor = min(p.floor*2, urgentMost); p.floor == 0 || at.Sub(p.urgent) > calm {
		p.floor = urgentFirst
	}
	p.urgent, p.rest = at, max(p.floor, urgentRest*p.cost)
}

// patrolPage reads one page, of the chain or of the records.
func (v *Verifier) patrolPage(ctx context.Context) (f *Finding, done bool, err error) {
	p := &v.again
	if p.records {
		return comparePage(ctx, v.store, &v.w, &p.cmp, false)
	}
	if p.w.seq == v.w.seq {
		if p.w.hash != v.w.hash {
			return &Finding{Seq: p.w.seq, What: WhatLink, Message: fmt.Sprintf("the events up to %d were replaced by others that are a chain, too", p.w.seq)}, false, nil
		}
		if f, err = checkForm(ctx, v.store); f != nil || err != nil {
			return f, false, err
		}
		p.records = true
		return comparePage(ctx, v.store, &v.w, &p.cmp, true)
	}
	var events []model.Event
	var odd store.Odd
	err = v.store.Read(ctx, func(r store.Reader) error {
		var err error
		events, odd, err = r.Inspect().Events(p.w.seq, int(min(walkPage, v.w.seq-p.w.seq)))
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if len(events) == 0 {
		f, err = diagnose(ctx, v.store, &p.w, &trouble{seq: p.w.seq + 1})
		return f, false, err
	}
	var h hasher
	for i := range events {
		if t := p.w.take(&events[i], h.ok(&events[i]), odd); t != nil {
			f, err = diagnose(ctx, v.store, &p.w, t)
			return f, false, err
		}
	}
	return nil, false, nil
}
