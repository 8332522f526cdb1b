package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/note"
)

// Bounds of a list.
const (
	DefaultList = 100
	MaxList     = 500
	// pool is how many notes a list ranks: those beyond it, which are ranked by
	// what the database knows alone, come behind them all.
	pool = 1000
)

// ListOptions choose notes.
type ListOptions struct {
	Path  string // only those of this path and of every folder above it; "" is any
	All   bool   // also those that are superseded, retracted or reported
	Limit int    // 1 to MaxList; 0 is DefaultList
}

// List is the notes that were chosen, in the order of note.Compare, and how many
// more there are.
type List struct {
	Items []note.Item
	More  int
}

// List reads notes. It looks at the work tree for whether they are stale.
func (ns *Notes) List(ctx context.Context, o ListOptions) (List, error) {
	if o.Path != "" {
		if err := note.CheckPath(o.Path); err != nil {
			return List{}, err
		}
	}
	if o.Limit == 0 {
		o.Limit = DefaultList
	}
	if o.Limit < 1 || o.Limit > MaxList {
		return List{}, model.Errorf(model.CodeUsage, "a list has from 1 to %d notes", MaxList)
	}
	where, args := o.where()
	var found []note.Note
	total := 0
	err := ns.store.Read(ctx, func(r store.Reader) (err error) {
		if err := r.QueryRow(`SELECT count(*) FROM notes WHERE `+where, args...).Scan(&total); err != nil {
			return err
		}
		found, err = Records.Select(r, fmt.Sprintf(`WHERE %s ORDER BY CASE WHEN endorsed_by IS NOT NULL THEN 0 WHEN trust = 'human' THEN 1 ELSE 2 END,
			first_seq DESC LIMIT %d`, where, pool), args...)
		return err
	})
	if err != nil {
		return List{}, store.Explain("read the notes", err)
	}
	fresh := ns.freshness(ctx, found)
	slices.SortFunc(found, func(a, b note.Note) int { return note.Compare(&a, &b, fresh[a.ID], fresh[b.ID], o.Path != "") })
	found = found[:min(len(found), o.Limit)]
	items, err := ns.items(ctx, found, fresh)
	return List{items, total - len(found)}, err
}

func (o ListOptions) where() (string, []any) {
	var conditions []string
	var args []any
	if o.Path != "" {
		var places []string
		for _, p := range note.Above(o.Path) {
			args = append(args, p)
			places = append(places, fmt.Sprintf("$%d", len(args)))
		}
		conditions = append(conditions, "path IN ("+strings.Join(places, ", ")+")")
	}
	if !o.All {
		args = append(args, note.Open)
		conditions = append(conditions, fmt.Sprintf("state = $%d", len(args)))
	}
	if len(conditions) == 0 {
		return "1 = 1", nil
	}
	return strings.Join(conditions, " AND "), args
}

// Get reads one note, in whatever state it is.
func (ns *Notes) Get(ctx context.Context, id string) (note.Item, error) {
	var n note.Note
	err := ns.store.Read(ctx, func(r store.Reader) (err error) {
		n, err = Records.Get(r, id)
		return err
	})
	if err != nil {
		return note.Item{}, err
	}
	return ns.item(ctx, n)
}

func (ns *Notes) item(ctx context.Context, n note.Note) (note.Item, error) {
	one := []note.Note{n}
	items, err := ns.items(ctx, one, ns.freshness(ctx, one))
	if err != nil {
		return note.Item{}, err
	}
	return items[0], nil
}

// freshness looks at the work tree, once for all notes.
func (ns *Notes) freshness(ctx context.Context, list []note.Note) map[string]note.Freshness {
	var paths []string
	for i := range list {
		if list[i].Blob != "" {
			paths = append(paths, list[i].Path)
		}
	}
	slices.Sort(paths)
	now := ns.files.Now(ctx, slices.Compact(paths))
	out := make(map[string]note.Freshness, len(list))
	for i := range list {
		there, read := now[list[i].Path]
		out[list[i].ID] = note.FreshnessOf(list[i].Blob, there, read)
	}
	return out
}

// items puts notes and their texts together.
func (ns *Notes) items(ctx context.Context, list []note.Note, fresh map[string]note.Freshness) ([]note.Item, error) {
	texts := map[string]note.Text{}
	if len(list) > 0 {
		places, ids := make([]string, len(list)), make([]any, len(list))
		for i := range list {
			places[i], ids[i] = fmt.Sprintf("$%d", i+1), list[i].ID
		}
		err := ns.store.Read(ctx, func(r store.Reader) error {
			found, err := Texts.Select(r, `WHERE id IN (`+strings.Join(places, ", ")+`)`, ids...)
			for _, t := range found {
				texts[t.ID] = t
			}
			return err
		})
		if err != nil {
			return nil, store.Explain("read the notes", err)
		}
	}
	out := make([]note.Item, 0, len(list))
	for i := range list {
		n, t, f := &list[i], texts[list[i].ID], fresh[list[i].ID]
		item := note.Item{
			ID: n.ID, State: n.State, Rank: n.Rank(f), Freshness: f, Trust: n.Trust, Writer: n.Writer, At: n.At, Blob: n.Blob,
			Supersedes: n.Supersedes, SupersededBy: n.SupersededBy, EndorsedBy: n.EndorsedBy, EndorsedAt: n.EndorsedAt,
			ReportedBy: n.ReportedBy, Added: n.Added, Since: n.Since, Rev: n.Rev, Seq: n.LastSeq,
			Untrusted: note.Untrusted{Path: n.Path, Title: t.Title, Body: t.Body, Anchor: t.Anchor, Model: t.Model},
		}
		if n.WhySeq != 0 && n.WhySeq == t.WhySeq {
			item.Untrusted.Why = t.Why
		}
		out = append(out, item)
	}
	return out, nil
}
