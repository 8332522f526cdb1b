package fleet

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/fleet"
	"binnacle/backend/fleet/change"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
	"binnacle/ui/command/cli"
)

func changes(r *cli.Run) *cobra.Command {
	return r.Group("change", "Open, hold and close changes",
		"A change is a piece of work that may end on trunk: refs/bay/change/<id> on the remote. Each step fetches,\n"+
			"checks the change's state and pushes under a lease, so of two machines that hold one change, one is\n"+
			"refused. Opening or holding a change makes this work tree its view.",
		changeOpen(r), changeHold(r),
		changeEnd(r, "release", "Give a held change back", (*fleet.Fleet).ChangeRelease),
		changeEnd(r, "close", "End a change", (*fleet.Fleet).ChangeClose),
		changeEnd(r, "supersede", "End a change in favour of another", (*fleet.Fleet).ChangeSupersede),
		changeTip(r), changeShow(r), changeList(r),
	)
}

func changeOpen(r *cli.Run) *cobra.Command {
	var d change.Draft
	var inputs []string
	c := &cobra.Command{
		Use:   "open ID",
		Short: "Open a change at trunk's tip",
		Long: "Open a change at trunk's tip, and pin its inputs: what it relies on. An input is path:PATH (a file or\n" +
			"folder of trunk), change:ID (another change's tip) or policy:PATH (a file of rules). When one moves past\n" +
			"its pin, binnacle fleet watch says so. With @OBJECT at its end it is pinned there, not where it is now.",
		Example: "  binnacle fleet change open C-12 --title 'Retry uploads' --input path:src/upload --input change:C-9",
		Args:    cli.Takes("ID"),
	}
	c.Flags().StringVar(&d.Title, "title", "", "what it is about")
	cli.SecretFlags(c, &d.Secrets)
	c.Flags().StringArrayVar(&inputs, "input", nil, "what it relies on: path:PATH, change:ID or policy:PATH (may be repeated)")
	_ = c.RegisterFlagCompletionFunc("input", cobra.FixedCompletions(
		[]string{"path:", "change:", "policy:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, args []string) error {
		d.ID, d.Inputs = args[0], nil
		for _, text := range inputs {
			in, err := parseInput(text)
			if err != nil {
				return err
			}
			d.Inputs = append(d.Inputs, in)
		}
		got, err := f.ChangeOpen(ctx, d)
		return changeAnswer(r, got, err)
	})
	return c
}

// parseInput reads KIND:REF, or KIND:REF@OBJECT.
func parseInput(text string) (fleetmap.ChangeInput, error) {
	kind, ref, _ := strings.Cut(text, ":")
	in := fleetmap.ChangeInput{Kind: kind, Ref: ref}
	if at := strings.LastIndexByte(ref, '@'); at > 0 && fleetmap.HexID(ref[at+1:]) {
		in.Ref, in.At = ref[:at], ref[at+1:]
	}
	switch kind {
	case fleetmap.InputPath, fleetmap.InputChange, fleetmap.InputPolicy:
	default:
		return in, cli.Usage("%q is not an input", clean.Line(text)).WithHint("write path:PATH, change:ID or policy:PATH")
	}
	if in.Ref == "" {
		return in, cli.Usage("the input %q names nothing", clean.Line(text)).WithHint("write path:PATH, change:ID or policy:PATH")
	}
	return in, nil
}

func changeHold(r *cli.Run) *cobra.Command {
	session := ""
	c := &cobra.Command{
		Use: "hold ID", Short: "Hold an open change on this machine, in this work tree",
		Example: "  binnacle fleet change hold C-12", Args: cli.Takes("ID"), ValidArgsFunction: completeChanges(r),
	}
	c.Flags().StringVar(&session, "session", "", "the tool's session that holds it")
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, args []string) error {
		got, err := f.ChangeHold(ctx, args[0], session)
		return changeAnswer(r, got, err)
	})
	return c
}

// changeEnd is one of the verbs that only the holder's machine may do, or
// anyone with --force.
func changeEnd(r *cli.Run, name, short string, step func(*fleet.Fleet, context.Context, string, bool) (fleetmap.Change, error)) *cobra.Command {
	force := false
	c := &cobra.Command{
		Use: name + " ID", Short: short, Args: cli.Takes("ID"),
		Long:    short + ". Where another machine holds it, that is refused; --force insists.",
		Example: "  binnacle fleet change " + name + " C-12", ValidArgsFunction: completeChanges(r),
	}
	c.Flags().BoolVar(&force, "force", false, "also where another machine holds it")
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, args []string) error {
		got, err := step(f.Fleet, ctx, args[0], force)
		return changeAnswer(r, got, err)
	})
	return c
}

func changeTip(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "tip ID COMMIT", Short: "Record a change's newest commit",
		Example: "  binnacle fleet change tip C-12 \"$(git rev-parse HEAD)\"", Args: cli.Takes("ID", "COMMIT"),
		ValidArgsFunction: completeChanges(r),
	}
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, args []string) error {
		got, err := f.ChangeTip(ctx, args[0], args[1])
		return changeAnswer(r, got, err)
	})
	return c
}

func changeAnswer(r *cli.Run, c fleetmap.Change, err error) error {
	if err != nil {
		return err
	}
	c.Inputs = cli.OrEmpty(c.Inputs)
	return r.Answer(c, func() error { return r.Say("change " + c.ID + " is " + c.State + heldBy(c.Holder)) })
}

// changeHistory is a change with its inputs that moved.
type changeHistory struct {
	fleetmap.Change
	Invalidations []fleetmap.Invalidation `json:"invalidations"`
}

func changeShow(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Show a change, and which of its inputs moved, as of the last fetch",
		Example: "  binnacle fleet change show C-12", Args: cli.Takes("ID"), ValidArgsFunction: completeChanges(r),
	}
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, f *cli.Fleet, args []string) error {
		got, moved, err := f.ChangeShow(ctx, args[0])
		if err != nil {
			return err
		}
		got.Inputs = cli.OrEmpty(got.Inputs)
		return r.Answer(changeHistory{got, cli.OrEmpty(moved)}, func() error { return showChange(r, got, moved) })
	})
	return c
}

func showChange(r *cli.Run, c fleetmap.Change, moved []fleetmap.Invalidation) error {
	view := ""
	if c.View.Machine != "" {
		view = c.View.Path + " on " + c.View.Machine
	}
	lines := []string{
		"change", c.ID, "title", c.Title, "state", c.State + heldBy(c.Holder), "session", c.Holder.Session, "view", view,
		"base", c.Base, "tip", c.Tip, "policy", c.Policy,
	}
	for _, in := range c.Inputs {
		lines = append(lines, "input", in.Kind+" "+in.Ref+" at "+short(in.At))
	}
	if err := r.Fields(lines...); err != nil {
		return err
	}
	for _, m := range moved {
		if err := r.Say(movedLine(m)); err != nil {
			return err
		}
	}
	return nil
}

func changeList(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the changes of the last fetch", Example: "  binnacle fleet change list", Args: cli.Takes(),
	}
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		all, err := f.Changes(ctx)
		if err != nil {
			return err
		}
		if r.JSON {
			return r.WriteJSON(cli.OrEmpty(all))
		}
		view := f.View()
		var rows [][]string
		for _, c := range all {
			mark := ""
			if c.ID == view {
				mark = "this view"
			}
			rows = append(rows, []string{c.ID, c.State, c.Holder.Actor, c.Holder.Machine, cli.Itoa(int64(len(c.Inputs))), mark, c.Title})
		}
		return r.Table([]cli.Column{
			{Name: "change"},
			{Name: "state"},
			{Name: "holder", Most: 24},
			{Name: "machine"},
			{Name: "inputs", Right: true},
			{Name: "view"},
			{Name: "title"},
		}, rows)
	})
	return c
}
