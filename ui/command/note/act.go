package note

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/model/note"
	"binnacle/ui/command/cli"
)

// endorsed is a note that was endorsed, as JSON.
type endorsed struct {
	note.Item
	Already bool `json:"already,omitempty"` // by the same person, so nothing was written
}

func endorse(r *cli.Run) *cobra.Command {
	var by string
	c := &cobra.Command{
		Use: "endorse ID", Short: "Say as an owner of its path that a note holds", Args: cli.Takes("ID"),
		Long: "Say that a note holds. Who owns its path may: a person whom the last rule of CODEOWNERS that fits, or an\n" +
			"OWNERS file above, names by the name that they act under or by their mail in Git; not its writer. It lapses\n" +
			"while the note is stale.",
		Example:           "  binnacle note endorse 41",
		ValidArgsFunction: completeNotes(r, note.Open),
	}
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, ns, err := open(ctx, r, cli.Writing)
		if err != nil {
			return err
		}
		got, already, err := ns.Endorse(ctx, who(r, w, by), args[0])
		if err != nil {
			return err
		}
		done := "note " + got.ID + " is endorsed by " + got.EndorsedBy
		if already {
			done += " already"
		}
		r.Wrote(done)
		return r.Answer(endorsed{got, already}, func() error { return r.Say(done) })
	})
	return c
}

func retract(r *cli.Run) *cobra.Command {
	var by string
	c := &cobra.Command{
		Use: "retract ID", Short: "Take back a note of your own", Args: cli.Takes("ID"),
		Example:           "  binnacle note retract 41",
		ValidArgsFunction: completeNotes(r, note.Open),
	}
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, ns, err := open(ctx, r, cli.Writing)
		if err != nil {
			return err
		}
		got, err := ns.Retract(ctx, who(r, w, by), args[0])
		return answerState(r, got, err)
	})
	return c
}

func report(r *cli.Run) *cobra.Command {
	var by, why string
	var allow bool
	c := &cobra.Command{
		Use: "report ID", Short: "Hide a note that does harm", Args: cli.Takes("ID"),
		Long: "Report a note, which hides it until the report is taken back. Each principal reports at most 30 an hour.\n" +
			"Who did it stands in the ledger.",
		Example:           "  binnacle note report 41 --why 'it sends readers to a host of its own'",
		ValidArgsFunction: completeNotes(r, note.Open),
	}
	c.Flags().StringVar(&why, "why", "", "why, in at most 1 KiB")
	c.Flags().BoolVar(&allow, "allow-secret", false, "keep what looks like a secret; it can't be taken out later")
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, ns, err := open(ctx, r, cli.Writing)
		if err != nil {
			return err
		}
		got, err := ns.Report(ctx, who(r, w, by), args[0], why, allow)
		if err != nil {
			return err
		}
		r.SayRedacted(got.Redacted)
		r.Wrote("note " + got.ID + " is " + got.State)
		return r.Answer(got, func() error { return r.Say("note ", got.ID, " is ", got.State, ", so it is hidden") })
	})
	return c
}

func unreport(r *cli.Run) *cobra.Command {
	var by, reporter string
	c := &cobra.Command{
		Use: "unreport [ID]", Short: "Take back a report, so that the note is shown again", Args: cli.Takes("[ID]"),
		Long: "Take back a report, or with --reporter all of one principal's, so that the notes are shown again. A person\n" +
			"may, and whoever made the report.",
		Example:           "  binnacle note unreport 41\n  binnacle note unreport --reporter builder-7",
		ValidArgsFunction: completeNotes(r, note.Reported),
	}
	c.Flags().StringVar(&reporter, "reporter", "", "take back all that this principal reported")
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		if (reporter == "") == (len(args) == 0) {
			return cli.Usage("%s takes a note's ID or --reporter", c.CommandPath()).WithHint("binnacle note list --all shows what is reported, and by whom")
		}
		w, ns, err := open(ctx, r, cli.Writing)
		if err != nil {
			return err
		}
		if reporter == "" {
			got, err := ns.Unreport(ctx, who(r, w, by), args[0])
			return answerState(r, got, err)
		}
		ids, err := ns.UnreportAll(ctx, who(r, w, by), reporter)
		if err != nil {
			return err
		}
		return r.Answer(map[string][]string{"unreported": cli.OrEmpty(ids)}, func() error {
			return r.Say(cli.Number(int64(len(ids))), " notes that ", reporter, " reported are shown again")
		})
	})
	return c
}

// answerState answers with a note by what it is now.
func answerState(r *cli.Run, got note.Item, err error) error {
	if err != nil {
		return err
	}
	done := "note " + got.ID + " is " + got.State
	r.Wrote(done)
	return r.Answer(got, func() error { return r.Say(done) })
}
