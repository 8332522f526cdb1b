package fleet

import (
	"encoding/json"
	"strings"

	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
)

// told is what fleet_place keeps of a session.
type told struct {
	model.Place
	Title string `json:"title,omitempty"`
	Asks  string `json:"asks,omitempty"`
}

// place reads from a hook's environment where its session runs. pid is the
// tool's.
func (f *Fleet) place(r model.Report, pid int) model.Place {
	socket, _, _ := strings.Cut(f.variable("TMUX"), ",")
	p := model.Place{
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
		if t := model.FirstLine(r.Title); t != "" {
			now.Title = t
		}
		switch r.Act {
		case model.ActAsk:
			// A notification comes after the request that it is about, and says less.
			if r.Event != "Notification" || now.Asks == "" {
				now.Asks = model.FirstLine(r.Asks)
			}
		case model.ActOther:
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
	return moved(tx)
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
