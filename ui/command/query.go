package command

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/filter"
)

// queryFlags choose events.
type queryFlags struct {
	q      ledger.Query
	filter string
	since  place
	until  moment
	order  choice
	format choice
	out    string
	count  bool
}

// add adds the flags that choose events.
func (f *queryFlags) add(a *app, c *cobra.Command, limit int) {
	f.since.now, f.until.now = a.env.Now, a.env.Now
	f.order = choice{value: "asc", words: []string{"asc", "desc"}}
	f.format.words = []string{"json", "jsonl", "csv"}
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
	_ = c.RegisterFlagCompletionFunc("topic", a.completeTopics)
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("filter", a.completeFilter)
	_ = c.RegisterFlagCompletionFunc("order", cobra.FixedCompletions(f.order.words, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(filter.States(func(model.Kind) bool { return true }), cobra.ShellCompDirectiveNoFileComp))
}

// query settles what the flags say.
func (f *queryFlags) query(ctx context.Context, a *app, w *workspace) (ledger.Query, error) {
	var err error
	q := f.q
	if q.Filter, err = a.parseFilter(f.filter); err != nil {
		return q, err
	}
	if q.After, err = f.since.seq(ctx, w); err != nil {
		return q, err
	}
	q.Since, q.Until, q.Newest = f.since.at, f.until.at, f.order.value == "desc"
	return q, q.Validate()
}

func (a *app) queryCommand() *cobra.Command {
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
		Args: takes(),
	}
	f.add(a, c, 100)
	c.Flags().BoolVar(&f.count, "count-only", false, "print only how many match")
	c.Flags().Var(&f.format, "export", "json, jsonl or csv")
	_ = c.RegisterFlagCompletionFunc("export", cobra.FixedCompletions(f.format.words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		q, err := f.query(ctx, a, w)
		if err != nil {
			return err
		}
		if (f.count || f.format.value != "" || f.out != "") && !c.Flags().Changed("limit") {
			q.Limit = 0 // a count and an export mean all of them
		}
		switch {
		case f.count && (f.format.value != "" || f.out != ""):
			return usage("--count-only exports nothing")
		case f.count:
			n, err := w.ledger.Count(ctx, q)
			if err != nil {
				return err
			}
			return a.answer(map[string]int64{"count": n}, func() error { return a.say(itoa(n)) })
		case f.format.value != "" || f.out != "":
			return a.export(ctx, w, q, f.format.value, f.out)
		}
		return w.ledger.Each(ctx, q, func(e *model.Event) error { return a.event(*e) })
	})
	return c
}

func (a *app) exportCommand() *cobra.Command {
	var f queryFlags
	c := &cobra.Command{
		Use:   "export",
		Short: "Export events as jsonl, json or csv",
		Long: "Export the ledger, or what matches the flags. An exported line of JSON can be checked with any SHA-256\n" +
			"tool: drop \"hash\", write the rest in canonical form (RFC 8785), hash. CSV defuses what a spreadsheet\n" +
			"would take for a formula.",
		Example: "  binnacle ledger export > ledger.jsonl\n  binnacle ledger export --format csv --out ledger.csv --since 24h",
		Args:    takes(),
	}
	f.add(a, c, 0)
	c.Flags().Var(&f.format, "format", "jsonl, json or csv (default: by --out's ending, else jsonl)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(f.format.words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		q, err := f.query(ctx, a, w)
		if err != nil {
			return err
		}
		return a.export(ctx, w, q, f.format.value, f.out)
	})
	return c
}

// export writes what matches to stdout or to a file.
func (a *app) export(ctx context.Context, w *workspace, q ledger.Query, format, out string) error {
	if format == "" {
		if format = strings.TrimPrefix(filepath.Ext(out), "."); format != "csv" && format != "json" {
			format = "jsonl"
		}
	}
	if out == "" {
		_, err := w.ledger.Export(ctx, q, ledger.Format(format), a.out)
		return err
	}
	n, err := w.ledger.ExportFile(ctx, q, ledger.Format(format), a.path(out))
	if err != nil {
		return err
	}
	answer := map[string]any{"file": a.path(out), "format": format, "events": n}
	return a.answer(answer, func() error { return a.say(number(n) + " events written to " + out) })
}
