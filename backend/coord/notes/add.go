package notes

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
	"binnacle/model/redact"
)

// New is a note to be written.
type New struct {
	Path        string // see note.CheckPath; "" in Supersede is the former note's
	At          string // the revision that it is about; "" is the work tree as it lies there
	Title       string
	Body        string
	Anchor      string
	Model       string
	AllowSecret bool // keep what looks like a secret; otherwise it is replaced
}

// Written is a note that was added, with the rules by which secrets in its text
// were replaced.
type Written struct {
	note.Item
	Redacted []string `json:"redacted,omitempty"`
}

// Add writes a note. It is refused where its text or path breaks the rules, and
// with CodeRate past the writer's caps.
func (ns *Notes) Add(ctx context.Context, who Who, n New) (Written, error) {
	return ns.add(ctx, who, n, "")
}

// Supersede writes a note in the place of another, which is closed. A note that
// a person wrote, or that is endorsed, is superseded by its writer or a person
// only: it can't be undone.
func (ns *Notes) Supersede(ctx context.Context, who Who, id string, n New) (Written, error) {
	if n.Path == "" {
		err := ns.store.Read(ctx, func(r store.Reader) error {
			old, err := find(r, id, note.ActSupersede)
			n.Path = old.Path
			return err
		})
		if err != nil {
			return Written{}, err
		}
	}
	return ns.add(ctx, who, n, id)
}

func (ns *Notes) add(ctx context.Context, who Who, n New, supersedes string) (Written, error) {
	if err := note.CheckPath(n.Path); err != nil {
		return Written{}, err
	}
	t := note.Text{Title: n.Title, Body: n.Body, Anchor: n.Anchor, Model: n.Model}
	if err := t.Check(); err != nil {
		return Written{}, err
	}
	text, redacted, err := ns.text(who, "", t.Payload(), n.AllowSecret)
	if err != nil {
		return Written{}, err
	}
	if !n.AllowSecret {
		if err := ns.redactor.CheckNames(redact.Named{Name: "the path", Text: n.Path}); err != nil {
			return Written{}, err
		}
	}
	fact := note.Added{Trust: who.trust(), Supersedes: supersedes, Untrusted: note.Outsides{Path: n.Path}}
	if n.At != "" {
		fact.At, fact.Blob, err = ns.files.At(ctx, n.At, n.Path)
	} else if ns.files.Tracked() {
		fact.At, fact.Blob = ns.files.Head(), ns.files.Now(ctx, []string{n.Path})[n.Path]
	}
	if err != nil {
		return Written{}, err
	}
	var added note.Note
	err = ns.store.Write(ctx, func(tx store.Tx) error {
		if err := checkNotes(tx, who.Name); err != nil {
			return err
		}
		var old note.Note
		if supersedes != "" {
			var err error
			if old, err = maySupersede(tx, who, supersedes); err != nil {
				return err
			}
		}
		e, err := tx.Append(text)
		if err != nil {
			return err
		}
		if added, err = tell(tx, who, note.TopicAdded, e.Key, note.Open, e.Seq, fact); err != nil || supersedes == "" {
			return err
		}
		_, err = tell(tx, who, note.TopicSuperseded, supersedes, note.Superseded, added.FirstSeq, note.Changed{
			By: e.Key, Untrusted: note.Outsides{Path: old.Path},
		})
		return err
	})
	if err != nil {
		return Written{}, err
	}
	item, err := ns.item(ctx, added)
	return Written{item, redacted}, err
}

// maySupersede reads the note that is to be superseded, which may not be possible.
func maySupersede(tx store.Tx, who Who, id string) (note.Note, error) {
	old, err := find(tx, id, note.ActSupersede)
	if err != nil {
		return old, err
	}
	if _, ok := note.Machine().To(old.State, note.ActSupersede); !ok {
		refused := note.Machine().Refuse(id, old.State, note.ActSupersede)
		if old.SupersededBy != "" {
			return old, refused.WithHint("note %q stands in its place", old.SupersededBy)
		}
		return old, refused
	}
	if who.Agent && old.Writer != who.Name && (old.Trust == note.Human || old.EndorsedBy != "") {
		return old, model.Errorf(model.CodeRefused, "note %q is a person's or endorsed by one, so no agent but its writer supersedes it", clean.Line(id)).
			WithHint("add a note of your own beside it: binnacle note add --path %s", clean.Line(old.Path))
	}
	return old, nil
}

// checkNotes holds a writer to the caps on new notes.
func checkNotes(tx store.Tx, writer string) error {
	const rest = `SELECT added FROM notes WHERE writer = $1 AND added > $2 ORDER BY added DESC LIMIT 1 OFFSET $3`
	err := checkCap(tx, rest, writer, note.CapDay, note.DailyNotes, "%s has written %d notes within a day, which is the cap")
	if err != nil {
		return err
	}
	return checkCap(tx, rest, writer, note.CapHour, note.HourlyNotes, "%s has written %d notes within an hour, which is the cap")
}

// checkCap refuses a principal whose newest most acts, of which the query gives
// the time of the oldest, all lie within the span before now. Event times are
// what it counts by: it protects others from a flood, and decides nothing else.
func checkCap(tx store.Tx, query, who string, within model.Time, most int, done string) error {
	now := tx.Clocks().Wall
	oldest, err := store.SelectColumn[int64](tx, query, who, int64(now-within), most-1)
	if err != nil || len(oldest) == 0 {
		return store.Explain("count what was written", err)
	}
	again := model.Time(oldest[0]) + within
	return model.Errorf(model.CodeRate, done, clean.Line(who), most).
		WithHint("it is possible again in %s, at %s", model.Left(again.Sub(now)), again)
}
