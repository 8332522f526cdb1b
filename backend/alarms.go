package backend

import (
	"cmp"
	"slices"
	"sync"

	"binnacle/model/desk"
)

// alarmBook keeps what is wrong now, one alarm an engine.
type alarmBook struct {
	mu  sync.Mutex
	all map[string]desk.Alarm
}

// raise notes that something is wrong; the same alarm again keeps its begin.
func (b *Backend) raise(engine, text string) {
	b.alarm.mu.Lock()
	old, ok := b.alarm.all[engine]
	changed := !ok || old.Text != text
	if changed {
		if b.alarm.all == nil {
			b.alarm.all = map[string]desk.Alarm{}
		}
		a := desk.Alarm{Engine: engine, Text: text, Since: b.clock.Now()}
		if ok {
			a.Since = old.Since
		}
		b.alarm.all[engine] = a
	}
	b.alarm.mu.Unlock()
	if changed {
		b.nudge.Ring()
	}
}

// settle takes the engine's alarm back.
func (b *Backend) settle(engine string) {
	b.alarm.mu.Lock()
	_, ok := b.alarm.all[engine]
	delete(b.alarm.all, engine)
	b.alarm.mu.Unlock()
	if ok {
		b.nudge.Ring()
	}
}

// alarms lists what is wrong: what the engines said, and what the store's
// health says.
func (b *Backend) alarms() []desk.Alarm {
	b.alarm.mu.Lock()
	out := make([]desk.Alarm, 0, len(b.alarm.all)+2)
	for _, a := range b.alarm.all {
		out = append(out, a)
	}
	b.alarm.mu.Unlock()
	h := b.Store.Health()
	if h.WALAlarm != "" {
		out = append(out, desk.Alarm{Engine: "wal", Text: h.WALAlarm})
	}
	if h.Gone != nil {
		// Whatever else fails now fails because of it.
		out = append(out[:0], desk.Alarm{Engine: "workspace", Text: h.Gone.Error()})
	} else if h.LastError != "" {
		out = append(out, desk.Alarm{Engine: "commit", Text: h.LastError})
	}
	slices.SortFunc(out, func(a, b desk.Alarm) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Engine, b.Engine))
	})
	return out
}
