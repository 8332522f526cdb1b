package notes

import (
	"context"
	"encoding/json"

	"binnacle/backend/fleet/git"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
	"binnacle/model/redact"
)

// Who acts: a principal, and whether it is known to be an agent. Whoever is not
// known to be one is taken for a person.
type Who struct {
	Name  string // 1-128 bytes
	Agent bool
}

func (w Who) trust() note.Trust {
	if w.Agent {
		return note.Agent
	}
	return note.Human
}

// Notes works on the notes of one store, as seen from one work tree. Its methods
// may be called from any goroutine; it holds nothing that needs closing.
type Notes struct {
	store    store.Store
	files    git.Files        // where it is looked whether notes are stale, and who owns a path
	redactor *redact.Redactor // nil takes every text as it is
}

// Open makes Notes on s.
func Open(s store.Store, files git.Files, redactor *redact.Redactor) *Notes {
	return &Notes{store: s, files: files, redactor: redactor}
}

// find reads a note that is to be changed; where there is none the refusal says
// what it can't be.
func find(r store.Reader, id, action string) (note.Note, error) {
	n, err := Records.Get(r, id)
	if err != nil && model.CodeOf(err) == model.CodeNotFound {
		return n, note.Machine().Refuse(id, "", action)
	}
	return n, err
}

// tell appends one fact about a note and returns the note after it.
func tell(tx store.Tx, who Who, topic, id, state string, causation int64, payload any) (note.Note, error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return note.Note{}, model.Errorf(model.CodeInternal, "a fact can't be written: %w", err)
	}
	d := model.Draft{
		Topic: topic, Producer: who.Name, Kind: model.KindCoord, Key: id, State: state, Causation: causation, Payload: raw,
	}
	if err := d.Check(); err != nil {
		return note.Note{}, err
	}
	if _, err := tx.Append(d); err != nil {
		return note.Note{}, err
	}
	return Records.Get(tx, id)
}

// text makes the event that holds what somebody wrote about a note, checked and
// redacted; rules are those that replaced something. id "" is a new note's.
func (ns *Notes) text(who Who, id string, p note.TextPayload, allowSecret bool) (d model.Draft, rules []string, err error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return d, nil, model.Errorf(model.CodeInternal, "a text can't be written: %w", err)
	}
	d = model.Draft{Topic: note.TopicText, Producer: who.Name, Kind: model.KindNote, Key: id, Payload: raw}
	if err := d.Check(); err != nil || allowSecret {
		return d, nil, err
	}
	if err := ns.redactor.CheckText("the name of who does it", who.Name); err != nil {
		return d, nil, err
	}
	out, rules, _, err := ns.redactor.Redact(d.Payload)
	d.Payload = out
	return d, rules, err
}

// step takes one note a step on, where the check allows it. why, where it is not
// nil, appends the event that says why and returns its number, 0 for none.
func (ns *Notes) step(
	ctx context.Context, who Who, id, action, topic string,
	check func(tx store.Tx, n note.Note) error, why func(tx store.Tx) (int64, error),
) (note.Item, error) {
	var after note.Note
	err := ns.store.Write(ctx, func(tx store.Tx) error {
		n, err := find(tx, id, action)
		if err != nil {
			return err
		}
		to, ok := note.Machine().To(n.State, action)
		if !ok {
			return note.Machine().Refuse(id, n.State, action)
		}
		if check != nil {
			if err := check(tx, n); err != nil {
				return err
			}
		}
		causation := int64(0)
		if why != nil {
			if causation, err = why(tx); err != nil {
				return err
			}
		}
		after, err = tell(tx, who, topic, id, to, causation, note.Changed{Untrusted: note.Outsides{Path: n.Path}})
		return err
	})
	if err != nil {
		return note.Item{}, err
	}
	return ns.item(ctx, after)
}

// Retract takes a note back. Only its writer may.
func (ns *Notes) Retract(ctx context.Context, who Who, id string) (note.Item, error) {
	return ns.step(ctx, who, id, note.ActRetract, note.TopicRetracted, func(_ store.Tx, n note.Note) error {
		if n.Writer == who.Name {
			return nil
		}
		return model.Errorf(model.CodeRefused, "note %q was written by %s, and only its writer retracts it, not %s",
			clean.Line(id), clean.Line(n.Writer), clean.Line(who.Name)).
			WithHint("write what holds in its place with binnacle note supersede, or report it")
	}, nil)
}
