package fleet

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"binnacle/backend/fleet/statefile"
	"binnacle/backend/wake"
	"binnacle/model"
)

// dueAttempts is how often `push --due` tries a remote that can't be reached
// before it leaves it to the next event.
const dueAttempts = 3

// demand is what hooks asked for, by the dates of two files.
type demand struct {
	event int64 // the newest event, in nanoseconds; 0 for none
	end   int64 // the newest end of a session
}

func (f *Fleet) demand() demand { return demand{dateOf(f.pokePath()), dateOf(f.endPath())} }

func dateOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// met is what the last push answered, kept with the repository's folder.
type met struct {
	Event int64          `json:"event"`
	End   int64          `json:"end"`
	At    *model.Reading `json:"at"` // of the last attempt
	Fails int            `json:"fails"`
	Code  model.Code     `json:"code,omitempty"` // of the last failure
	Why   string         `json:"why,omitempty"`
}

func (f *Fleet) metPath() string { return filepath.Join(f.dir, "met.json") }

func (f *Fleet) loadMet() (met, error) {
	var m met
	err := statefile.ReadJSON(f.metPath(), &m)
	return m, err
}

// dueIn says in how long a push is due; false when nothing happened since the
// last one. A session's end does not wait for the heartbeat; a failure waits
// longer.
func dueIn(d demand, m met, now model.Reading, heartbeat time.Duration) (time.Duration, bool) {
	if d.event <= m.Event && d.end <= m.End {
		return 0, false
	}
	if m.At == nil {
		return 0, true
	}
	wait := max(heartbeat, pause(m.Fails))
	if m.Fails == 0 && d.end > m.End {
		return 0, true
	}
	return max(0, wait-model.Elapsed(*m.At, now)), true
}

// stopped says whether a failure is one that trying again does not mend.
func stopped(code model.Code) bool {
	switch code {
	case model.CodeConflict, model.CodeRefRefused, model.CodeRefsFull, model.CodeNoRemote, model.CodeRefused:
		return true
	}
	return false
}

// pushDemand pushes for what was asked until now, and notes how it went.
func (f *Fleet) pushDemand(ctx context.Context, m *met) error {
	d, now := f.demand(), f.now()
	_, err := f.Push(ctx)
	m.At = &now
	if err == nil {
		*m = met{Event: d.event, End: d.end, At: &now}
	} else {
		m.Fails++
		m.Code, m.Why = model.CodeOf(err), err.Error()
	}
	if e := statefile.WriteJSON(f.metPath(), m); err == nil {
		err = e
	}
	return err
}

// PushDue is `fleet push --due`: it waits out the heartbeat, publishes, and
// goes on for as long as events came in the meantime, so that a heartbeat's
// last event is sent, too. Where another process is at it, that one will see
// the event, and PushDue returns at once.
func (f *Fleet) PushDue(ctx context.Context) error {
	if _, err := f.TakeSpool(ctx); err != nil {
		return err // the hooks that started it may have left their reports
	}
	for attempts := 0; ; {
		l, ok, err := statefile.TryLock(f.duePath())
		if err != nil || !ok || statefile.Held(f.dutiesPath()) {
			l.Unlock()
			return err
		}
		err = f.pushWhileDue(ctx, &attempts)
		l.Unlock()
		if err != nil {
			return err
		}
		// An event that came between the last look and the unlocking found the
		// lock held and started nobody.
		m, err := f.loadMet()
		if err != nil {
			return err
		}
		if _, due := dueIn(f.demand(), m, f.now(), f.opts.Heartbeat); !due {
			return nil
		}
	}
}

func (f *Fleet) pushWhileDue(ctx context.Context, attempts *int) error {
	m, err := f.loadMet()
	if err != nil {
		return err
	}
	for {
		wait, due := dueIn(f.demand(), m, f.now(), f.opts.Heartbeat)
		if !due {
			return nil
		}
		if wait > 0 {
			// In small steps, for an end may come that does not wait.
			if err := sleep(ctx, min(wait, 500*time.Millisecond)); err != nil {
				return err
			}
			continue
		}
		err := f.pushDemand(ctx, &m)
		if err == nil {
			continue
		}
		*attempts++
		if stopped(m.Code) || *attempts >= dueAttempts {
			r := rest{Since: f.now(), For: backoffMost}
			if e := statefile.WriteJSON(f.restPath(), r); e != nil {
				return e
			}
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if !wake.Sleep(ctx, d) {
		return model.Errorf(model.CodeCancelled, "cancelled: %w", ctx.Err())
	}
	return nil
}
