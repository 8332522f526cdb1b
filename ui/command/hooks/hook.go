// Package hooks is the two commands that agents' tools meet: what a tool's hook
// calls, and what writes the tool's settings.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/clock"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/guard"
	ws "binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
	"binnacle/ui/command/cli"
)

const (
	// Within bounds the wait for a tool's JSON: some give a session's last
	// hook only a second.
	Within = 900 * time.Millisecond
	// hookTakes is how long a hook tries the database. What it does not get in
	// waits in the spool.
	hookTakes = 50 * time.Millisecond
)

// Hook records one event of a tool's session. Whatever happens, it exits
// with 0 and prints nothing: in some tools a status of 2 stops the agent, and
// what is printed is put before the model. So it takes no part in the rules of
// the other commands, the parsing of flags included.
func Hook(r *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "hook TOOL",
		Short: "Record one hook event of a tool from stdin",
		Long: "Record one event of a tool's session (" + cli.List(hooks.Tools()) + ") from its hook's JSON on stdin; with --lines\n" +
			"one event from each line, in order, until stdin ends. It writes to the workspace's spool, tries the database\n" +
			"for a moment, and never waits for Git; where nobody holds the workspace's duties, it starts a detached\n" +
			"binnacle fleet push --due. The exit status is always 0, and nothing is printed, also without a\n" +
			"workspace; --verbose says on stderr what became of the event. binnacle fleet hooks install sets it up.",
		Example:            "  binnacle fleet hook claude-code --verbose < event.json",
		DisableFlagParsing: true,
		ValidArgsFunction:  completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Begin()
			o := parseArgs(args)
			if o.help {
				return cmd.Help()
			}
			hookEvents(cmd.Context(), r, o, func(text string) {
				if o.verbose {
					_, _ = io.WriteString(r.Env.Stderr, "binnacle: "+clean.Line(text)+"\n")
				}
			})
			return nil
		},
	}
}

// hookEvents records the events and says what became of each, in words.
func hookEvents(ctx context.Context, r *cli.Run, o hookArgs, say func(string)) {
	if o.readOnly {
		say("nothing is recorded: " + cli.ReadOnly().Error())
		return
	}
	if r.Env.Terminal(cli.Stdin) {
		say(cli.Usage("the hook's JSON is read from stdin, and that is a terminal").Error())
		return
	}
	in := hooks.NewInput(r.Env.Stdin, o.lines)
	for first := true; ; first = false {
		at := reading(r)
		raw, err := hookInput(ctx, r, in, o.lines)
		if o.lines {
			at = reading(r) // it happened now, not when the last one did
		}
		switch {
		case errors.Is(err, io.EOF) && (o.lines || !first):
			return
		case errors.Is(err, io.EOF):
			err = model.Errorf(model.CodeInvalid, "stdin holds no JSON object")
		}
		if err != nil {
			say(hinted(err))
		} else {
			say(hookEvent(ctx, r, o, raw, at))
		}
		if !o.lines || err != nil && model.CodeOf(err) != model.CodeInvalid {
			return
		}
	}
}

// reading looks at the machine's clocks.
func reading(r *cli.Run) model.Reading {
	if r.Env.Clock == nil {
		r.Env.Clock = clock.Machine()
	}
	return r.Env.Clock()
}

// hookEvent records one event and returns what became of it, in words. It
// outlives every failure, its own bugs included.
func hookEvent(ctx context.Context, r *cli.Run, o hookArgs, raw []byte, at model.Reading) (text string) {
	defer func() {
		if bug := recover(); bug != nil {
			text = fmt.Sprintf("the event was lost to a bug: %v", bug)
		}
	}()
	rep, err := hooks.Parse(o.tool, raw)
	switch {
	case err != nil:
		return hinted(err)
	case rep.Session == "":
		return "nothing is recorded: the event " + rep.Event + " names no session"
	}
	if text, err = record(ctx, r, o, rep, at); err != nil {
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

// hookInput waits for the next object. A tool that never writes a whole one is
// not waited for, but for the next of many lines.
func hookInput(ctx context.Context, r *cli.Run, in *hooks.Input, lines bool) ([]byte, error) {
	type input struct {
		raw []byte
		err error
	}
	got := make(chan input, 1)
	guard.Go("stdin", func() {
		raw, err := in.Next()
		got <- input{raw, err}
	})
	var late <-chan time.Time
	if !lines {
		t := time.NewTimer(Within)
		defer t.Stop()
		late = t.C
	}
	select {
	case in := <-got:
		return in.raw, in.err
	case <-late:
		return nil, model.Errorf(model.CodeTimeout, "stdin held no whole JSON object within %s", Within)
	case <-ctx.Done():
		return nil, model.Errorf(model.CodeCancelled, "cancelled: %w", ctx.Err())
	}
}

// record keeps the event in the spool, and takes the spool in unless somebody
// else does. It opens only what that needs.
func record(ctx context.Context, r *cli.Run, o hookArgs, rep session.Report, at model.Reading) (string, error) {
	paths, dir, err := hookPlace(r, o, rep.Cwd)
	if err != nil {
		return "", err
	}
	// A setting that is wrong must not keep sessions from being recorded.
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		config = backend.Config{}
	}
	options, err := r.FleetOptions(paths, config)
	if err != nil {
		return "", err
	}
	r.FleetWorld(&options)
	// The project's repository, for its remote is where the summary goes,
	// whatever repository the agent is looking at.
	options.RepoDir = backend.FleetFolder(paths.Project(), dir)
	options.Alarm = nil
	f, err := fleet.Open(options)
	if err != nil {
		return "", err
	}
	if err := f.Keep(rep, at, 0); err != nil {
		return "", err
	}
	what := rep.Event + " of " + session.Key(rep.Tool, rep.Session) + " in " + paths.Project()
	if f.Watched() {
		return "kept for the holder of the duties: " + what, nil
	}
	if err := takeKept(ctx, r, options, paths, rep.Act == session.ActEnd); err != nil {
		_ = f.Wake(rep.Act == session.ActEnd) // what publishes takes it in first
		return "kept in the spool: " + what + "; not taken in yet: " + err.Error(), nil
	}
	return "recorded " + what, nil
}

// takeKept tries for a moment to take the spool in. A database that is busy is
// left to itself: what is cut short is taken in by the next one.
func takeKept(ctx context.Context, r *cli.Run, options fleet.Options, paths ws.Workspace, ended bool) error {
	done := make(chan error, 1)
	ctx, stop := context.WithTimeout(ctx, hookTakes)
	defer stop()
	guard.Go("taking", func() {
		done <- func() error {
			s, err := backend.OpenStore(ctx, backend.StoreOptions{Dir: paths.Dir(), Existing: true, Clock: r.Env.Clock})
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }() // what was recorded is durable already
			options.Store = s
			f, err := fleet.Open(options)
			if err != nil {
				return err
			}
			return f.TakeKept(ctx, ended)
		}()
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return model.Errorf(model.CodeBusy, "the database was busy for %s", hookTakes)
	}
}

// hookPlace finds the workspace that an event belongs to, and a folder to look
// for the repository in where the project has none. Agents move about, so
// several places are looked at: a workspace that was named, where the tool says
// that the session is, where the hook was started, and the project's root as
// tools pass it on.
func hookPlace(r *cli.Run, o hookArgs, cwd string) (ws.Workspace, string, error) {
	named := ws.FindOptions{Flag: o.workspace, Env: r.Env.Getenv("BINNACLE_WORKSPACE"), Dir: r.Env.Dir}
	if named.Flag != "" || named.Env != "" {
		paths, err := ws.Find(named)
		return paths, r.Env.Dir, err
	}
	var first error
	for _, dir := range []string{cwd, r.Env.Dir, r.Env.Getenv("CLAUDE_PROJECT_DIR"), r.Env.Getenv("GEMINI_PROJECT_DIR")} {
		if !filepath.IsAbs(dir) {
			continue
		}
		dir := git.NearestFolder(dir)
		paths, err := ws.Find(ws.FindOptions{Dir: dir})
		if main := git.MainTree(dir); err != nil && main != "" {
			paths, err = ws.Find(ws.FindOptions{Dir: main})
		}
		if err == nil {
			return paths, dir, nil
		}
		if first == nil {
			first = err
		}
	}
	return ws.Workspace{}, r.Env.Dir, first
}
