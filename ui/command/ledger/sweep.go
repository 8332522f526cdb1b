package ledger

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger/archive"
	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/model"
	"binnacle/ui/command/cli"
)

// sweep seals old events away by hand.
func sweep(r *cli.Run) *cobra.Command {
	var keep cli.Span
	var o archive.Options
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Seal old events into the archive",
		Long: "Seal the events that are older than --keep into files of .binnacle/archive, and take them out of the\n" +
			"database. Nothing is lost by it: log, query, verify, rebuild and a backup read the archive as well, and\n" +
			"counts and records stay. Only a cursor of the feed that lies before what is left has expired. The newest\n" +
			"event always stays.\n\n" +
			"With retention in config.toml, or serve --retention, whoever holds the duties does this every minute.",
		Example: "  binnacle ledger sweep --keep 720h --dry-run\n  binnacle ledger sweep --keep 720h",
		Args:    cli.Takes(),
	}
	c.Flags().Var(&keep, "keep", "how young an event must be to stay, a minute or more (default: retention in config.toml)")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "only say how many events would be sealed")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		how := cli.Writing
		if o.DryRun {
			how = cli.Reading
		}
		w, err := r.Open(ctx, how)
		if err != nil {
			return err
		}
		o.Now, o.Keep = true, time.Duration(keep)
		if o.Keep == 0 {
			o.Keep = w.Keep()
		}
		if o.Keep == 0 {
			return cli.Usage("--keep is missing, and config.toml has no retention")
		}
		rep, err := archive.Sweep(ctx, w.Backend.Store, r.Env.Clock, o)
		if err != nil {
			return err
		}
		return r.Answer(rep, func() error {
			if o.DryRun {
				return r.Fields("would seal", cli.Number(rep.Left))
			}
			return r.Fields("events sealed", cli.Number(rep.Sealed), "segments", cli.Number(int64(rep.Segments)))
		})
	})
	return c
}

// segments lists the archive.
func segments(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "segments",
		Short: "List the files that old events were sealed into",
		Long: "List the segments: the files of .binnacle/archive that old events were sealed into, the oldest first. A\n" +
			"file is lines of JSON, compressed with zstd; the SHA-256 of a line is its event's hash, and stands as prev\n" +
			"in the next line.",
		Example: "  binnacle ledger segments\n  zstd -dc .binnacle/archive/1-16384.jsonl.zst | jq -c '[.seq, .topic]'",
		Args:    cli.Takes(),
	}
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		var all []store.Segment
		err = w.Backend.Store.Read(ctx, func(rd store.Reader) (err error) {
			all, err = rd.Segments()
			return err
		})
		if err != nil {
			return err
		}
		return r.Answer(append([]store.Segment{}, all...), func() error {
			var rows [][]string
			for _, s := range all {
				rows = append(rows, []string{
					segment.Name(s), cli.Number(s.Events()), s.Begin.In(r.Env.Zone), s.End.In(r.Env.Zone), cli.Number(s.Bytes),
					model.Age(r.Env.Now().Sub(s.Sealed)) + " ago",
				})
			}
			return r.Table([]cli.Column{
				{Name: "file"}, {Name: "events", Right: true}, {Name: "from"}, {Name: "to"}, {Name: "bytes", Right: true}, {Name: "sealed"},
			}, rows)
		})
	})
	return c
}
