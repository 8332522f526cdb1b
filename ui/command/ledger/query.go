package ledger

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger/export"
	"binnacle/backend/ledger/query"
	"binnacle/model"
	"binnacle/model/filter"
	"binnacle/ui/command/cli"
)

// queryFlags choose events.
type queryFlags struct {
	q      query.Query
	filter string
	since  cli.Place
	until  cli.Moment
	order  cli.Choice
	format cli.Choice
	out    string
	count  bool
}

// add adds the flags that choose events.
func (f *queryFlags) add(r *cli.Run, c *cobra.Command, limit int) {
	f.since.Now, f.until.Now = r.Env.Now, r.Env.Now
	f.order = cli.Choice{Value: "asc", Words: []string{"asc", "desc"}}
	f.format.Words = []string{"json", "jsonl", "csv"}
	fl := c.Flags()
	fl.StringVar(&f.q.Topic, "topic", "", "only this topic; * and ? may stand in it")
	fl.StringVar(&f.q.Kind, "kind", "", "only this kind, or these with commas")
	fl.StringVar(&f.q.Producer, "producer", "", "only what this one wrote")
	fl.StringVar(&f.q.State, "state", "", "only events that led to this state")
	fl.StringVar(&f.q.Key, "key", "", "only events about this record")
	fl.StringVar(&f.q.Text, "text", "", "only where this is found in payload, topic, producer or key")
	fl.StringVar(&f.filter, "filter", "", "the cockpit's filter language, e.g. 'kind:signal topic:build/* -word'")
	fl.Var(&f.since, "since", "only what came after this sequence number or cursor, or since this time or span (2h)")
	fl.Var(&f.until, "until", "only what came before this time or span")
	fl.IntVar(&f.q.Limit, "limit", limit, "at most this many; 0 is all")
	fl.Var(&f.order, "order", "asc (oldest first) or desc")
	fl.StringVar(&f.out, "out", "", "write to this file, whole or not at all")
	_ = c.RegisterFlagCompletionFunc("topic", r.CompleteTopics)
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(cli.KindNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("filter", r.CompleteFilter)
	_ = c.RegisterFlagCompletionFunc("order", cobra.FixedCompletions(f.order.Words, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(filter.States(func(model.Kind) bool { return true }), cobra.ShellCompDirectiveNoFileComp))
}

// query settles what the flags say.
func (f *queryFlags) query(ctx context.Context, r *cli.Run, w *cli.Workspace) (query.Query, error) {
	var err error
	q := f.q
	if q.Filter, err = r.ParseFilter(f.filter); err != nil {
		return q, err
	}
	if q.After, err = f.since.Seq(ctx, w); err != nil {
		return q, err
	}
	q.Since, q.Until, q.Newest = f.since.At, f.until.At, f.order.Value == "desc"
	return q, q.Validate()
}

func queryVerb(r *cli.Run) *cobra.Command {
	var f queryFlags
	c := &cobra.Command{
		Use:   "query",
		Short: "Find events",
		Long: "Print the events that match every flag. --count-only prints how many there are. --export writes json,\n" +
			"jsonl or csv, to stdout or with --out to a file that is there only when it is whole.",
		Example: "  binnacle ledger query --topic 'build/*' --kind signal --limit 10\n" +
			"  binnacle ledger query --text 'almost full' --count-only\n" +
			"  binnacle ledger query --kind work --state done --export csv --out done.csv\n" +
			"  binnacle ledger query --filter 'kind:signal -state:cleared since:2h'",
		Args: cli.Takes(),
	}
	f.add(r, c, 100)
	c.Flags().BoolVar(&f.count, "count-only", false, "print only how many match")
	c.Flags().Var(&f.format, "export", "json, jsonl or csv")
	_ = c.RegisterFlagCompletionFunc("export", cobra.FixedCompletions(f.format.Words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		q, err := f.query(ctx, r, w)
		if err != nil {
			return err
		}
		if (f.count || f.format.Value != "" || f.out != "") && !c.Flags().Changed("limit") {
			q.Limit = 0 // a count and an export mean all of them
		}
		switch {
		case f.count && (f.format.Value != "" || f.out != ""):
			return cli.Usage("--count-only exports nothing")
		case f.count:
			n, err := query.Count(ctx, w.Ledger.Store(), q)
			if err != nil {
				return err
			}
			return r.Answer(map[string]int64{"count": n}, func() error { return r.Say(cli.Itoa(n)) })
		case f.format.Value != "" || f.out != "":
			return writeExport(ctx, r, w, q, f.format.Value, f.out)
		}
		return query.Each(ctx, w.Ledger.Store(), q, func(e *model.Event) error { return r.Event(*e) })
	})
	return c
}

func exportVerb(r *cli.Run) *cobra.Command {
	var f queryFlags
	c := &cobra.Command{
		Use:   "export",
		Short: "Export events as jsonl, json or csv",
		Long: "Export the ledger, or what matches the flags. An exported line of JSON can be checked with any SHA-256\n" +
			"tool: drop \"hash\", write the rest in canonical form (RFC 8785), hash. CSV defuses what a spreadsheet\n" +
			"would take for a formula.",
		Example: "  binnacle ledger export > ledger.jsonl\n  binnacle ledger export --format csv --out ledger.csv --since 24h",
		Args:    cli.Takes(),
	}
	f.add(r, c, 0)
	c.Flags().Var(&f.format, "format", "jsonl, json or csv (default: by --out's ending, else jsonl)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(f.format.Words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		q, err := f.query(ctx, r, w)
		if err != nil {
			return err
		}
		return writeExport(ctx, r, w, q, f.format.Value, f.out)
	})
	return c
}

// writeExport writes what matches to stdout or to a file.
func writeExport(ctx context.Context, r *cli.Run, w *cli.Workspace, q query.Query, format, out string) error {
	if format == "" {
		if format = strings.TrimPrefix(filepath.Ext(out), "."); format != "csv" && format != "json" {
			format = "jsonl"
		}
	}
	if out == "" {
		_, err := export.Write(ctx, w.Ledger.Store(), q, export.Format(format), r.Out)
		return err
	}
	n, err := export.WriteFile(ctx, w.Ledger.Store(), q, export.Format(format), r.Path(out))
	if err != nil {
		return err
	}
	answer := map[string]any{"file": r.Path(out), "format": format, "events": n}
	return r.Answer(answer, func() error { return r.Say(cli.Number(n) + " events written to " + out) })
}
