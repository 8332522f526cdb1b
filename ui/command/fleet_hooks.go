package command

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"

	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	"binnacle/model"
	"binnacle/model/clean"

	"github.com/spf13/cobra"
)

func (a *app) fleetHooks() *cobra.Command {
	return a.group("hooks", "Set the tools up to report their sessions",
		"Put binnacle fleet hook into a tool's settings, or take it out. The change is shown as a diff first, and\n"+
			"nothing else in the settings is touched: removing gives back the file as it was, byte for byte, where\n"+
			"nobody changed it since.",
		a.hooksChange("install", "Install the hooks into a tool's settings", hooks.Settings.PlanInstall),
		a.hooksChange("remove", "Undo an install", hooks.Settings.PlanRemove),
		a.hooksShow(),
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
		return usage("--user and --project exclude each other")
	}
	word := choice{words: hooks.Tools()}
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

func (a *app) hooksChange(name, short string, plan func(hooks.Settings, hooks.Options) (hooks.Plan, error)) *cobra.Command {
	var o hooks.Options
	yes, dry := false, false
	c := &cobra.Command{
		Use: name + " TOOL", Short: short, Args: takes("TOOL"),
		Long: short + " (" + list(hooks.Tools()) + "). The diff is shown first; on a terminal you are\n" +
			"asked, elsewhere --yes does it.",
		Example: "  binnacle fleet hooks " + name + " claude-code\n  binnacle fleet hooks " + name + " codex --project --yes",
	}
	user := hooksFlags(c, &o)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it without being asked")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the diff, and change nothing")
	c.Flags().BoolVar(&o.Force, "force", false, "write the file also where it is read-only")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		if err := checkHooks(&o, *user, args[0]); err != nil {
			return err
		}
		if yes && dry {
			return usage("--yes and --dry-run exclude each other")
		}
		how := writing
		if dry {
			how = reading
		}
		f, err := a.openHooks(how)
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
		return a.applyHooks(f, p, yes, dry)
	})
	return c
}

// openHooks opens the fleet without a workspace: a tool's settings have nothing
// to do with one.
func (a *app) openHooks(how access) (*fleet.Fleet, error) {
	if how == writing && a.flags.readOnly {
		return nil, readOnly()
	}
	o := fleet.Options{RepoDir: a.env.Dir}
	if a.flags.workspace != "" {
		paths, err := a.find()
		if err != nil {
			return nil, err
		}
		o.RepoDir = paths.Project()
	}
	a.fleetWorld(&o)
	return fleet.Open(o)
}

// hooksAnswer is a change of settings as JSON shows it.
type hooksAnswer struct {
	hooks.Plan
	Changes bool `json:"changed"` // there is something to do
	Applied bool `json:"applied"` // and it was done
}

func (a *app) applyHooks(f *fleet.Fleet, p hooks.Plan, yes, dry bool) error {
	answer := hooksAnswer{Plan: p, Changes: p.Changed()}
	if answer.Notes == nil {
		answer.Notes = []string{}
	}
	if !a.json {
		if err := a.showDiff(p); err != nil {
			return err
		}
	}
	ask := error(nil)
	switch {
	case !p.Changed() || dry:
	case yes:
		answer.Applied = true
	case a.canAsk():
		answer.Applied = a.confirm("Write this to " + p.Path + "?")
	default:
		ask = model.Errorf(model.CodeUsage, "nothing was changed: there is no terminal to ask on").WithHint("look at the diff, then repeat with --yes")
	}
	if answer.Applied {
		if err := f.Hooks().Apply(p); err != nil {
			return err
		}
	}
	if err := a.answer(answer, func() error { return a.sayApplied(answer, dry) }); err != nil {
		return err
	}
	return ask
}

// showDiff writes a diff's lines, each cleaned.
func (a *app) showDiff(p hooks.Plan) error {
	if p.Diff == "" {
		return nil
	}
	for _, line := range strings.Split(strings.TrimSuffix(p.Diff, "\n"), "\n") {
		if err := a.say(line); err != nil {
			return err
		}
	}
	if p.Delete {
		return a.say("(the file goes: it was not there before)")
	}
	return nil
}

func (a *app) sayApplied(p hooksAnswer, dry bool) error {
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
		if err := a.say(l); err != nil {
			return err
		}
	}
	return nil
}

// canAsk says whether somebody sees a question and can answer it.
func (a *app) canAsk() bool {
	return a.env.IsTerminal != nil && a.env.IsTerminal(Stdin) && a.env.IsTerminal(Stderr)
}

// confirm asks on stderr; anything but yes is no.
func (a *app) confirm(question string) bool {
	_, _ = io.WriteString(a.env.Stderr, clean.Line(question)+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(a.env.Stdin, 1024)).ReadString('\n')
	if err != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

func (a *app) hooksShow() *cobra.Command {
	var o hooks.Options
	c := &cobra.Command{
		Use: "show [TOOL]", Short: "Show whether the hooks of a tool, or of all, are installed, and what an install puts in",
		Example: "  binnacle fleet hooks show\n  binnacle fleet hooks show codex", Args: takes("[TOOL]"),
	}
	user := hooksFlags(c, &o)
	c.RunE = a.runs(func(_ context.Context, args []string) error {
		tools := hooks.Tools()
		if len(args) == 1 {
			tools = args
		}
		f, err := a.openHooks(reading)
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
			return a.answer(all[0], func() error { return a.showHooks(all[0]) })
		}
		return a.answer(all, func() error { return a.listHooks(all) })
	})
	return c
}

func (a *app) showHooks(s hooks.State) error {
	if err := a.fields("tool", s.Tool, "settings", s.Path, "hooks", hooksWords(s), "fault", s.Fault); err != nil {
		return err
	}
	for _, off := range s.Off {
		if err := a.say("off: " + off); err != nil {
			return err
		}
	}
	for _, n := range s.Notes {
		if err := a.say("note: " + n); err != nil {
			return err
		}
	}
	for _, line := range strings.Split("\n"+strings.TrimSuffix(s.Snippet, "\n"), "\n") {
		if err := a.say(line); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listHooks(all []hooks.State) error {
	var rows [][]string
	for _, s := range all {
		rows = append(rows, []string{s.Tool, hooksWords(s), s.Path})
	}
	return a.table([]column{{name: "tool"}, {name: "hooks"}, {name: "settings"}}, rows)
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
