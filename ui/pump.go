package ui

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
)

// Bounds of what becomes a message.
const (
	pumpEvery  = 33 * time.Millisecond // at most 30 messages a second
	pumpEvents = streamRows            // events kept for one message
)

// pump turns what the engine delivers into messages: never one message an
// event, never two in one frame, and never a queue of old snapshots. What it
// leaves out it counts. Sending blocks while the program is busy; what comes
// meanwhile waits here, bounded.
type pump struct {
	engine Engine
	send   func(tea.Msg)
	spawn  func(name string, run func())

	mu     sync.Mutex
	cancel context.CancelFunc // ends the subscription under way
	queue  eventsMsg          // not sent yet
	wake   chan struct{}
}

func newPump(e Engine, send func(tea.Msg), spawn func(string, func())) *pump {
	return &pump{engine: e, send: send, spawn: spawn, wake: make(chan struct{}, 1)}
}

// start delivers snapshots and events until ctx ends.
func (p *pump) start(ctx context.Context) {
	p.spawn("snapshots", func() {
		for s := range p.engine.Snapshots(ctx) {
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
func (p *pump) follow(ctx context.Context, generation int, f model.Filter, after int64) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	if p.cancel != nil {
		p.cancel()
	}
	p.cancel = cancel
	p.queue = eventsMsg{generation: generation}
	p.mu.Unlock()
	p.spawn("follow", func() {
		defer cancel()
		err := p.engine.Follow(ctx, f, after, func(events []model.Event, missed, from, to int64) {
			p.add(generation, events, missed, from, to)
		})
		if err != nil && ctx.Err() == nil {
			p.send(streamFailedMsg{generation, err})
		}
	})
}

// add files a batch behind those that wait.
func (p *pump) add(generation int, events []model.Event, missed, from, to int64) {
	p.mu.Lock()
	q := &p.queue
	if q.generation != generation {
		p.mu.Unlock()
		return // of a filter that was given up
	}
	if missed > 0 && len(q.events) > 0 {
		// The gap is behind events that wait: they go into it, so that what is
		// shown stays in order.
		missed += int64(len(q.events))
		from = q.events[0].Seq
		q.events = nil
	}
	if missed > 0 {
		q.miss(missed, from, to)
	}
	q.events = append(q.events, events...)
	if extra := len(q.events) - pumpEvents; extra > 0 {
		q.miss(int64(extra), q.events[0].Seq, q.events[extra-1].Seq)
		q.events = append([]model.Event(nil), q.events[extra:]...)
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// miss widens the gap before the events.
func (m *eventsMsg) miss(n, from, to int64) {
	if m.missed == 0 {
		m.from = from
	}
	m.missed += n
	m.to = to
}

func (p *pump) take() (eventsMsg, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.queue
	p.queue = eventsMsg{generation: m.generation}
	return m, len(m.events) > 0 || m.missed > 0
}
