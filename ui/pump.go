package ui

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/ui/pane"
)

// Bounds of what becomes a message.
const (
	pumpEvery  = 33 * time.Millisecond // at most 30 messages a second
	pumpEvents = pane.StreamRows       // events kept for one message
)

// snapshotMsg is a new instant of the workspace.
type snapshotMsg struct{ snapshot desk.Snapshot }

// pump turns what the desk delivers into messages: never one message an
// event, never two in one frame, and never a queue of old snapshots. What it
// leaves out it counts. Sending blocks while the program is busy; what comes
// meanwhile waits here, bounded.
type pump struct {
	desk  desk.Desk
	send  func(tea.Msg)
	spawn func(name string, run func())

	mu     sync.Mutex
	cancel context.CancelFunc // ends the subscription under way
	queue  pane.Arrived       // not sent yet
	wake   chan struct{}
}

func newPump(d desk.Desk, send func(tea.Msg), spawn func(string, func())) *pump {
	return &pump{desk: d, send: send, spawn: spawn, wake: make(chan struct{}, 1)}
}

// start delivers snapshots and events until ctx ends.
func (p *pump) start(ctx context.Context) {
	p.spawn("snapshots", func() {
		for s := range p.desk.Snapshots(ctx) {
			p.send(snapshotMsg{s})
		}
	})
	p.spawn("events", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-p.wake:
			}
			if m, ok := p.take(); ok {
				p.send(m)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pumpEvery):
			}
		}
	})
}

// follow makes events that match f and come after the event after the only
// ones that are delivered from now on.
func (p *pump) follow(ctx context.Context, generation int, f filter.Filter, after int64) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	if p.cancel != nil {
		p.cancel()
	}
	p.cancel = cancel
	p.queue = pane.Arrived{Generation: generation}
	p.mu.Unlock()
	p.spawn("follow", func() {
		defer cancel()
		err := p.feed(ctx, generation, desk.FollowRequest{Filter: f, After: &model.Cursor{Seq: after}, Room: feedRoom})
		if err != nil && ctx.Err() == nil {
			p.send(pane.Failed{Generation: generation, Err: err})
		}
	})
}

// feedRoom is how many events wait for a cockpit that is busy: a storm of 20,000
// a second is looked at 30 times a second.
const feedRoom = 4096

// feed files what the stream brings, until it fails or ctx ends.
func (p *pump) feed(ctx context.Context, generation int, r desk.FollowRequest) error {
	feed, err := p.desk.Follow(ctx, r)
	if err != nil {
		return err
	}
	defer feed.Close()
	for {
		items, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		p.add(generation, items)
	}
}

// add files a batch behind those that wait.
func (p *pump) add(generation int, items []desk.Item) {
	p.mu.Lock()
	q := &p.queue
	if q.Generation != generation {
		p.mu.Unlock()
		return // of a filter that was given up
	}
	for i := range items {
		it := &items[i]
		switch {
		case it.Gap == nil:
			q.Events = append(q.Events, it.Event)
		case it.Gap.Missed > 0:
			// Events that wait before the gap go into it, so that what is shown stays
			// in order.
			leaveOut(q, len(q.Events))
			q.Gap.Add(*it.Gap)
		}
	}
	leaveOut(q, len(q.Events)-pumpEvents)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// leaveOut puts the first n events into the gap before them.
func leaveOut(m *pane.Arrived, n int) {
	if n <= 0 {
		return
	}
	first, last := m.Events[0].Seq, m.Events[n-1].Seq
	m.Gap.Add(desk.Gap{Missed: int64(n), From: first, To: last, Next: model.Cursor{Seq: first - 1}})
	m.Events = append([]model.Event(nil), m.Events[n:]...)
}

func (p *pump) take() (pane.Arrived, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.queue
	p.queue = pane.Arrived{Generation: m.Generation}
	return m, len(m.Events) > 0 || m.Gap.Missed > 0
}
