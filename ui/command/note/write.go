package note

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/coord/notes"
	"binnacle/model/note"
	"binnacle/ui/command/cli"
)

// writeFlags are the flags of what writes a note.
func writeFlags(c *cobra.Command, n *notes.New, by *string) {
	f := c.Flags()
	f.StringVar(&n.Title, "title", "", "what is known, in one line of at most 200 bytes")
	f.StringVar(&n.At, "at", "", "the revision that it is about (default: the work tree as it is)")
	f.StringVar(&n.Anchor, "anchor", "", "what of the path it is about: a function, a heading")
	f.StringVar(&n.Model, "model", "", "the model that writes it, which is an agent's then")
	f.BoolVar(&n.AllowSecret, "allow-secret", false, "keep what looks like a secret; it can't be taken out later")
	byFlag(c, by)
}

func add(r *cli.Run) *cobra.Command {
	var n notes.New
	var by string
	c := &cobra.Command{
		Use: "add [BODY]", Short: "Write down what is known about a path", Args: cli.Takes("[BODY]"),
		Long: "Write a note about a file or a folder of the work tree, named as it is from its top; . is all of it. The\n" +
			"body is plain paragraphs of at most 8 KiB; - reads it from stdin. What can't be seen (controls, bidi and\n" +
			"zero-width characters, tags) is refused in all that is written. Each principal writes at most 30 notes an\n" +
			"hour and 100 a day.",
		Example: "  binnacle note add --path src/parser.go --title 'the lexer owns the buffer' 'Copy what outlives next().'\n" +
			"  make 2>&1 | tail -20 | binnacle note add --path src/ --title 'how the build fails here' -",
	}
	c.Flags().StringVar(&n.Path, "path", "", "what it is about, from the top of the work tree, at most 256 bytes")
	writeFlags(c, &n, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		if n.Path == "" {
			return cli.Usage("%s needs --path", c.CommandPath()).WithHint("name what the note is about, e.g. --path src/parser.go; . is the whole tree")
		}
		return writes(ctx, r, c, n, by, args, (*notes.Notes).Add, "")
	})
	return c
}

func supersede(r *cli.Run) *cobra.Command {
	var n notes.New
	var by string
	c := &cobra.Command{
		Use: "supersede ID [BODY]", Short: "Write a note in the place of another", Args: cli.Takes("ID", "[BODY]"),
		Long: "Write a note in the place of another, which is closed for good. A note that a person wrote, or that is\n" +
			"endorsed, is superseded by its writer or by a person.",
		Example:           "  binnacle note supersede 41 --title 'the reader owns the buffer now'",
		ValidArgsFunction: completeNotes(r, note.Open),
	}
	c.Flags().StringVar(&n.Path, "path", "", "what it is about (default: what the other is about)")
	writeFlags(c, &n, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		return writes(ctx, r, c, n, by, args[1:], func(ns *notes.Notes, ctx context.Context, who notes.Who, n notes.New) (notes.Written, error) {
			return ns.Supersede(ctx, who, args[0], n)
		}, " in the place of note "+args[0])
	})
	return c
}

// writes writes a note and answers with it.
func writes(
	ctx context.Context, r *cli.Run, c *cobra.Command, n notes.New, by string, body []string,
	write func(*notes.Notes, context.Context, notes.Who, notes.New) (notes.Written, error), instead string,
) error {
	if n.Title == "" {
		return cli.Usage("%s needs --title", c.CommandPath()).WithHint("say in one line what is known, e.g. --title 'the lexer owns the buffer'")
	}
	if n.Path != "" {
		n.Path = path(n.Path)
	}
	var err error
	if len(body) > 0 {
		if n.Body, err = read(ctx, r, body[0]); err != nil {
			return err
		}
	}
	w, ns, err := open(ctx, r, cli.Writing)
	if err != nil {
		return err
	}
	me := who(r, w, by)
	me.Agent = me.Agent || n.Model != ""
	got, err := write(ns, ctx, me, n)
	if err != nil {
		return err
	}
	r.SayRedacted(got.Redacted)
	done := "note " + got.ID + " was written about " + got.Untrusted.Path + instead
	r.Wrote(done)
	return r.Answer(got, func() error { return r.Say(done) })
}

// read is a body as an argument gives it: itself, or stdin where it is a dash.
// More than fits is read only as far as it takes to refuse it.
func read(ctx context.Context, r *cli.Run, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	raw, err := io.ReadAll(io.LimitReader(r.Stdin(ctx), note.MaxBody+2))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", cli.Usage("stdin can't be read: %w", err)
	}
	return strings.TrimSuffix(string(raw), "\n"), nil
}
