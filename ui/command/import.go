package command

import (
	"context"
	"path/filepath"
	"strings"

	"binnacle/backend/importer/changi"
	"binnacle/backend/importer/laneq"
	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/directive"

	"github.com/spf13/cobra"
)

func (a *app) importCommand() *cobra.Command {
	o := ledger.ImportOptions{Importers: []ledger.Importer{changi.Importer{}}}
	c := &cobra.Command{
		Use:   "import PATH",
		Short: "Import a Changi ledger or a laneq database",
		Long: "Import a .changi folder or a laneq database. The source is only read, also while its own program runs.\n" +
			"What breaks a rule is changed in the least way that keeps the original, never dropped; every adjustment is\n" +
			"a line of the report. The same source twice is refused, unless --again.",
		Example: "  binnacle ledger import ~/src/old/.changi --dry-run\n  binnacle queue import ~/.claude/laneq.db",
		Args:    takes("PATH"),
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "report only")
	c.Flags().BoolVar(&o.Again, "again", false, "import although it was imported before")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		file, ofLaneq := laneq.Detect(ctx, a.path(args[0]))
		how := writing // a dry run of a Changi import is a real one that is rolled back
		if ofLaneq && o.DryRun {
			how = reading
		}
		w, err := a.open(ctx, how)
		if err != nil {
			return err
		}
		if ofLaneq {
			return a.importLaneq(ctx, w, file, o)
		}
		rep, err := w.ledger.Import(ctx, a.path(args[0]), o)
		if err != nil {
			return err
		}
		rep.Adjustments = orEmpty(rep.Adjustments)
		return a.answer(rep, func() error { return a.showImport(rep) })
	})
	return c
}

// importLaneq brings a laneq database into the queue. Bodies that are no
// directives' (too large, or no UTF-8) go into files in the workspace.
func (a *app) importLaneq(ctx context.Context, w *workspace, file string, o ledger.ImportOptions) error {
	rep, err := laneq.Import(ctx, w.queue, file, laneq.Options{
		DryRun: o.DryRun, Again: o.Again, Bodies: filepath.Join(w.paths.Dir(), "bodies"),
	})
	if err != nil {
		return err
	}
	rep.Adjustments = orEmpty(rep.Adjustments)
	return a.answer(rep, func() error {
		verb := "imported"
		if rep.DryRun {
			verb = "would import"
		}
		var states []string
		for _, s := range directive.Machine().States() {
			if n := rep.ByStatus[s]; n > 0 {
				states = append(states, s+" "+number(n))
			}
		}
		err := a.fields("source", rep.Source, "program", rep.Program, "sha-256", rep.SHA256,
			verb, number(rep.Read)+" directives", "states", strings.Join(states, ", "),
			"renumbered", number(int64(len(rep.IDs))), "adjusted", number(int64(len(rep.Adjustments))))
		if err != nil || len(rep.Adjustments) == 0 {
			return err
		}
		var rows [][]string
		for _, x := range rep.Adjustments {
			rows = append(rows, []string{itoa(x.From), itoa(x.ID), x.What, x.Why})
		}
		if err := a.say(""); err != nil {
			return err
		}
		return a.table([]column{{name: "laneq", right: true}, {name: "here", right: true}, {name: "what"}, {name: "why"}}, rows)
	})
}

func (a *app) showImport(rep ledger.ImportReport) error {
	verb := "imported"
	if rep.DryRun {
		verb = "would import"
	}
	err := a.fields("source", rep.Source, "program", rep.Program, "sha-256", rep.SHA256,
		verb, number(rep.Written)+" events from "+number(rep.Read)+" entries",
		"records", recordCounts(rep.Records), "adjusted", number(int64(len(rep.Adjustments))))
	if err != nil || len(rep.Adjustments) == 0 {
		return err
	}
	var rows [][]string
	for _, x := range rep.Adjustments {
		rows = append(rows, []string{itoa(x.EventID), itoa(x.Seq), x.What, x.Why})
	}
	if err := a.say(""); err != nil {
		return err
	}
	return a.table([]column{{name: "entry", right: true}, {name: "event", right: true}, {name: "what"}, {name: "why"}}, rows)
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
			out += name + " " + number(n)
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
