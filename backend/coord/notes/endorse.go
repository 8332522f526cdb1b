package notes

import (
	"context"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
)

// Endorse says that a note holds. A person may who owns its path (see ownersOf),
// and did not write it, while it is open and not stale, nor of unknown freshness
// where it says what stood at its path. already says that the same person's
// endorsement stands, and nothing was written.
func (ns *Notes) Endorse(ctx context.Context, who Who, id string) (_ note.Item, already bool, err error) {
	if who.Agent {
		return note.Item{}, false, model.Errorf(model.CodeRefused, "%s is an agent, and only people endorse notes", clean.Line(who.Name)).
			WithHint("a variable that an agent's tool sets says so, such as BINNACLE_AGENT or CLAUDECODE; a person endorses from a shell without it")
	}
	var n note.Note
	err = ns.store.Read(ctx, func(r store.Reader) (err error) {
		n, err = find(r, id, note.ActEndorse)
		return err
	})
	if err != nil {
		return note.Item{}, false, err
	}
	if n.State == note.Open {
		if err := ns.mayEndorse(ctx, who, n); err != nil {
			return note.Item{}, false, err
		}
		if n.EndorsedBy == who.Name {
			item, err := ns.item(ctx, n)
			return item, true, err
		}
	}
	item, err := ns.step(ctx, who, id, note.ActEndorse, note.TopicEndorsed, nil, nil)
	return item, false, err
}

// mayEndorse looks at what never changes of a note, and at the work tree.
func (ns *Notes) mayEndorse(ctx context.Context, who Who, n note.Note) error {
	if n.Writer == who.Name {
		return model.Errorf(model.CodeRefused, "note %q is by %s, and nobody endorses a note of their own", clean.Line(n.ID), clean.Line(n.Writer)).
			WithHint("another owner of %s may", clean.Line(n.Path))
	}
	switch fresh := ns.freshness(ctx, []note.Note{n})[n.ID]; {
	case fresh == note.Stale:
		return model.Errorf(model.CodeRefused, "note %q is stale: %s is not what it was when the note was written", clean.Line(n.ID), clean.Line(n.Path)).
			WithHint("write what holds now in its place: binnacle note supersede %s", clean.Line(n.ID))
	case fresh == note.Unknown && n.Blob != "":
		return model.Errorf(model.CodeRefused, "whether note %q is stale can't be told here, so it can't be endorsed", clean.Line(n.ID)).
			WithHint("endorse it in a work tree where %s can be read", clean.Line(n.Path))
	}
	owners, err := ownersOf(ns.files.Root(), n.Path)
	if err != nil {
		return err
	}
	if len(owners) == 0 {
		return model.Errorf(model.CodeRefused, "nobody owns %s by a CODEOWNERS or OWNERS file, so nobody can endorse a note about it", clean.Line(n.Path)).
			WithHint("name its owners in CODEOWNERS")
	}
	if !who.among(owners, ns.files.Mail(ctx)) {
		return model.Errorf(model.CodeRefused, "%s is not an owner of %s, and only owners endorse", clean.Line(who.Name), clean.Line(n.Path)).
			WithHint("its owners are %s", clean.Line(model.CutBytes(strings.Join(owners, ", "), 300)))
	}
	return nil
}

// among says whether somebody is one of the owners: by the name under which they
// act, whole or up to an @ as in user@host, or by their mail in Git. Teams are
// not looked up.
func (w Who) among(owners []string, mail string) bool {
	user, _, _ := strings.Cut(w.Name, "@")
	for _, o := range owners {
		name := strings.TrimPrefix(o, "@")
		if strings.EqualFold(name, w.Name) || strings.EqualFold(name, user) || mail != "" && strings.EqualFold(name, mail) {
			return true
		}
	}
	return false
}
