package fleet

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// procRow is the process behind a session's newest report. Together with the
// session's id and the boot it is one incarnation: only its own end ends it.
type procRow struct {
	pid     int
	started int64
	space   string // the pid namespace in which that is its number
	n       int64  // the plugin's number of the newest report, 0 for none
}

func loadProcess(r store.Reader, key string) (procRow, error) {
	var p procRow
	err := r.QueryRow(`SELECT pid, pid_start, space, n FROM fleet_process WHERE key = $1`, key).Scan(&p.pid, &p.started, &p.space, &p.n)
	if errors.Is(err, sql.ErrNoRows) {
		return procRow{}, nil
	}
	return p, err
}

func (p procRow) same(line hooks.Spooled) bool {
	return p.pid == line.PID && p.started == line.Started && p.space == line.Space
}

// note keeps who sent the newest report.
func (p procRow) note(tx store.Tx, key string, line hooks.Spooled) error {
	n := line.Report.N
	if p.same(line) {
		n = max(n, p.n)
	}
	if line.PID == 0 || line.Report.Subagent != "" && p.pid > 0 {
		return nil
	}
	_, err := tx.Exec(store.Upsert("fleet_process", "key", "pid", "pid_start", "space", "n"),
		key, line.PID, line.Started, line.Space, n)
	if err != nil {
		return err
	}
	return coord.Moved(tx)
}

// late says whether a report is older than what is known of its session: by the
// number that its plugin gave it, else by when it happened; or by an earlier
// process than the one that has the session now.
func (f *book) late(t seen, p procRow, line hooks.Spooled) bool {
	if t.events == 0 || !t.at.SameBoot(line.At) {
		return false
	}
	if p.same(line) || p.pid == 0 || line.PID == 0 {
		if p.n > 0 && line.Report.N > 0 {
			return line.Report.N <= p.n
		}
		return line.At.Up < t.at.Up
	}
	if line.Report.Act == session.ActEnd {
		return true
	}
	if p.space != line.Space {
		return line.At.Up < t.at.Up
	}
	if a := line.Report.Act; a == session.ActStart || a == session.ActPrompt {
		return line.At.Up < t.at.Up // somebody took the session up there
	}
	gone := p.space == process.Space() && t.at.Boot == f.now().Boot && !process.Same(p.pid, p.started)
	return line.Started < p.started && !gone || line.At.Up < t.at.Up
}

// judges says whether this process may say that a session's process lives or is
// gone: another machine, another boot and a container have numbers of their own.
func (f *book) judges(s *Session, now model.Reading) bool {
	return s.PID > 0 && s.Machine == f.Machine() && s.space == process.Space() && s.Seen.SameBoot(now)
}

// told is what fleet_place keeps of a session.
type told struct {
	session.Place
	Title string `json:"title,omitempty"`
	Asks  string `json:"asks,omitempty"`
}

// place reads from a hook's environment where its session runs. pid is the
// tool's.
func (f *book) place(r session.Report, pid int) session.Place {
	socket, _, _ := strings.Cut(f.variable("TMUX"), ",")
	p := session.Place{
		Tmux: socket, TmuxPane: f.variable("TMUX_PANE"), WezTerm: f.variable("WEZTERM_PANE"), Kitty: f.variable("KITTY_WINDOW_ID"),
		Screen: f.variable("STY"), Transcript: r.Transcript, Branch: f.repo.BranchOf(r.Cwd),
	}
	if t, ok := process.Look(pid); ok && pid > 0 {
		p.TTY = t.TTY
	}
	return p.Bounded()
}

// keepPlace notes where the newest report of a session came from, and what it
// said that the session is about.
func keepPlace(tx store.Tx, key string, line hooks.Spooled) error {
	was, err := loadPlace(tx, key)
	if err != nil {
		return err
	}
	now := told{was.Later(line.Place.Bounded()), was.Title, was.Asks}
	if r := line.Report; r.Subagent == "" {
		if t := session.FirstLine(r.Title); t != "" {
			now.Title = t
		}
		switch r.Act {
		case session.ActAsk:
			// A notification comes after the request that it is about, and says less.
			if r.Event != "Notification" || now.Asks == "" {
				now.Asks = session.FirstLine(r.Asks)
			}
		case session.ActOther:
		default:
			now.Asks = ""
		}
	}
	if now == was {
		return nil
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(store.Upsert("fleet_place", "key", "place"), key, string(raw)); err != nil {
		return err
	}
	return coord.Moved(tx)
}

func loadPlace(r store.Reader, key string) (told, error) {
	var text string
	err := r.QueryRow(`SELECT coalesce(max(place), '') FROM fleet_place WHERE key = $1`, key).Scan(&text)
	return parsePlace(text), err
}

// parsePlace reads what fleet_place keeps; another version's counts as nothing.
func parsePlace(text string) told {
	var t told
	if text == "" || json.Unmarshal([]byte(text), &t) != nil {
		return told{}
	}
	return t
}
