package fleet

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// Hook records one event of a tool's session: a fact in the ledger where the
// session's state changes, telemetry otherwise. Then it pokes the publisher, or
// starts one where nobody holds the duties. It waits for the database, never
// for git. pid is the caller (os.Getppid() when 0): the tool, or a shell of
// its. An error is for a log; the tool is to see success whatever happens.
func (f *book) Hook(ctx context.Context, tool string, stdin io.Reader, pid int) (session.Report, error) {
	raw, err := hooks.NewInput(stdin, false).Next()
	if err != nil {
		return session.Report{}, notJSON(err)
	}
	r, err := hooks.Parse(tool, raw)
	if err != nil || r.Session == "" {
		return r, err
	}
	if err := f.Keep(r, f.now(), pid); err != nil {
		return r, err
	}
	return r, f.TakeKept(ctx, r.Act == session.ActEnd)
}

func notJSON(err error) error {
	if errors.Is(err, io.EOF) {
		return model.Errorf(model.CodeInvalid, "the hook's input is empty").WithHint("the tool passes a JSON object on stdin")
	}
	return err
}

// Keep writes a report of what happened at an instant into the spool. It opens
// no database and waits for no disk; pid is as in Hook.
func (f *book) Keep(r session.Report, at model.Reading, pid int) error {
	if pid == 0 {
		pid = os.Getppid()
	}
	line := hooks.Spooled{At: at, Space: process.Space()}
	line.PID, line.Started = process.OfTool(pid)
	line.About = f.about(&r, at)
	line.Place = f.place(r, line.PID)
	if r.Ctx == (session.ContextUse{}) {
		r.Ctx = hooks.ContextUse(f.home, r.Tool, r.Transcript)
	}
	line.Report = r
	return f.spools().Keep(line)
}

// TakeKept takes the spool in, and wakes the publisher. Where the holder of the
// duties watches the spool, there is nothing to do: see Watched.
func (f *book) TakeKept(ctx context.Context, ended bool) error {
	if f.opts.Store == nil {
		return model.Errorf(model.CodeNoWork, "no workspace here; run binnacle init")
	}
	if _, err := f.TakeSpool(ctx); err != nil {
		return err
	}
	return f.Wake(ended)
}

// Watched says whether the holder of the workspace's duties takes the spool in.
func (f *book) Watched() bool { return f.opts.Spool != "" && statefile.Held(f.watchPath()) }

func (f *book) watchPath() string { return f.opts.Spool + ".watch" }

// record takes one report in.
func (f *book) record(tx store.Tx, line hooks.Spooled) error {
	r, now := line.Report, line.At
	// The chain can't be edited later. Paths are compared as they are kept.
	r.Writes, r.Paths = f.opts.Redactor.RedactTexts(r.Writes), f.opts.Redactor.RedactTexts(r.Paths)
	for _, text := range []*string{&line.About.View, &line.About.Actor, &r.Event, &r.Title, &r.Asks, &line.Place.Branch} {
		*text, _ = f.opts.Redactor.RedactText(*text)
	}
	for _, id := range []*string{&r.Session, &r.Parent, &line.About.ID} {
		if _, n := f.opts.Redactor.RedactText(*id); n > 0 {
			*id = session.HashedName(*id)
		}
	}
	line.Report = r
	if !r.Known {
		if err := keepUnknown(tx, r, now); err != nil {
			return err
		}
	}
	key := session.Key(r.Tool, r.Session)
	t, err := loadSeen(tx, key)
	if err != nil {
		return err
	}
	if r.Parent != "" {
		t.parent = session.Key(r.Tool, r.Parent)
	}
	// A child session serves its parent: it is remembered as such, has no state
	// of its own here, and shows that the parent is alive.
	if t.parent != "" && t.parent != key {
		t.note(r, now, 0, 0)
		if err := saveSeen(tx, t); err != nil {
			return err
		}
		return f.recordChild(tx, t.parent, r, line)
	}
	s, err := coord.LoadSession(tx, key)
	if err != nil {
		return err
	}
	if s.State == "" && !r.Known {
		return nil // it may be about anything
	}
	p, err := loadProcess(tx, key)
	if err != nil {
		return err
	}
	if f.late(t, p, line) {
		return f.recordLate(tx, s, t, p, line)
	}
	if r.Act == session.ActEnd {
		if line.About.LandedAs, err = landedAs(tx, cmp.Or(line.About.Change, s.Change)); err != nil {
			return err
		}
	}
	facts := s.Next(line.About, r, since(s, t, now, tx.Now()))
	if err := coord.Tell(tx, &s, f.producer(r.Tool), facts...); err != nil {
		return err
	}
	if s.State == "" {
		return nil // the end of a session that nobody saw
	}
	t.note(r, now, line.PID, line.Started)
	if err := saveSeen(tx, t); err != nil {
		return err
	}
	if err := p.note(tx, key, line); err != nil {
		return err
	}
	if err := keepPlace(tx, key, line); err != nil {
		return err
	}
	// A tool that holds one session at a time takes up another by a prompt.
	if r.Subagent == "" && r.Act == session.ActPrompt {
		return f.supersede(tx, s, line)
	}
	return nil
}

// since is the instant of a report as the session's own times count: a report
// that waited in the spool is as old as it was.
func since(s session.Session, t seen, at model.Reading, now model.Time) model.Time {
	if s.State != session.Ended || t.events == 0 {
		return now
	}
	return s.Since.Add(fleetmap.Elapsed(t.at, at))
}

// recordLate takes in what still counts of a report that came too late: the
// paths that its own process wrote.
func (f *book) recordLate(tx store.Tx, s session.Session, t seen, p procRow, line hooks.Spooled) error {
	r := line.Report
	if p.same(line) || p.pid == 0 || line.PID == 0 {
		r.Act = session.ActOther
		if err := coord.Tell(tx, &s, f.producer(r.Tool), s.Next(session.Session{Tool: r.Tool, ID: r.Session}, r, tx.Now())...); err != nil {
			return err
		}
	}
	t.events++
	return saveSeen(tx, t)
}

func (f *book) recordChild(tx store.Tx, parent string, r session.Report, line hooks.Spooled) error {
	p, err := coord.LoadSession(tx, parent)
	if err != nil || p.State == "" || p.State == session.Ended {
		return err
	}
	t, err := loadSeen(tx, parent)
	if err != nil {
		return err
	}
	about := session.Session{Tool: p.Tool, ID: p.ID}
	child := session.Report{Event: r.Event, Act: session.ActOther, Writes: r.Writes, Paths: r.Paths}
	if err := coord.Tell(tx, &p, f.producer(r.Tool), p.Next(about, child, tx.Now())...); err != nil {
		return err
	}
	t.note(child, line.At, 0, 0)
	return saveSeen(tx, t)
}

// supersede ends the other sessions of the same process. A tool that holds one
// session at a time, and goes on under another id, often says nothing of the
// first one's end, or invents an id that it never uses again. A prompt under one
// id is the sign; its mere start is not, nor is what comes late of the other.
func (f *book) supersede(tx store.Tx, s session.Session, line hooks.Spooled) error {
	if line.PID == 0 || s.Tool != hooks.ToolClaude && s.Tool != hooks.ToolGemini {
		return nil
	}
	rows, err := tx.Query(`SELECT s.key FROM sessions s JOIN fleet_seen t ON t.key = s.key JOIN fleet_process p ON p.key = s.key
		WHERE s.state <> 'ended' AND s.tool = $1 AND p.pid = $2 AND p.pid_start = $3 AND p.space = $4 AND t.boot = $5 AND t.up <= $6
		AND s.machine = $7 AND s.key <> $8 ORDER BY s.key`,
		s.Tool, line.PID, line.Started, line.Space, line.At.Boot, int64(line.At.Up), s.Machine, s.Key)
	if err != nil {
		return err
	}
	defer rows.Close()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return err
		}
		keys = append(keys, key)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, key := range keys {
		old, err := coord.LoadSession(tx, key)
		if err != nil {
			return err
		}
		landed, err := landedAs(tx, old.Change)
		if err != nil {
			return err
		}
		if d, ok := old.End(session.ReasonSuperseded, landed); ok {
			if err := coord.Tell(tx, &old, f.producer(s.Tool), d); err != nil {
				return err
			}
		}
	}
	return nil
}

// A tool's unknown events are counted by name, the first maxUnknown of them;
// the others together.
const (
	maxUnknown   = 64
	otherUnknown = "…"
)

// keepUnknown counts an event that this program does not know, with the names
// of its members: enough to learn it, and nothing of what it says.
func keepUnknown(tx store.Tx, r session.Report, now model.Reading) error {
	event, n := r.Event, 0
	err := tx.QueryRow(`SELECT count(*) FROM fleet_unknown WHERE tool = $1 AND event NOT IN ($2, $3)`, r.Tool, event, otherUnknown).Scan(&n)
	if err != nil {
		return err
	}
	if n >= maxUnknown {
		event = otherUnknown
	}
	members := strings.ToValidUTF8(strings.Join(r.Members, " "), "?")
	if len(members) > 1024 {
		members = strings.ToValidUTF8(members[:1024], "")
	}
	_, err = tx.Exec(`INSERT INTO fleet_unknown (tool, event, count, seen, members) VALUES ($1, $2, 1, $3, $4)
		ON CONFLICT (tool, event) DO UPDATE SET count = fleet_unknown.count + 1, seen = excluded.seen, members = excluded.members`,
		r.Tool, event, int64(now.Wall), members)
	return err
}

// about says what a session's first fact carries, and puts the report's paths
// in relation to its work tree.
func (f *book) about(r *session.Report, now model.Reading) session.Session {
	where, err := git.FindTree(git.NearestFolder(r.Cwd))
	if where.Common == "" && r.Cwd != "" && !statefile.Exists(r.Cwd) {
		where = f.repo.Tree // a work tree that was removed
	}
	if r.Cwd == "" || err != nil {
		where = f.repo.Tree
	}
	for _, w := range r.Writes {
		if p, ok := inside(where.Root, r.Cwd, w); ok {
			r.Paths = append(r.Paths, p)
		}
	}
	p := f.placeOf(where)
	return session.Session{
		Tool: r.Tool, ID: r.Session, Machine: p.Machine, Boot: now.Boot, Actor: f.opts.Actor, View: p.View, Change: p.Change, Base: p.Base,
	}
}

// Here is where a session works that somebody declares from the folder that the
// fleet was opened in.
func (f *book) Here() coord.Place { return f.placeOf(f.repo.Tree) }

func (f *book) placeOf(where git.Tree) coord.Place {
	bound := f.bindings().Of(where.Root)
	p := coord.Place{Machine: f.Machine(), View: where.Root, Change: bound.Change, Base: bound.Base}
	if p.Base == "" {
		p.Base = where.Head()
	}
	return p
}

// inside gives a written path relative to the work tree, slash separated.
func inside(root, cwd, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		if cwd == "" {
			cwd = root
		}
		path = filepath.Join(cwd, path)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return strings.ToValidUTF8(filepath.ToSlash(rel), "?"), true
}

// UnknownEvents lists what tools sent that this program does not know.
type UnknownEvents struct {
	Tool    string     `json:"tool"`
	Event   string     `json:"event"`
	Count   int64      `json:"count"`
	Seen    model.Time `json:"seen"`
	Members string     `json:"members"`
}
