package work

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"binnacle/backend/fleet/process"
	"binnacle/backend/guard"
	"binnacle/backend/scratch"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// seenAs is what a worker says of itself in a file, for people: nothing is decided
// by it.
type seenAs struct {
	desk.Worker
	Started int64  `json:"started"` // process.Info's
	Space   string `json:"space"`   // process.Space's
}

const (
	rosterEvery = 250 * time.Millisecond // between two writes, at least
	rosterBeat  = 20 * time.Second       // that the worker lives is said so often
	rosterMost  = 64 << 10               // bytes of a file that is read
	rosterAll   = 256                    // files that are read
)

func rosterFolder(dir string) string { return filepath.Join(dir, "workers") }

// roster keeps the file of one worker.
type roster struct {
	folder, path string
	stop         context.CancelFunc
	writing      guard.Group
	bell         wake.Bell
	clock        model.Clock

	mu           sync.Mutex
	me           seenAs
	done, failed hourly // what ended well, and what did not
}

// hourly counts what happened within the last hour, by the minute.
type hourly struct {
	counts [60]int64
	minute int64
}

func (h *hourly) move(now model.Time) {
	minute := now.Std().Unix() / 60
	for n := max(h.minute+1, minute-59); n <= minute; n++ {
		h.counts[n%60] = 0
	}
	h.minute = max(h.minute, minute)
}

func (h *hourly) add(now model.Time) {
	h.move(now)
	h.counts[h.minute%60]++
}

func (h *hourly) sum(now model.Time) (n int64) {
	h.move(now)
	for _, c := range h.counts {
		n += c
	}
	return n
}

func newRoster(o Options) *roster {
	ctx, stop := context.WithCancel(context.Background())
	pid := os.Getpid()
	r := &roster{
		folder: rosterFolder(o.Dir), path: filepath.Join(rosterFolder(o.Dir), strconv.Itoa(pid)+".json"), stop: stop, bell: wake.NewBell(), clock: o.Clock,
		me: seenAs{Space: process.Space(), Worker: desk.Worker{
			Consumer: o.Consumer, PID: pid, Lanes: o.Lanes, Parallel: o.Parallel, Command: o.Command[0], Since: o.Clock.Now(),
		}},
	}
	if p, ok := process.Look(pid); ok {
		r.me.Started = p.Started
	}
	if err := os.Mkdir(r.folder, 0o700); err == nil || os.IsExist(err) {
		forgetDead(r.folder)
		r.writing.Go("queue roster", func() {
			l := wake.Loop{Bell: r.bell, Least: rosterEvery}
			l.Run(ctx, func(wake.Why) time.Duration { r.write(); return rosterBeat })
		})
	}
	return r
}

// write replaces the file. What can't be written is not seen, and no more.
func (r *roster) write() {
	r.mu.Lock()
	now := r.clock.Now()
	r.me.At, r.me.Done, r.me.Failed = now, r.done.sum(now), r.failed.sum(now)
	text, err := json.Marshal(r.me)
	r.mu.Unlock()
	if err != nil {
		return
	}
	f, err := scratch.NewFile(r.folder, "worker")
	if err != nil {
		return
	}
	if _, err := f.Write(text); err != nil || f.Replace(r.path) != nil {
		f.Discard()
	}
}

func (r *roster) begin(d directive.Directive, pid int) {
	r.mu.Lock()
	r.me.Runs = append(r.me.Runs, desk.Run{ID: d.ID, Attempt: d.Attempt, PID: pid, Lane: d.Lane, Since: r.clock.Now()})
	r.mu.Unlock()
	r.bell.Ring()
}

func (r *roster) end(id int64, out Outcome) {
	r.mu.Lock()
	r.me.Runs = slices.DeleteFunc(r.me.Runs, func(x desk.Run) bool { return x.ID == id })
	switch out {
	case Done, Finished:
		r.done.add(r.clock.Now())
	case Failed, Parked:
		r.failed.add(r.clock.Now())
	}
	r.mu.Unlock()
	r.bell.Ring()
}

func (r *roster) close() {
	r.stop()
	r.writing.Wait()
	_ = os.Remove(r.path)
}

// Seen lists the workers of a workspace that live, by their consumer and number. It
// only reads.
func Seen(dir string) (out []desk.Worker) {
	for _, s := range roll(rosterFolder(dir)) {
		if s.alive() {
			out = append(out, s.Worker)
		}
	}
	slices.SortFunc(out, func(a, b desk.Worker) int {
		if n := strings.Compare(a.Consumer, b.Consumer); n != 0 {
			return n
		}
		return a.PID - b.PID
	})
	return out
}

// alive says whether the worker runs; one that another container started can't be
// looked at, so its word counts for a few beats.
func (s seenAs) alive() bool {
	if s.Space == process.Space() {
		return process.Same(s.PID, s.Started)
	}
	return time.Since(s.At.Std()) < 3*rosterBeat
}

func roll(folder string) map[string]seenAs {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // no worker ever ran here
	}
	out := map[string]seenAs{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || !e.Type().IsRegular() || len(out) == rosterAll {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if info, err := e.Info(); err != nil || info.Size() > rosterMost {
			continue
		}
		text, err := os.ReadFile(path)
		var s seenAs
		if err == nil && json.Unmarshal(text, &s) == nil && s.PID > 0 {
			out[path] = s
		}
	}
	return out
}

// forgetDead deletes what killed workers left.
func forgetDead(folder string) {
	for path, s := range roll(folder) {
		if !s.alive() {
			_ = os.Remove(path)
		}
	}
}
