package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/bench"
	"binnacle/backend/ledger/export"
	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

func measure(r *cli.Run) *cobra.Command {
	var out, dir string
	scale := cli.Choice{Value: bench.ScaleQuick, Words: []string{bench.ScaleQuick, bench.ScaleFull}}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the ledger against its peers and limits",
		Long: "Measure the ledger on this machine and this disk, each figure beside its peer or limit in the same run,\n" +
			"with the workload and the machine. It works in a temporary folder inside of the workspace (or in the\n" +
			"system's own where there is none) and leaves nothing behind.",
		Example: "  binnacle ledger bench\n  binnacle ledger bench --scale full --out bench.json",
		Args:    cli.Takes(),
	}
	c.Flags().Var(&scale, "scale", "quick (some ten seconds) or full (a million events)")
	c.Flags().StringVar(&out, "out", "", "also write the report to this file, as JSON")
	c.Flags().StringVar(&dir, "dir", "", "the folder on whose disk it is measured")
	_ = c.RegisterFlagCompletionFunc("scale", cobra.FixedCompletions(scale.Words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = r.Runs(func(ctx context.Context, _ []string) (err error) {
		where, err := benchDir(r, dir)
		if err != nil {
			return err
		}
		if out != "" {
			if err := export.Writable(r.Path(out)); err != nil {
				return err
			}
		}
		work, err := scratch.NewFolder(where, "bench")
		if err != nil {
			return model.Errorf(model.CodeUsage, "no folder can be made in %s to measure in: %w", clean.Line(where), err)
		}
		defer func() { err = errors.Join(err, work.Remove()) }()
		rep, err := bench.Run(ctx, bench.Options{Dir: work.Path(), Scale: scale.Value, Open: openToMeasure, Progress: func(part string) {
			if r.Env.Terminal(cli.Stderr) {
				_, _ = io.WriteString(r.Env.Stderr, "measuring "+part+" …\n")
			}
		}})
		if err != nil {
			return err
		}
		if out != "" {
			line, err := cli.JSONLine(rep)
			if err != nil {
				return err
			}
			if err := os.WriteFile(r.Path(out), line, 0o644); err != nil {
				return model.Errorf(model.CodeUsage, "%s can't be written: %w", clean.Line(out), err)
			}
		}
		return r.Answer(rep, func() error { return showBench(r, rep) })
	})
	return c
}

// benchDir is where to measure: on the workspace's own disk.
func benchDir(r *cli.Run, flag string) (string, error) {
	if flag != "" {
		return r.Path(flag), nil
	}
	paths, err := r.Find()
	switch {
	case err == nil:
		return paths.Dir(), nil
	case model.CodeOf(err) == model.CodeNoWork && r.Flags.Workspace == "":
		return "", nil // the system's own
	}
	return "", err
}

func showBench(r *cli.Run, rep bench.Report) error {
	if err := r.Fields("profile", rep.Profile, "machine", rep.Machine+", "+rep.Go); err != nil {
		return err
	}
	if err := r.Say(""); err != nil {
		return err
	}
	var rows [][]string
	for _, res := range rep.Results {
		peer, ratio, met := "", "", ""
		if res.Peer != "" {
			peer = res.Peer + " " + figure(res.Other)
		}
		if res.Ratio != 0 {
			ratio = fmt.Sprintf("%.2f", res.Ratio)
		}
		if res.Met != nil {
			if met = "missed"; *res.Met {
				met = "met"
			}
		}
		rows = append(rows, []string{res.Name, figure(res.Value), res.Unit, peer, ratio, res.Goal, met})
	}
	return r.Table([]cli.Column{
		{Name: "what"},
		{Name: "value", Right: true},
		{Name: "unit"},
		{Name: "against"},
		{Name: "ratio", Right: true},
		{Name: "goal"},
		{Name: ""},
	}, rows)
}

// figure writes a measured number with the digits that it deserves.
func figure(v float64) string {
	if v >= 1000 {
		return cli.Number(int64(v + 0.5))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// openToMeasure opens a store of its own for a measurement.
func openToMeasure(ctx context.Context, path string, of *store.Parts) (store.Store, error) {
	return backend.OpenStore(ctx, backend.StoreOptions{Dir: filepath.Dir(path), Parts: of})
}
