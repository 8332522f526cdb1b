package workspace

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/importer"
	"binnacle/backend/importer/changi"
	"binnacle/backend/importer/laneq"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

// Import brings another program's ledger or queue here; runs wraps its code, as
// the noun that it stands below has it.
func Import(r *cli.Run, runs cli.Wrap) *cobra.Command {
	o := importer.Options{Importers: []importer.Importer{changi.Importer{}}}
	c := &cobra.Command{
		Use:   "import PATH",
		Short: "Import a Changi ledger or a laneq database",
		Long: "Import a .changi folder or a laneq database. The source is only read, also while its own program runs.\n" +
			"What breaks a rule is changed in the least way that keeps the original, never dropped; every adjustment is\n" +
			"a line of the report. The same source twice is refused, unless --again.",
		Example: "  binnacle ledger import ~/src/old/.changi --dry-run\n  binnacle queue import ~/.claude/laneq.db",
		Args:    cli.Takes("PATH"),
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "report only")
	c.Flags().BoolVar(&o.Again, "again", false, "import although it was imported before")
	c.RunE = runs(func(ctx context.Context, args []string) error {
		file, ofLaneq := laneq.Detect(ctx, r.Path(args[0]))
		how := cli.Writing // a dry run of a Changi import is a real one that is rolled back
		if ofLaneq && o.DryRun {
			how = cli.Reading
		}
		w, err := r.Open(ctx, how)
		if err != nil {
			return err
		}
		if ofLaneq {
			return importLaneq(ctx, r, w, file, o)
		}
		rep, err := importer.Import(ctx, w.Ledger, r.Path(args[0]), o)
		if err != nil {
			return err
		}
		rep.Adjustments = cli.OrEmpty(rep.Adjustments)
		return r.Answer(rep, func() error { return showImport(r, rep) })
	})
	return c
}

// importLaneq brings a laneq database into the queue. Bodies that are no
// directives' (too large, or no UTF-8) go into files in the workspace.
func importLaneq(ctx context.Context, r *cli.Run, w *cli.Workspace, file string, o importer.Options) error {
	rep, err := laneq.Import(ctx, w.Queue, file, laneq.Options{
		DryRun: o.DryRun, Again: o.Again, Bodies: filepath.Join(w.Paths.Dir(), "bodies"),
	})
	if err != nil {
		return err
	}
	rep.Adjustments = cli.OrEmpty(rep.Adjustments)
	return r.Answer(rep, func() error {
		verb := "imported"
		if rep.DryRun {
			verb = "would import"
		}
		var states []string
		for _, s := range directive.Machine().States() {
			if n := rep.ByStatus[s]; n > 0 {
				states = append(states, s+" "+cli.Number(n))
			}
		}
		err := r.Fields("source", rep.Source, "program", rep.Program, "sha-256", rep.SHA256,
			verb, cli.Number(rep.Read)+" directives", "states", strings.Join(states, ", "),
			"renumbered", cli.Number(int64(len(rep.IDs))), "adjusted", cli.Number(int64(len(rep.Adjustments))))
		if err != nil || len(rep.Adjustments) == 0 {
			return err
		}
		var rows [][]string
		for _, x := range rep.Adjustments {
			rows = append(rows, []string{cli.Itoa(x.From), cli.Itoa(x.ID), x.What, x.Why})
		}
		if err := r.Say(""); err != nil {
			return err
		}
		return r.Table([]cli.Column{{Name: "laneq", Right: true}, {Name: "here", Right: true}, {Name: "what"}, {Name: "why"}}, rows)
	})
}

func showImport(r *cli.Run, rep importer.Report) error {
	verb := "imported"
	if rep.DryRun {
		verb = "would import"
	}
	err := r.Fields("source", rep.Source, "program", rep.Program, "sha-256", rep.SHA256,
		verb, cli.Number(rep.Written)+" events from "+cli.Number(rep.Read)+" entries",
		"records", recordCounts(rep.Records), "adjusted", cli.Number(int64(len(rep.Adjustments))))
	if err != nil || len(rep.Adjustments) == 0 {
		return err
	}
	var rows [][]string
	for _, x := range rep.Adjustments {
		rows = append(rows, []string{cli.Itoa(x.EventID), cli.Itoa(x.Seq), x.What, x.Why})
	}
	if err := r.Say(""); err != nil {
		return err
	}
	return r.Table([]cli.Column{{Name: "entry", Right: true}, {Name: "event", Right: true}, {Name: "what"}, {Name: "why"}}, rows)
}

// recordCounts lists an import's counts in the order in which kinds and states
// are shown.
func recordCounts(counts map[string]int64) string {
	out := ""
	add := func(name string) {
		if n, ok := counts[name]; ok {
			if out != "" {
				out += ", "
			}
			out += name + " " + cli.Number(n)
		}
	}
	machines := map[model.Kind]model.Machine{
		model.KindSignal: model.SignalMachine(), model.KindWork: model.WorkMachine(), model.KindDirective: directive.Machine(),
	}
	for _, k := range model.Kinds() {
		add(string(k))
		for _, s := range machines[k].States() {
			add(string(k) + " " + s)
		}
	}
	return out
}
