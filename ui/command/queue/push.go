package queue

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

func push(r *cli.Run) *cobra.Command {
	var p queue.Push
	var body, file, until string
	var forSpan cli.Span
	var blocked []string
	priority := cli.Choice{Value: "P1", Words: []string{"P0", "P1", "P2"}}
	c := &cobra.Command{
		Use:   "push",
		Short: "Put a directive into a lane",
		Long: "Put a directive into a lane. The body is --body, the content of --file, or stdin; at most 128 KiB of\n" +
			"UTF-8. --for, --until and --blocked-by defer it from the start.\n\n" +
			"A body is delivered exactly as it was pushed, or not taken: one that looks like it holds a secret is refused,\n" +
			"unless --redact or --allow-secret says what to do with it.",
		Example: "  binnacle queue push -p P0 -b 'ship the smallest verified fix'\n" +
			"  binnacle queue push --lane release --parent 1 -f directive.txt",
		Args: cli.Takes(),
	}
	f := c.Flags()
	f.VarP(&priority, "priority", "p", "P0, P1 or P2")
	f.StringVarP(&body, "body", "b", "", "the directive")
	f.StringVarP(&file, "file", "f", "", "read the directive from this file; - is stdin")
	f.StringVar(&p.Lane, "lane", directive.DefaultLane, "the lane")
	f.Int64Var(&p.Parent, "parent", 0, "the directive whose thread it belongs to")
	f.Int64Var(&p.Importance, "importance", 0, "adds to the order where ageing is on")
	f.StringVar(&p.By, "by", "", "who pushes (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	f.StringVar(&p.Why, "why", "", "why, for the record")
	f.Var(&forSpan, "for", "defer it for this long, e.g. 2h")
	f.StringVar(&until, "until", "", "defer it until this time")
	f.StringArrayVar(&blocked, "blocked-by", nil, "defer it until these are done or dropped")
	cli.SecretFlags(c, &p.Secrets)
	laneCompletion(r, c)
	_ = c.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions(priority.Words, cobra.ShellCompDirectiveNoFileComp))
	c.MarkFlagsMutuallyExclusive("body", "file")
	c.MarkFlagsMutuallyExclusive("for", "until")
	c.RunE = runs(r, func(ctx context.Context, _ []string) error {
		var err error
		if p.Priority, err = directive.ParsePriority(priority.Value); err != nil {
			return err
		}
		if p.Body, err = readBody(ctx, r, c.Flags().Changed("body"), body, file); err != nil {
			return err
		}
		if p.NotBefore, err = future(r, forSpan, until); err != nil {
			return err
		}
		if p.BlockedBy, err = ids(blocked); err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if p.By == "" {
			p.By = w.Producer
		}
		got, err := w.Queue.Push(ctx, p)
		if err != nil {
			return err
		}
		d := got.After
		return answerChange(r, got, "queued #"+cli.Itoa(d.ID)+" ["+standing(d)+"]: "+d.Summary())
	})
	return c
}

// standing is where a directive stands, as laneq writes it in brackets.
func standing(d directive.Directive) string {
	where := d.Priority.String()
	if d.Lane != directive.DefaultLane {
		where += " lane=" + clean.Line(d.Lane)
	}
	if d.Parent != 0 {
		where += " parent=#" + cli.Itoa(d.Parent)
	}
	return where
}

// readBody reads a directive's body; one that is larger than a body may be is read
// only as far as it takes to refuse it.
func readBody(ctx context.Context, r *cli.Run, given bool, body, file string) (string, error) {
	if given {
		return body, nil
	}
	in, from := r.Stdin(ctx), "stdin"
	if file != "" && file != "-" {
		f, err := os.Open(r.Path(file))
		if err != nil {
			return "", model.Errorf(model.CodeUsage, "the file %s can't be read: %w", clean.Line(file), err)
		}
		defer func() { _ = f.Close() }()
		in, from = clean.WithoutBOM(f), "the file "+file
	} else if r.Env.Terminal(cli.Stdin) && file == "" {
		_, _ = io.WriteString(r.Env.Stderr, "the directive, and then ctrl+d:\n")
	}
	b, err := io.ReadAll(io.LimitReader(in, directive.MaxBody+1))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", cli.Usage("%s can't be read: %w", clean.Line(from), err)
	}
	return string(b), nil
}

// future is the instant that --for or --until names; 0 when there is none.
func future(r *cli.Run, after cli.Span, until string) (model.Time, error) {
	if after != 0 {
		return r.Env.Now().Add(time.Duration(after)), nil
	}
	if until == "" {
		return 0, nil
	}
	return readTime("--until", until)
}
