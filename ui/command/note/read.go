package note

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"binnacle/backend/coord/notes"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
	"binnacle/ui/command/cli"
)

// listed is a list of notes as JSON.
type listed struct {
	Notes []note.Item `json:"notes"`
	More  int         `json:"more"` // that were left out
}

func list(r *cli.Run) *cobra.Command {
	o := notes.ListOptions{Limit: notes.DefaultList}
	c := &cobra.Command{
		Use: "list", Short: "List what is known, or what is known about a path", Args: cli.Takes(),
		Long: "List notes: what an owner endorsed before what people wrote before what agents wrote, fresh before stale,\n" +
			"those of the path before those of the folders above it, the newest first.",
		Example: "  binnacle note list --path src/parser.go\n  binnacle note list --json | jq -r '.notes[] | select(.freshness==\"stale\") | .id'",
	}
	c.Flags().StringVar(&o.Path, "path", "", "only those about this path and the folders above it")
	c.Flags().BoolVar(&o.All, "all", false, "those that were superseded, retracted or reported, too")
	c.Flags().IntVar(&o.Limit, "limit", o.Limit, "at most this many")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		if o.Limit == 0 {
			return cli.Usage("--limit must be at least 1")
		}
		if o.Path != "" {
			o.Path = path(o.Path)
		}
		_, ns, err := open(ctx, r, cli.Reading)
		if err != nil {
			return err
		}
		l, err := ns.List(ctx, o)
		if err != nil {
			return err
		}
		return r.Answer(listed{cli.OrEmpty(l.Items), l.More}, func() error { return table(r, l, o.All) })
	})
	return c
}

func table(r *cli.Run, l notes.List, all bool) error {
	columns := []cli.Column{
		{Name: "id", Right: true},
		{Name: "rank"},
		{Name: "freshness"},
		{Name: "for", Right: true},
		{Name: "by", Most: 24},
		{Name: "path", Most: 40},
		{Name: "title"},
	}
	now := r.Env.Now()
	var rows [][]string
	for _, i := range l.Items {
		title := i.Untrusted.Title
		if all && i.State != note.Open {
			title = "(" + i.State + reporter(i) + ") " + title
		}
		rows = append(rows, []string{i.ID, rank(i), string(i.Freshness), model.Age(now.Sub(i.Added)), i.Writer, i.Untrusted.Path, title})
	}
	if err := r.Table(columns, rows); err != nil || l.More == 0 {
		return err
	}
	return r.Say("and ", cli.Number(int64(l.More)), " more; --limit and --path choose")
}

func reporter(i note.Item) string {
	if i.ReportedBy == "" {
		return ""
	}
	return " by " + i.ReportedBy
}

func rank(i note.Item) string {
	if i.Lapsed() {
		return string(i.Rank) + " (lapsed)"
	}
	return string(i.Rank)
}

func show(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Show a note", Args: cli.Takes("ID"),
		Example:           "  binnacle note show 41",
		ValidArgsFunction: completeNotes(r, note.Open),
	}
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		_, ns, err := open(ctx, r, cli.Reading)
		if err != nil {
			return err
		}
		i, err := ns.Get(ctx, args[0])
		if err != nil {
			return err
		}
		return r.Answer(i, func() error {
			t := i.Untrusted
			err := r.Fields("id", i.ID, "state", i.State, "rank", rank(i), "freshness", string(i.Freshness), "path", t.Path, "anchor", t.Anchor,
				"title", t.Title, "by", i.Writer, "model", t.Model, "added", i.Added.In(r.Env.Zone), "at", i.At, "blob", i.Blob,
				"supersedes", i.Supersedes, "superseded by", i.SupersededBy, "endorsed by", i.EndorsedBy, "endorsed", i.EndorsedAt.In(r.Env.Zone),
				"reported by", i.ReportedBy, "why", t.Why)
			if err == nil && t.Body != "" {
				_, err = io.WriteString(r.Out, "\n"+clean.Text(t.Body)+"\n")
			}
			return err
		})
	})
	return c
}
