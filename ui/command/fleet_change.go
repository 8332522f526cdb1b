package command

import (
	"context"
	"strings"

	"binnacle/backend/fleet"
	"binnacle/backend/fleet/change"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"

	"github.com/spf13/cobra"
)

func (a *app) fleetChange() *cobra.Command {
	return a.group("change", "Open, hold and close changes",
		"A change is a piece of work that may end on trunk: refs/bay/change/<id> on the remote. Each step fetches,\n"+
			"checks the change's state and pushes under a lease, so of two machines that hold one change, one is\n"+
			"refused. Opening or holding a change makes this work tree its view.",
		a.changeOpen(), a.changeHold(),
		a.changeEnd("release", "Give a held change back", (*fleet.Fleet).ChangeRelease),
		a.changeEnd("close", "End a change", (*fleet.Fleet).ChangeClose),
		a.changeEnd("supersede", "End a change in favour of another", (*fleet.Fleet).ChangeSupersede),
		a.changeTip(), a.changeShow(), a.changeList(),
	)
}

func (a *app) changeOpen() *cobra.Command {
	var d change.Draft
	var inputs []string
	c := &cobra.Command{
		Use:   "open ID",
		Short: "Open a change at trunk's tip",
		Long: "Open a change at trunk's tip, and pin its inputs: what it relies on. An input is path:PATH (a file or\n" +
			"folder of trunk), change:ID (another change's tip) or policy:PATH (a file of rules). When one moves past\n" +
			"its pin, binnacle fleet watch says so. With @OBJECT at its end it is pinned there, not where it is now.",
		Example: "  binnacle fleet change open C-12 --title 'Retry uploads' --input path:src/upload --input change:C-9",
		Args:    takes("ID"),
	}
	c.Flags().StringVar(&d.Title, "title", "", "what it is about")
	secretFlags(c, &d.Secrets)
	c.Flags().StringArrayVar(&inputs, "input", nil, "what it relies on: path:PATH, change:ID or policy:PATH (may be repeated)")
	_ = c.RegisterFlagCompletionFunc("input", cobra.FixedCompletions(
		[]string{"path:", "change:", "policy:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, args []string) error {
		d.ID, d.Inputs = args[0], nil
		for _, text := range inputs {
			in, err := parseInput(text)
			if err != nil {
				return err
			}
			d.Inputs = append(d.Inputs, in)
		}
		got, err := f.ChangeOpen(ctx, d)
		return a.changeAnswer(got, err)
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
		return in, usage("%q is not an input", clean.Line(text)).WithHint("write path:PATH, change:ID or policy:PATH")
	}
	if in.Ref == "" {
		return in, usage("the input %q names nothing", clean.Line(text)).WithHint("write path:PATH, change:ID or policy:PATH")
	}
	return in, nil
}

func (a *app) changeHold() *cobra.Command {
	session := ""
	c := &cobra.Command{
		Use: "hold ID", Short: "Hold an open change on this machine, in this work tree",
		Example: "  binnacle fleet change hold C-12", Args: takes("ID"), ValidArgsFunction: a.completeChanges,
	}
	c.Flags().StringVar(&session, "session", "", "the tool's session that holds it")
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, args []string) error {
		got, err := f.ChangeHold(ctx, args[0], session)
		return a.changeAnswer(got, err)
	})
	return c
}

// changeEnd is one of the verbs that only the holder's machine may do, or
// anyone with --force.
func (a *app) changeEnd(name, short string, step func(*fleet.Fleet, context.Context, string, bool) (fleetmap.Change, error)) *cobra.Command {
	force := false
	c := &cobra.Command{
		Use: name + " ID", Short: short, Args: takes("ID"),
		Long:    short + ". Where another machine holds it, that is refused; --force insists.",
		Example: "  binnacle fleet change " + name + " C-12", ValidArgsFunction: a.completeChanges,
	}
	c.Flags().BoolVar(&force, "force", false, "also where another machine holds it")
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, args []string) error {
		got, err := step(f.Fleet, ctx, args[0], force)
		return a.changeAnswer(got, err)
	})
	return c
}

func (a *app) changeTip() *cobra.Command {
	c := &cobra.Command{
		Use: "tip ID COMMIT", Short: "Record a change's newest commit",
		Example: "  binnacle fleet change tip C-12 \"$(git rev-parse HEAD)\"", Args: takes("ID", "COMMIT"),
		ValidArgsFunction: a.completeChanges,
	}
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, args []string) error {
		got, err := f.ChangeTip(ctx, args[0], args[1])
		return a.changeAnswer(got, err)
	})
	return c
}

func (a *app) changeAnswer(c fleetmap.Change, err error) error {
	if err != nil {
		return err
	}
	c.Inputs = orEmpty(c.Inputs)
	return a.answer(c, func() error { return a.say("change " + c.ID + " is " + c.State + heldBy(c.Holder)) })
}

// changeHistory is a change with its inputs that moved.
type changeHistory struct {
	fleetmap.Change
	Invalidations []fleetmap.Invalidation `json:"invalidations"`
}

func (a *app) changeShow() *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Show a change, and which of its inputs moved, as of the last fetch",
		Example: "  binnacle fleet change show C-12", Args: takes("ID"), ValidArgsFunction: a.completeChanges,
	}
	c.RunE = a.fleetRuns(reading, func(ctx context.Context, f *fleetPlace, args []string) error {
		got, moved, err := f.ChangeShow(ctx, args[0])
		if err != nil {
			return err
		}
		got.Inputs = orEmpty(got.Inputs)
		return a.answer(changeHistory{got, orEmpty(moved)}, func() error { return a.showChange(got, moved) })
	})
	return c
}

func (a *app) showChange(c fleetmap.Change, moved []fleetmap.Invalidation) error {
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
	if err := a.fields(lines...); err != nil {
		return err
	}
	for _, m := range moved {
		if err := a.say(movedLine(m)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) changeList() *cobra.Command {
	c := &cobra.Command{
		Use: "list", Short: "List the changes of the last fetch", Example: "  binnacle fleet change list", Args: takes(),
	}
	c.RunE = a.fleetRuns(reading, func(ctx context.Context, f *fleetPlace, _ []string) error {
		all, err := f.Changes(ctx)
		if err != nil {
			return err
		}
		if a.json {
			return a.writeJSON(orEmpty(all))
		}
		view := f.View()
		var rows [][]string
		for _, c := range all {
			mark := ""
			if c.ID == view {
				mark = "this view"
			}
			rows = append(rows, []string{c.ID, c.State, c.Holder.Actor, c.Holder.Machine, itoa(int64(len(c.Inputs))), mark, c.Title})
		}
		return a.table([]column{
			{name: "change"},
			{name: "state"},
			{name: "holder", most: 24},
			{name: "machine"},
			{name: "inputs", right: true},
			{name: "view"},
			{name: "title"},
		}, rows)
	})
	return c
}
