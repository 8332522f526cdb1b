package backend

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// fleetLook is how often another process's fetch is looked for: one look at a
// file's date.
const fleetLook = 2 * time.Second

// fleetPart is the workspace's part in a fleet; its zero value is none.
type fleetPart struct {
	engine *fleet.Fleet
	fault  sync.Mutex // guards what follows
	text   string
	code   model.Code
}

// OpenFleet opens the fleet's engine on the repository that dir lies in, else
// on the project's. Outside of a repository, and where [fleet] is off, there is
// none. What keeps it from opening is an alarm, for the rest of the workspace
// works without it. It starts no process.
func (b *Backend) OpenFleet(dir, project string, environ []string, world workspace.World) {
	if err := b.openFleet(dir, project, environ, world); err != nil {
		b.raise("fleet", err.Error())
	}
}

func (b *Backend) openFleet(dir, project string, environ []string, world workspace.World) error {
	c := b.opt.Config
	if dir = FleetFolder(dir, project); c.Fleet.Off || !inRepository(dir) {
		return nil
	}
	o := c.FleetOptions(filepath.Join(b.opt.Dir, "config.toml"), world)
	o.Offline = b.ReadOnly()
	o.Spool = filepath.Join(b.opt.Dir, hooks.SpoolName)
	o.Clock = b.clock
	o.RepoDir, o.Store, o.Environ, o.Alarm = dir, b.Store, environ, b.fleetAlarm
	engine, err := fleet.Open(o)
	if err != nil {
		return err
	}
	b.fleet.engine = engine
	return nil
}

// inRepository says whether a folder lies in a Git work tree.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

// Fleet is the fleet's engine, nil where there is none.
func (b *Backend) Fleet() *fleet.Fleet { return b.fleet.engine }

// fleetAlarm hears of what fails in the fleet's duties; nil ends it.
func (b *Backend) fleetAlarm(_ string, err error) {
	text, code := "", model.Code("")
	if err != nil {
		text, code = err.Error(), model.CodeOf(err)
	}
	b.fleet.fault.Lock()
	changed := b.fleet.text != text
	b.fleet.text, b.fleet.code = text, code
	b.fleet.fault.Unlock()
	if changed {
		b.nudge.Ring()
	}
}

// fleetRows reads the workspace's sessions at the snapshot's own instant.
func (b *Backend) fleetRows(r store.Reader) (fleet.Rows, error) {
	if b.fleet.engine == nil {
		return fleet.Rows{}, nil
	}
	return b.fleet.engine.ReadRows(r)
}

// fleetView makes the fleet's part of a snapshot, nil where there is no fleet.
// Where nothing changed it costs looks at two dates.
func (b *Backend) fleetView(ctx context.Context, rows fleet.Rows, now model.Reading) *fleetmap.Picture {
	f := b.fleet.engine
	if f == nil {
		return nil
	}
	v := &fleetmap.Picture{At: now.Wall}
	m, err := f.MapOf(ctx, rows, now)
	v.Map = m
	if err != nil {
		v.Own, v.Fault, v.Code = true, err.Error(), model.CodeOf(err)
		if own, e := f.UnsharedOf(rows, now, err); e == nil {
			m, v.Map = own, own
		}
	}
	if m.Unshared != "" && v.Fault == "" {
		v.Fault, v.Code = "nothing is shared: "+m.Unshared, model.CodeNoRemote
	}
	if m.Alarm != "" {
		b.raise("fleet keys", m.Alarm+"; binnacle fleet key accept")
		if v.Fault == "" {
			v.Fault, v.Code = m.Alarm, model.CodeKeysChanged
		}
	} else if err == nil {
		b.settle("fleet keys")
	}
	b.fleet.fault.Lock()
	if b.fleet.text != "" && (v.Fault == "" || v.Code == model.CodeNotFetched) {
		v.Fault, v.Code = b.fleet.text, b.fleet.code
	}
	b.fleet.fault.Unlock()
	v.Collisions, v.MoreCollisions = fleetmap.CountCollisions(m.Sessions)
	return v
}

// landings reads the newest landings.
func landings(r store.Reader) ([]model.Event, error) {
	return ledger.Newest(r, model.KindCoord, session.TopicRefLanded, fleetmap.MaxShownLandings)
}

// fleetWatch looks whether another process fetched, and wakes the snapshots.
func (b *Backend) fleetWatch(ctx context.Context) {
	before := ""
	for wake.Sleep(ctx, wake.Beat(fleetLook)) {
		m, err := b.fleet.engine.Map(ctx)
		if err != nil && m.FetchedAt == 0 {
			continue
		}
		now := m.FetchedAt.String() + fleetStates(m)
		if before != "" && now != before {
			b.nudge.Ring()
		}
		before = now
	}
}

// fleetStates sums up what the map says but for ages.
func fleetStates(m fleetmap.Map) string {
	var out strings.Builder
	for _, s := range m.Sessions {
		out.WriteString(fleetmap.KeyOf(s))
		if s.LiveRow != nil {
			out.WriteString(s.State)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// fetch fetches the fleet's refs now.
func (b *Backend) fetch(ctx context.Context) (desk.Outcome, error) {
	f := b.fleet.engine
	if f == nil {
		return desk.Outcome{}, model.Errorf(model.CodeRefused, "there is no fleet here: the workspace is in no Git repository")
	}
	if _, err := f.Fetch(ctx); err != nil {
		return desk.Outcome{}, err
	}
	b.nudge.Ring()
	return desk.Outcome{Text: "the fleet was fetched"}, nil
}
