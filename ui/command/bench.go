package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"binnacle/backend"
	"binnacle/backend/bench"
	"binnacle/backend/ledger"
	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"

	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	var out, dir string
	scale := choice{value: bench.ScaleQuick, words: []string{bench.ScaleQuick, bench.ScaleFull}}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the ledger against its peers and limits",
		Long: "Measure the ledger on this machine and this disk, each figure beside its peer or limit in the same run,\n" +
			"with the workload and the machine. It works in a temporary folder inside of the workspace (or in the\n" +
			"system's own where there is none) and leaves nothing behind.",
		Example: "  binnacle ledger bench\n  binnacle ledger bench --scale full --out bench.json",
		Args:    takes(),
	}
	c.Flags().Var(&scale, "scale", "quick (some ten seconds) or full (a million events)")
	c.Flags().StringVar(&out, "out", "", "also write the report to this file, as JSON")
	c.Flags().StringVar(&dir, "dir", "", "the folder on whose disk it is measured")
	_ = c.RegisterFlagCompletionFunc("scale", cobra.FixedCompletions(scale.words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.runs(func(ctx context.Context, _ []string) (err error) {
		where, err := a.benchDir(dir)
		if err != nil {
			return err
		}
		if out != "" {
			if err := ledger.Writable(a.path(out)); err != nil {
				return err
			}
		}
		work, err := scratch.NewFolder(where, "bench")
		if err != nil {
			return model.Errorf(model.CodeUsage, "no folder can be made in %s to measure in: %w", clean.Line(where), err)
		}
		defer func() { err = errors.Join(err, work.Remove()) }()
		rep, err := bench.Run(ctx, bench.Options{Dir: work.Path(), Scale: scale.value, Open: openToMeasure, Progress: func(part string) {
			if a.env.IsTerminal != nil && a.env.IsTerminal(Stderr) {
				_, _ = io.WriteString(a.env.Stderr, "measuring "+part+" …\n")
			}
		}})
		if err != nil {
			return err
		}
		if out != "" {
			line, err := jsonLine(rep)
			if err != nil {
				return err
			}
			if err := os.WriteFile(a.path(out), line, 0o644); err != nil {
				return model.Errorf(model.CodeUsage, "%s can't be written: %w", clean.Line(out), err)
			}
		}
		return a.answer(rep, func() error { return a.showBench(rep) })
	})
	return c
}

// benchDir is where to measure: on the workspace's own disk.
func (a *app) benchDir(flag string) (string, error) {
	if flag != "" {
		return a.path(flag), nil
	}
	paths, err := a.find()
	switch {
	case err == nil:
		return paths.Dir(), nil
	case model.CodeOf(err) == model.CodeNoWork && a.flags.workspace == "":
		return "", nil // the system's own
	}
	return "", err
}

func (a *app) showBench(rep bench.Report) error {
	if err := a.fields("profile", rep.Profile, "machine", rep.Machine+", "+rep.Go); err != nil {
		return err
	}
	if err := a.say(""); err != nil {
		return err
	}
	var rows [][]string
	for _, r := range rep.Results {
		peer, ratio, met := "", "", ""
		if r.Peer != "" {
			peer = r.Peer + " " + figure(r.Other)
		}
		if r.Ratio != 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		if r.Met != nil {
			if met = "missed"; *r.Met {
				met = "met"
			}
		}
		rows = append(rows, []string{r.Name, figure(r.Value), r.Unit, peer, ratio, r.Goal, met})
	}
	return a.table([]column{
		{name: "what"},
		{name: "value", right: true},
		{name: "unit"},
		{name: "against"},
		{name: "ratio", right: true},
		{name: "goal"},
		{name: ""},
	}, rows)
}

// figure writes a measured number with the digits that it deserves.
func figure(v float64) string {
	if v >= 1000 {
		return number(int64(v + 0.5))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// openToMeasure opens a store of its own for a measurement.
func openToMeasure(ctx context.Context, path string, of *store.Parts) (store.Store, error) {
	return backend.OpenStore(ctx, backend.StoreOptions{Path: path, Parts: of})
}
