package command

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/filter"
)

// queueCommand is laneq's place: its verbs, its options, its texts and its exit
// statuses.
func (a *app) queueCommand() *cobra.Command {
	return a.group("queue", "Directives in lanes, claimed under leases",
		"The queue of directives. next takes exactly one under a lease and a token; only that claim's token may\n"+
			"finish it. alias laneq='binnacle queue' serves scripts that were written for laneq; LANEQ_LEASE_SECONDS,\n"+
			"LANEQ_CONSUMER and LANEQ_REAP_STALE_SECONDS are read beside their BINNACLE_ names.\n\n"+
			"next prints the body itself and peek the head and the body, also to a pipe; both exit with 3 when nothing is\n"+
			"there. A refusal exits with 1, what can't be read with 2. LANEQ_DB names another queue, so it is refused.",
		a.queuePush(), a.queueNext(), a.queuePeek(), a.queueShow(), a.queueList(), a.queueReprioritize(),
		a.queueStep("done", "Finish a claim", (*queue.Queue).Done),
		a.queueStep("requeue", "Hand a claim back", (*queue.Queue).Requeue),
		a.queueStep("drop", "End a directive that will not be done", (*queue.Queue).Drop),
		a.queueStep("park", "Set a directive aside until somebody unparks it", (*queue.Queue).Park),
		a.queueUnpark(), a.queueDefer(), a.queueTouch(), a.queueThreadStatus(), a.queueReap(), a.queueStats(),
		a.queueWhy(), a.queueMigrate(), a.queueImport(),
	)
}

// getenv is the first variable of the environment that is set, by its
// BINNACLE_ name or laneq's.
func (a *app) getenv(name string) string {
	if v := a.env.Getenv("BINNACLE_" + name); v != "" {
		return v
	}
	return a.env.Getenv("LANEQ_" + name)
}

// seconds reads a variable that holds seconds.
func (a *app) seconds(name string, otherwise time.Duration) (time.Duration, error) {
	v := a.getenv(name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 1 {
		return 0, usage("%s is %q, which is not a number of seconds", name, clean.Line(v)).WithHint("it is read from BINNACLE_%s and LANEQ_%s", name, name)
	}
	return time.Duration(n) * time.Second, nil
}

// lease is the length that --lease asks for, else what the environment says;
// 0 leaves it to config.toml.
func (a *app) lease(flag span) (time.Duration, error) {
	if flag != 0 {
		return time.Duration(flag), nil
	}
	return a.seconds("LEASE_SECONDS", 0)
}

// id reads a directive's id; a leading # is forgiven. There is no #0, as the
// queue says.
func id(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 0 {
		return 0, usage("%q is not a directive's id", clean.Line(arg))
	}
	return n, nil
}

// ids reads ids, each flag being one or several with commas or spaces.
func ids(flags []string) ([]int64, error) {
	var out []int64
	for _, f := range flags {
		for _, word := range strings.FieldsFunc(f, func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := id(word)
			if err != nil {
				return nil, usage("invalid dependency id: %s", clean.Line(word))
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// changed is what an act did, as --json shows it.
type changed struct {
	directive.Directive
	Action   string  `json:"action"`
	Seq      int64   `json:"seq"`
	Forced   bool    `json:"forced,omitempty"`
	Promoted []int64 `json:"promoted,omitempty"`
	Already  bool    `json:"already,omitempty"`
}

func (a *app) changed(c queue.Change, text string) error {
	if c.Already {
		text = "#" + itoa(c.After.ID) + " was " + model.Past(c.Action) + " already, by this claim"
	}
	a.wrote("#" + itoa(c.After.ID) + " is " + c.After.Status)
	return a.answer(changed{c.After, c.Action, c.Seq, c.Forced, c.Promoted, c.Already}, func() error { return a.say(text) })
}

func (a *app) queuePush() *cobra.Command {
	var p queue.Push
	var body, file, until string
	var forSpan span
	var blocked []string
	priority := choice{value: "P1", words: []string{"P0", "P1", "P2"}}
	c := &cobra.Command{
		Use:   "push",
		Short: "Put a directive into a lane",
		Long: "Put a directive into a lane. The body is --body, the content of --file, or stdin; at most 128 KiB of\n" +
			"UTF-8. --for, --until and --blocked-by defer it from the start.\n\n" +
			"A body is delivered exactly as it was pushed, or not taken: one that looks like it holds a secret is refused,\n" +
			"unless --redact or --allow-secret says what to do with it.",
		Example: "  binnacle queue push -p P0 -b 'ship the smallest verified fix'\n" +
			"  binnacle queue push --lane release --parent 1 -f directive.txt",
		Args: takes(),
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
	secretFlags(c, &p.Secrets)
	a.laneCompletion(c)
	_ = c.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions(priority.words, cobra.ShellCompDirectiveNoFileComp))
	c.MarkFlagsMutuallyExclusive("body", "file")
	c.MarkFlagsMutuallyExclusive("for", "until")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		var err error
		if p.Priority, err = directive.ParsePriority(priority.value); err != nil {
			return err
		}
		if p.Body, err = a.body(ctx, c.Flags().Changed("body"), body, file); err != nil {
			return err
		}
		if p.NotBefore, err = a.future(forSpan, until); err != nil {
			return err
		}
		if p.BlockedBy, err = ids(blocked); err != nil {
			return err
		}
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		if p.By == "" {
			p.By = w.producer
		}
		got, err := w.queue.Push(ctx, p)
		if err != nil {
			return err
		}
		d := got.After
		return a.changed(got, "queued #"+itoa(d.ID)+" ["+standing(d)+"]: "+d.Summary())
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
		where += " parent=#" + itoa(d.Parent)
	}
	return where
}

// body reads a directive's body; one that is larger than a body may be is read
// only as far as it takes to refuse it.
func (a *app) body(ctx context.Context, given bool, body, file string) (string, error) {
	if given {
		return body, nil
	}
	r, from := a.stdin(ctx), "stdin"
	if file != "" && file != "-" {
		f, err := os.Open(a.path(file))
		if err != nil {
			return "", model.Errorf(model.CodeUsage, "the file %s can't be read: %w", clean.Line(file), err)
		}
		defer func() { _ = f.Close() }()
		r, from = clean.WithoutBOM(f), "the file "+file
	} else if a.env.IsTerminal != nil && a.env.IsTerminal(Stdin) && file == "" {
		_, _ = io.WriteString(a.env.Stderr, "the directive, and then ctrl+d:\n")
	}
	b, err := io.ReadAll(io.LimitReader(r, directive.MaxBody+1))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", usage("%s can't be read: %w", clean.Line(from), err)
	}
	return string(b), nil
}

// future is the instant that --for or --until names; 0 when there is none.
func (a *app) future(after span, until string) (model.Time, error) {
	if after != 0 {
		return a.env.Now().Add(time.Duration(after)), nil
	}
	if until == "" {
		return 0, nil
	}
	return readTime("--until", until)
}

// readTime reads a flag's instant; one that can't be read is a mistake of
// usage.
func readTime(flag, text string) (model.Time, error) {
	t, err := model.ParseTime(text)
	if err != nil {
		return 0, usage("%s: %s", flag, err).WithHint("%s", model.HintOf(err))
	}
	return t, nil
}

// laneCompletion completes --lane.
func (a *app) laneCompletion(c *cobra.Command) {
	_ = c.RegisterFlagCompletionFunc("lane", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.complete(cmd, func(ctx context.Context, w *workspace) []string {
			return w.backend.Values(ctx, string(filter.FieldLane))
		})
	})
}
