package fleet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"binnacle/backend/fleet/statefile"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// dueAttempts is how often `push --due` tries a remote that can't be reached
// before it leaves it to the next event.
const dueAttempts = 3

// demand is what hooks asked for, by the dates of two files.
type demand struct {
	event int64 // the newest event, in nanoseconds; 0 for none
	end   int64 // the newest end of a session
}

func (f *publisher) demand() demand { return demand{dateOf(f.pokePath()), dateOf(f.endPath())} }

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

func (f *publisher) metPath() string { return filepath.Join(f.dir, "met.json") }

func (f *publisher) loadMet() (met, error) {
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
	return max(0, wait-fleetmap.Elapsed(*m.At, now)), true
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
func (f *publisher) pushDemand(ctx context.Context, m *met) error {
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
func (f *publisher) PushDue(ctx context.Context) error {
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

func (f *publisher) pushWhileDue(ctx context.Context, attempts *int) error {
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

// Places in <state>/repos/<hash>.
func (f *core) pokePath() string { return filepath.Join(f.dir, "poke") }

func (f *core) endPath() string { return filepath.Join(f.dir, "poke-end") }

func (f *core) dutiesPath() string { return filepath.Join(f.dir, "duties.lock") }

func (f *core) duePath() string { return filepath.Join(f.dir, "due.lock") }

func (f *core) restPath() string { return filepath.Join(f.dir, "rest.json") }

// poke says that there is something to publish: a file's date, for which
// whoever publishes looks. ended asks for a push before the heartbeat is over.
func (f *core) poke(ended bool) {
	paths := []string{f.pokePath()}
	if ended {
		paths = append(paths, f.endPath())
	}
	for _, path := range paths {
		// Writing a byte moves the date on every file system.
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			f.alarm(statefile.Error(err))
		}
	}
}

// Wake pokes the publisher, and starts one for this event where there is none.
func (f *core) Wake(ended bool) error {
	f.poke(ended)
	if f.repo.Common == "" || statefile.Held(f.dutiesPath()) || statefile.Held(f.duePath()) || f.resting() {
		return nil
	}
	if f.opts.Spawn != nil {
		return f.opts.Spawn()
	}
	return f.spawnDue()
}

// rest is how long no publisher is to be started, after one gave up.
type rest struct {
	Since model.Reading `json:"since"`
	For   time.Duration `json:"for"`
}

func (f *core) resting() bool {
	if !statefile.Exists(f.restPath()) {
		return false
	}
	var r rest
	return statefile.ReadJSON(f.restPath(), &r) == nil && fleetmap.Elapsed(r.Since, f.now()) < r.For
}

// spawnDue starts `fleet push --due` so that it outlives the hook and its
// terminal.
func (f *core) spawnDue() error {
	program, err := os.Executable()
	if err != nil {
		return model.Errorf(model.CodeInternal, "this program can't find itself: %w", err)
	}
	cmd := exec.Command(program, "fleet", "push", "--due")
	cmd.Dir, cmd.Env = f.repo.Root, f.opts.Environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return model.Errorf(model.CodeInternal, "the publisher can't be started: %w", err)
	}
	return cmd.Process.Release()
}
