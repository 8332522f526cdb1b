package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/model"
)

const (
	// hookWithin bounds a hook: a database that is busy for longer costs this
	// event, not the agent's time. Some tools give a session's last hook only a
	// second.
	hookWithin = 900 * time.Millisecond
	// maxHookInput bounds what a tool may pass, in bytes.
	maxHookInput = 32 << 20
)

// fleetHook records one event of a tool's session. Whatever happens, it exits
// with 0 and prints nothing: in some tools a status of 2 stops the agent, and
// what is printed is put before the model. So it takes no part in the rules of
// the other commands, the parsing of flags included.
func (a *app) fleetHook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook TOOL",
		Short: "Record one hook event of a tool from stdin",
		Long: "Record one event of a tool's session (" + list(fleet.Tools()) + ") from its hook's JSON on stdin. It only\n" +
			"writes to the workspace and never waits for Git; where nobody holds the workspace's duties, it starts a\n" +
			"detached binnacle fleet push --due. The exit status is always 0, and nothing is printed, also without a\n" +
			"workspace; --verbose says on stderr what became of the event. binnacle fleet hooks install sets it up.",
		Example:            "  binnacle fleet hook claude-code --verbose < event.json",
		DisableFlagParsing: true,
		ValidArgsFunction:  completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.began = true
			o := parseHookArgs(args)
			if o.help {
				return cmd.Help()
			}
			if text := a.hook(cmd.Context(), o); o.verbose {
				_, _ = io.WriteString(a.env.Stderr, "binnacle: "+model.Clean(text)+"\n")
			}
			return nil
		},
	}
}

// tree is the tree of commands, or of it only what a hook needs: an agent waits
// for each of its hooks.
func (a *app) tree(args []string) *cobra.Command {
	if len(args) < 3 || args[0] != "fleet" || args[1] != "hook" || parseHookArgs(args[2:]).help {
		return newRoot(a)
	}
	noun := &cobra.Command{Use: "fleet"}
	noun.AddCommand(a.fleetHook())
	root := &cobra.Command{Use: "binnacle", SilenceErrors: true, SilenceUsage: true}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(noun)
	return root
}

// hookArgs are the arguments of hook. What is not understood is passed over.
type hookArgs struct {
	tool      string
	workspace string
	verbose   bool
	help      bool
	readOnly  bool
}

func parseHookArgs(args []string) hookArgs {
	var o hookArgs
	for i := 0; i < len(args); i++ {
		name, value, valued := strings.Cut(args[i], "=")
		switch name {
		case "--verbose", "-v":
			o.verbose = true
		case "--help", "-h":
			o.help = true
		case "--read-only":
			o.readOnly = true
		case "--workspace", "--timeout", "--theme":
			if !valued && i+1 < len(args) {
				i++
				value = args[i]
			}
			if name == "--workspace" {
				o.workspace = value
			}
		default:
			if o.tool == "" && !strings.HasPrefix(name, "-") {
				o.tool = args[i]
			}
		}
	}
	return o
}

// hook records the event and returns what became of it, in words. It outlives
// every failure, its own bugs included.
func (a *app) hook(ctx context.Context, o hookArgs) (text string) {
	defer func() {
		if bug := recover(); bug != nil {
			text = fmt.Sprintf("the event was lost to a bug: %v", bug)
		}
	}()
	if o.readOnly {
		return "nothing is recorded: " + readOnly().Error()
	}
	ctx, stop := context.WithTimeout(ctx, hookWithin)
	defer stop()
	raw, err := a.hookInput(ctx)
	if err != nil {
		return err.Error()
	}
	r, err := fleet.ParseHook(o.tool, raw)
	switch {
	case err != nil:
		return hinted(err)
	case r.Session == "":
		return "nothing is recorded: the event " + r.Event + " names no session"
	}
	text, err = a.record(ctx, o, r, raw)
	if err != nil {
		return hinted(err)
	}
	return text
}

func hinted(err error) string {
	if hint := model.HintOf(err); hint != "" {
		return err.Error() + " (" + hint + ")"
	}
	return err.Error()
}

// hookInput reads stdin whole. A tool that never closes it is not waited for.
func (a *app) hookInput(ctx context.Context) ([]byte, error) {
	if a.env.IsTerminal != nil && a.env.IsTerminal(Stdin) {
		return nil, usage("the hook's JSON is read from stdin, and that is a terminal")
	}
	type input struct {
		raw []byte
		err error
	}
	got := make(chan input, 1)
	guard.Go("stdin", func() {
		raw, err := io.ReadAll(io.LimitReader(a.env.Stdin, maxHookInput+1))
		got <- input{raw, err}
	})
	select {
	case in := <-got:
		if len(in.raw) > maxHookInput {
			return nil, usage("the event is larger than %d MiB", maxHookInput>>20)
		}
		return in.raw, in.err
	case <-ctx.Done():
		return nil, model.Errorf(model.CodeTimeout, "stdin was not closed within %s", hookWithin)
	}
}

// record opens only what the event needs: the database and the fleet, no other
// engine.
func (a *app) record(ctx context.Context, o hookArgs, r model.Report, raw []byte) (string, error) {
	paths, dir, err := a.hookPlace(o, r.Cwd)
	if err != nil {
		return "", err
	}
	// A setting that is wrong must not keep sessions from being recorded.
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		config = backend.Config{}
	}
	options, err := a.fleetOptions(paths, config)
	if err != nil {
		return "", err
	}
	s, err := store.Open(ctx, store.Options{Path: paths.Database(), Clock: a.env.Clock})
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }() // what was recorded is durable already
	options.Store = s
	a.fleetWorld(&options)
	// The project's repository, for its remote is where the summary goes,
	// whatever repository the agent is looking at.
	options.RepoDir = backend.FleetFolder(paths.Project(), dir)
	options.Alarm = nil
	f, err := fleet.Open(options)
	if err != nil {
		return "", err
	}
	if _, err := f.Hook(ctx, o.tool, bytes.NewReader(raw), 0); err != nil {
		return "", err
	}
	return "recorded " + r.Event + " of " + model.SessionKey(r.Tool, r.Session) + " in " + paths.Project(), nil
}

// hookPlace finds the workspace that an event belongs to, and a folder to look
// for the repository in where the project has none. Agents move about, so
// several places are looked at: a workspace that was named, where the tool says
// that the session is, where the hook was started, and the project's root as
// tools pass it on.
func (a *app) hookPlace(o hookArgs, cwd string) (store.Workspace, string, error) {
	named := store.FindOptions{Flag: o.workspace, Env: a.env.Getenv("BINNACLE_WORKSPACE"), Dir: a.env.Dir}
	if named.Flag != "" || named.Env != "" {
		paths, err := store.Find(named)
		return paths, a.env.Dir, err
	}
	var first error
	for _, dir := range []string{cwd, a.env.Dir, a.env.Getenv("CLAUDE_PROJECT_DIR"), a.env.Getenv("GEMINI_PROJECT_DIR")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		paths, err := store.Find(store.FindOptions{Dir: dir})
		if err == nil {
			return paths, dir, nil
		}
		if first == nil {
			first = err
		}
	}
	return store.Workspace{}, a.env.Dir, first
}
