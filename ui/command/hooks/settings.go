package hooks

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

func Settings(r *cli.Run) *cobra.Command {
	return r.Group("hooks", "Set the tools up to report their sessions",
		"Put binnacle fleet hook into a tool's settings, or take it out. The change is shown as a diff first, and\n"+
			"nothing else in the settings is touched: removing gives back the file as it was, byte for byte, where\n"+
			"nobody changed it since.",
		hooksChange(r, "install", "Install the hooks into a tool's settings", hooks.Settings.PlanInstall),
		hooksChange(r, "remove", "Undo an install", hooks.Settings.PlanRemove),
		hooksShow(r),
	)
}

// hooksFlags say whose settings are meant.
func hooksFlags(c *cobra.Command, o *hooks.Options) *bool {
	user := false
	f := c.Flags()
	f.BoolVar(&user, "user", false, "your own settings (the default)")
	f.BoolVar(&o.Project, "project", false, "the project's settings, which others get with the repository")
	f.BoolVar(&o.V2, "v2", false, "opencode: the plugin for its version 2")
	f.StringVar(&o.Binary, "program", "", "the program that hooks call (default: this one as it was called; with --project its name)")
	c.ValidArgsFunction = completeTools
	return &user
}

func checkHooks(o *hooks.Options, user bool, tool string) error {
	if user && o.Project {
		return cli.Usage("--user and --project exclude each other")
	}
	word := cli.Choice{Words: hooks.Tools()}
	o.Tool = tool
	return word.Set(tool)
}

// checkProgram refuses a program whose hooks could not be told from somebody
// else's later: where a tool takes one line for its shell, they are known by
// the program's name.
func checkProgram(o hooks.Options) error {
	if o.Tool != hooks.ToolCodex && o.Tool != hooks.ToolGemini {
		return nil
	}
	program := o.Binary
	if program == "" && o.Project {
		return nil // by name, and that is ours
	}
	if program == "" {
		program = os.Args[0]
	}
	if strings.Contains(program, "binnacle") {
		return nil
	}
	return model.Errorf(model.CodeRefused, "the hooks of %s are recognised by the name of the program, and %s does not contain binnacle", o.Tool, clean.Line(program)).
		WithHint("name the program binnacle, or say with --program where one of that name is")
}

func hooksChange(r *cli.Run, name, short string, plan func(hooks.Settings, hooks.Options) (hooks.Plan, error)) *cobra.Command {
	var o hooks.Options
	yes, dry := false, false
	c := &cobra.Command{
		Use: name + " TOOL", Short: short, Args: cli.Takes("TOOL"),
		Long: short + " (" + cli.List(hooks.Tools()) + "). The diff is shown first; on a terminal you are\n" +
			"asked, elsewhere --yes does it.",
		Example: "  binnacle fleet hooks " + name + " claude-code\n  binnacle fleet hooks " + name + " codex --project --yes",
	}
	user := hooksFlags(c, &o)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it without being asked")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the diff, and change nothing")
	c.Flags().BoolVar(&o.Force, "force", false, "write the file also where it is read-only")
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		if err := checkHooks(&o, *user, args[0]); err != nil {
			return err
		}
		if yes && dry {
			return cli.Usage("--yes and --dry-run exclude each other")
		}
		how := cli.Writing
		if dry {
			how = cli.Reading
		}
		f, err := openHooks(r, how)
		if err != nil {
			return err
		}
		if name == "install" {
			if err := checkProgram(o); err != nil {
				return err
			}
		}
		p, err := plan(f.Hooks(), o)
		if err != nil {
			return err
		}
		return applyHooks(r, f, p, yes, dry)
	})
	return c
}

// openHooks opens the fleet without a workspace: a tool's settings have nothing
// to do with one.
func openHooks(r *cli.Run, how cli.Access) (*fleet.Fleet, error) {
	if how == cli.Writing && r.Flags.ReadOnly {
		return nil, cli.ReadOnly()
	}
	o := fleet.Options{RepoDir: r.Env.Dir}
	if r.Flags.Workspace != "" {
		paths, err := r.Find()
		if err != nil {
			return nil, err
		}
		o.RepoDir = paths.Project()
	}
	r.FleetWorld(&o)
	return fleet.Open(o)
}

// hooksAnswer is a change of settings as JSON shows it.
type hooksAnswer struct {
	hooks.Plan
	Changes bool `json:"changed"` // there is something to do
	Applied bool `json:"applied"` // and it was done
}

func applyHooks(r *cli.Run, f *fleet.Fleet, p hooks.Plan, yes, dry bool) error {
	answer := hooksAnswer{Plan: p, Changes: p.Changed()}
	if answer.Notes == nil {
		answer.Notes = []string{}
	}
	if !r.JSON {
		if err := showDiff(r, p); err != nil {
			return err
		}
	}
	ask := error(nil)
	switch {
	case !p.Changed() || dry:
	case yes:
		answer.Applied = true
	case r.CanAsk():
		answer.Applied = r.Confirm("Write this to " + p.Path + "?")
	default:
		ask = model.Errorf(model.CodeUsage, "nothing was changed: there is no terminal to ask on").WithHint("look at the diff, then repeat with --yes")
	}
	if answer.Applied {
		if err := f.Hooks().Apply(p); err != nil {
			return err
		}
	}
	if err := r.Answer(answer, func() error { return sayApplied(r, answer, dry) }); err != nil {
		return err
	}
	return ask
}

// showDiff writes a diff's lines, each cleaned.
func showDiff(r *cli.Run, p hooks.Plan) error {
	if p.Diff == "" {
		return nil
	}
	for _, line := range strings.Split(strings.TrimSuffix(p.Diff, "\n"), "\n") {
		if err := r.Say(line); err != nil {
			return err
		}
	}
	if p.Delete {
		return r.Say("(the file goes: it was not there before)")
	}
	return nil
}

func sayApplied(r *cli.Run, p hooksAnswer, dry bool) error {
	line := "nothing to do in " + p.Path
	switch {
	case p.Applied && p.Delete:
		line = "removed " + p.Path
	case p.Applied:
		line = "wrote " + p.Path
	case p.Changes && !dry:
		line = "left " + p.Path + " as it is"
	case p.Changes:
		line = ""
	}
	lines := []string{}
	if line != "" {
		lines = append(lines, line)
	}
	for _, n := range p.Notes {
		lines = append(lines, "note: "+n)
	}
	for _, l := range lines {
		if err := r.Say(l); err != nil {
			return err
		}
	}
	return nil
}

func hooksShow(r *cli.Run) *cobra.Command {
	var o hooks.Options
	c := &cobra.Command{
		Use: "show [TOOL]", Short: "Show whether the hooks of a tool, or of all, are installed, and what an install puts in",
		Example: "  binnacle fleet hooks show\n  binnacle fleet hooks show codex", Args: cli.Takes("[TOOL]"),
	}
	user := hooksFlags(c, &o)
	c.RunE = r.Runs(func(_ context.Context, args []string) error {
		tools := hooks.Tools()
		if len(args) == 1 {
			tools = args
		}
		f, err := openHooks(r, cli.Reading)
		if err != nil {
			return err
		}
		var all []hooks.State
		for _, tool := range tools {
			if err := checkHooks(&o, *user, tool); err != nil {
				return err
			}
			s, err := f.Hooks().Show(o)
			if err != nil {
				return err
			}
			if s.Notes == nil {
				s.Notes = []string{}
			}
			all = append(all, s)
		}
		if len(args) == 1 {
			return r.Answer(all[0], func() error { return showHooks(r, all[0]) })
		}
		return r.Answer(all, func() error { return listHooks(r, all) })
	})
	return c
}

func showHooks(r *cli.Run, s hooks.State) error {
	if err := r.Fields("tool", s.Tool, "settings", s.Path, "hooks", hooksWords(s), "fault", s.Fault); err != nil {
		return err
	}
	for _, off := range s.Off {
		if err := r.Say("off: " + off); err != nil {
			return err
		}
	}
	for _, n := range s.Notes {
		if err := r.Say("note: " + n); err != nil {
			return err
		}
	}
	for _, line := range strings.Split("\n"+strings.TrimSuffix(s.Snippet, "\n"), "\n") {
		if err := r.Say(line); err != nil {
			return err
		}
	}
	return nil
}

func listHooks(r *cli.Run, all []hooks.State) error {
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{s.Tool, hooksWords(s), s.Path})
	}
	return r.Table([]cli.Column{{Name: "tool"}, {Name: "hooks"}, {Name: "settings"}}, rows)
}

// hooksWords says how a tool's hooks stand.
func hooksWords(s hooks.State) string {
	switch {
	case s.Fault != "":
		return "can't be told"
	case len(s.Gone) > 0:
		return "they name " + strings.Join(s.Gone, ", ") + ", which is not there"
	case len(s.Off) > 0 && (s.Installed || s.Partly):
		return "installed, and switched off"
	case s.Installed:
		return "installed"
	case s.Other != "":
		return "installed, calling " + s.Other
	case s.Partly:
		return "not those that this version installs"
	case !s.Present:
		return "not installed; the tool's folder is not there"
	}
	return "not installed"
}

// completeTools completes the first argument with the tools whose hooks are
// understood.
func completeTools(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return hooks.Tools(), cobra.ShellCompDirectiveNoFileComp
}
