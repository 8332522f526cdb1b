// Package note is the commands over notes: what is written down about paths for
// whoever works on them next.
package note

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/coord/notes"
	"binnacle/backend/fleet/git"
	"binnacle/model/note"
	"binnacle/ui/command/cli"
)

// Command is the noun note.
func Command(r *cli.Run) *cobra.Command {
	return r.Group("note", "Write down what is known about a path, and read it",
		"Notes about files and folders of the work tree. What is known about a path is what was written about it and\n"+
			"about every folder above it. A note is stale once its file is no longer what it was; outside of Git, and for\n"+
			"folders, that is unknown. An owner of the path (CODEOWNERS, OWNERS) endorses what holds, which counts while\n"+
			"the note is not stale; anybody reports what does not, which hides it.\n\n"+
			"Whoever is not known to be an agent is taken for a person: agents' tools set a variable for what they run\n"+
			"("+strings.Join(agentMarks[1:], ", ")+"), and "+agentMarks[0]+" does for any other.",
		add(r), supersede(r), endorse(r), retract(r), report(r), unreport(r), list(r), show(r),
	)
}

// agentMarks are variables that are set where an agent runs a command.
var agentMarks = []string{"BINNACLE_AGENT", "CLAUDECODE", "CODEX_THREAD_ID", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE"}

// gitWithin bounds how long one look at the work tree by git may take.
const gitWithin = 10 * time.Second

// open opens the workspace, and its notes as they are seen from the work tree
// that the program was started in.
func open(ctx context.Context, r *cli.Run, how cli.Access) (*cli.Workspace, *notes.Notes, error) {
	w, err := r.Open(ctx, how)
	if err != nil {
		return nil, nil, err
	}
	dir := w.Project
	if r.Flags.Workspace == "" {
		dir = backend.FleetFolder(r.Env.Dir, w.Project)
	}
	tree, err := git.FindTree(dir)
	if err != nil {
		return nil, nil, err
	}
	if tree.Common == "" {
		tree.Root = w.Project
	}
	var environ []string
	if r.Env.Environ != nil {
		environ = r.Env.Environ()
	}
	return w, notes.Open(w.Backend.Store, git.FilesOf(tree, environ, gitWithin), w.Backend.Redactor()), nil
}

func byFlag(c *cobra.Command, by *string) {
	c.Flags().StringVar(by, "by", "", "who does it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
}

// who acts: whoever --by names, else who writes here.
func who(r *cli.Run, w *cli.Workspace, by string) notes.Who {
	me := notes.Who{Name: w.Producer}
	if by != "" {
		me.Name = by
	}
	for _, name := range agentMarks {
		me.Agent = me.Agent || r.Env.Getenv(name) != ""
	}
	return me
}

// path is the flag's as a note has it, which shells complete with a slash.
func path(p string) string {
	if p = strings.TrimPrefix(p, "./"); p == "" {
		return note.Root
	}
	return strings.TrimSuffix(p, "/")
}

// completeNotes completes the first argument with the notes in a state.
func completeNotes(r *cli.Run, state string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return r.Complete(cmd, func(ctx context.Context, w *cli.Workspace) []string {
			// Whether they are stale is not said, so nobody looks.
			l, err := notes.Open(w.Backend.Store, git.FilesOf(git.Tree{Root: w.Project}, nil, 0), nil).List(ctx, notes.ListOptions{All: state != note.Open})
			if err != nil {
				return nil
			}
			var out []string
			for _, i := range l.Items {
				if i.State == state {
					out = append(out, cli.Described(i.ID, i.Untrusted.Path+": "+i.Untrusted.Title))
				}
			}
			return out
		})
	}
}
