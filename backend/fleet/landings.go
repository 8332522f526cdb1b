package fleet

import (
	"context"
	"encoding/json"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// landingPayload is a ref.landed fact: ids, and under untrusted what people
// named.
type landingPayload struct {
	Commit    string `json:"commit"`
	Change    string `json:"change,omitempty"`
	Rewritten bool   `json:"rewritten,omitempty"` // trunk does not go on from what was there before
	Untrusted struct {
		Ref   string   `json:"ref"`
		Paths []string `json:"paths"`
		Cut   bool     `json:"paths_cut,omitempty"`
	} `json:"untrusted"`
}

// NoteLandings brings trunk's landings since the last time into the ledger, as
// coord events (ref.landed), in order, each once; it says how many. The first
// time it only notes where trunk is. It reads the cache and asks nobody.
func (f *Fleet) NoteLandings(ctx context.Context) (int, error) {
	if f.opts.Store == nil || f.opts.Store.ReadOnly() {
		return 0, nil
	}
	v, err := f.look(ctx)
	if err != nil || v.state.At == nil || v.state.Trunk == "" {
		return 0, err
	}
	name := "landed " + v.remote.Hash
	was, err := f.mark(ctx, name)
	if err != nil || was == v.state.Trunk {
		return 0, err
	}
	var list []fleetmap.Landing
	rewritten := false
	if was != "" {
		ok, err := v.remote.Record().Ancestor(ctx, was, v.state.Trunk)
		if err != nil {
			return 0, err
		}
		if rewritten = !ok; rewritten {
			list, err = v.remote.Record().Describe(ctx, []string{v.state.Trunk})
		} else {
			list, _, err = v.remote.Record().LandingsAfter(ctx, was, v.state.Trunk, fleetmap.MaxLandings)
		}
		if err != nil {
			return 0, err
		}
	}
	to := v.state.Trunk
	if len(list) > 0 {
		to = list[len(list)-1].Commit // more follow with the next call
	}
	err = f.opts.Store.Write(ctx, func(tx store.Tx) error {
		now := ""
		if err := readMark(tx, name, &now); err != nil || now != was {
			return err // another process was first
		}
		for _, l := range list {
			if err := f.appendLanding(tx, l, v.state.Branch, rewritten); err != nil {
				return err
			}
		}
		return putMark(tx, name, to)
	})
	return len(list), err
}

func (f *Fleet) appendLanding(tx store.Tx, l fleetmap.Landing, branch string, rewritten bool) error {
	branch, _ = f.opts.Redactor.RedactText(branch)
	p := landingPayload{Commit: l.Commit, Change: l.Change, Rewritten: rewritten}
	p.Untrusted.Ref, p.Untrusted.Paths, p.Untrusted.Cut = branch, f.opts.Redactor.RedactTexts(l.Paths), l.Cut
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	d := model.Draft{
		Topic: session.TopicRefLanded, Producer: "fleet@" + f.Machine(), Kind: model.KindCoord, Key: l.Commit, State: "landed", Payload: raw,
	}
	if err := d.Check(); err != nil {
		return err
	}
	if _, err = tx.Append(d); err != nil || l.Change == "" {
		return err
	}
	return putMark(tx, landedMark(l.Change), l.Commit)
}

// landedMark names the mark that holds as which commit a change landed last.
func landedMark(change string) string { return "change " + change }

// landedAs is the commit as which a session's change landed, "" where it has
// none, or it did not land as far as is known here.
func landedAs(r store.Reader, change string) (commit string, err error) {
	if change != "" {
		err = readMark(r, landedMark(change), &commit)
	}
	return commit, err
}

func (f *Fleet) mark(ctx context.Context, name string) (string, error) {
	value := ""
	err := f.opts.Store.Read(ctx, func(r store.Reader) error { return readMark(r, name, &value) })
	return value, err
}

func putMark(tx store.Tx, name, value string) error {
	_, err := tx.Exec(store.Upsert("fleet_marks", "name", "value"), name, value)
	return err
}

func readMark(r store.Reader, name string, value *string) error {
	*value = ""
	rows, err := r.Query(`SELECT value FROM fleet_marks WHERE name = $1`, name)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(value); err != nil {
			return err
		}
	}
	return rows.Err()
}
