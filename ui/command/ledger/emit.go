package ledger

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/ui/command/cli"
)

// emitFlags are emit's own.
type emitFlags struct {
	kind      cli.Choice
	key       string
	producer  string
	causation int64
	expires   cli.Span
	stdin     bool
	envelope  bool
	ack       bool
	allow     bool
	numbers   cli.Choice
}

func emitKinds() []string {
	var out []string
	for _, c := range model.Contracts() {
		if c.Emit {
			out = append(out, string(c.Kind))
		}
	}
	return out
}

func emit(r *cli.Run) *cobra.Command {
	f := emitFlags{numbers: cli.Choice{Value: "exact", Words: []string{"exact", "text"}}, kind: cli.Choice{Value: string(model.KindGeneric), Words: emitKinds()}}
	c := &cobra.Command{
		Use:   "emit TOPIC [PAYLOAD]",
		Short: "Write an event, or one for each line of stdin",
		Long: "Write one event; it is durable when the command returns. PAYLOAD is a JSON object that keeps the\n" +
			"contract of its kind (binnacle ledger kinds prints them); - reads it from stdin.\n\n" +
			"With --stdin each line of stdin is one event's payload, written in batches. A line that breaks a contract\n" +
			"is reported with its number, the rest goes in, and the exit status is 1. With --envelope a line is\n" +
			"{topic, kind, key, producer, causation, payload} instead, and TOPIC may be left out. With --ack each commit is\n" +
			"told at once, as the number of the last line that is in and the events that were written.\n\n" +
			"What looks like a secret in a payload is replaced before it is hashed, and that is said; in a topic, a key or\n" +
			"a producer it is refused.",
		Example: "  binnacle ledger emit build/log '{\"text\":\"compiled\",\"tags\":[\"build\"]}' --kind note\n" +
			"  binnacle ledger emit build/alert '{\"summary\":\"disk almost full\"}' --kind signal --expires 2h\n" +
			"  jq -c '{name:\"load\",value:.load}' load.json | binnacle ledger emit host/load --kind metric --stdin",
		ValidArgsFunction: r.CompleteTopics,
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.stdin && f.envelope:
			return cli.Takes("[TOPIC]")(cmd, args)
		case f.stdin:
			return cli.Takes("TOPIC")(cmd, args)
		case f.envelope:
			return cli.Usage("--envelope is for the lines of --stdin")
		case f.ack:
			return cli.Usage("--ack is for the lines of --stdin")
		}
		return cli.Takes("TOPIC", "PAYLOAD")(cmd, args)
	}
	fl := c.Flags()
	fl.Var(&f.kind, "kind", "what it is: "+cli.List(f.kind.Words))
	fl.StringVar(&f.key, "key", "", "the signal that it is about (default: its own sequence number)")
	fl.StringVar(&f.producer, "producer", "", "who writes it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	fl.Int64Var(&f.causation, "causation", 0, "the sequence number of the event that caused it")
	fl.Var(&f.expires, "expires", "when a signal expires by itself, e.g. 2h")
	fl.BoolVar(&f.stdin, "stdin", false, "one event for each line of stdin")
	fl.BoolVar(&f.envelope, "envelope", false, "with --stdin: the lines name their own topic, kind and so on")
	fl.BoolVar(&f.ack, "ack", false, "with --stdin: one line for each commit, so that it is known what went in")
	fl.Var(&f.numbers, "numbers", "exact refuses a number that can't be kept as it is written; text makes a string of it")
	fl.BoolVar(&f.allow, "allow-secret", false, "keep what looks like a secret; it can't be taken out later")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(f.kind.Words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		if f.stdin {
			return emitLines(ctx, r, &f, args)
		}
		return emitOne(ctx, r, &f, args)
	})
	return c
}

// emitOne writes one event.
func emitOne(ctx context.Context, r *cli.Run, f *emitFlags, args []string) error {
	payload, err := r.Payload(ctx, args[1])
	if err != nil {
		return err
	}
	if f.numbers.Value == "text" {
		payload, _ = model.NumbersAsText(payload)
	}
	w, err := r.Open(ctx, cli.Writing)
	if err != nil {
		return err
	}
	var redacted []string
	e, err := w.Ledger.Emit(ctx, ledger.EmitRequest{
		AllowSecret: f.allow, Redacted: func(rules []string) { redacted = rules },
		Topic: args[0], Kind: model.Kind(f.kind.Value), Key: f.key, Producer: f.producer, Payload: payload,
		Causation: f.causation, Expires: time.Duration(f.expires),
	})
	if err != nil {
		return err
	}
	r.Wrote("event #" + cli.Itoa(e.Seq) + " is in the ledger")
	if r.JSON {
		err = writeEmitted(r, e, redacted)
	} else {
		err = r.Say(r.EventLine(e))
	}
	r.SayRedacted(redacted)
	return err
}

// badLine is a refused line as --json shows it.
type badLine struct {
	Line int `json:"line"`
	*model.Error
}

// emitLines writes one event for each line of stdin.
func emitLines(ctx context.Context, r *cli.Run, f *emitFlags, args []string) error {
	w, err := r.Open(ctx, cli.Writing)
	if err != nil {
		return err
	}
	o := ledger.LineOptions{Kind: model.Kind(f.kind.Value), Key: f.key, Producer: f.producer, Envelope: f.envelope}
	if len(args) > 0 {
		o.Topic = args[0]
	}
	if f.expires != 0 || f.causation != 0 {
		return cli.Usage("--expires and --causation are for one event").WithHint("with --envelope each line may name its own")
	}
	o.AllowSecret, o.NumbersAsText = f.allow, f.numbers.Value == "text"
	if f.ack {
		o.Committed = func(c ledger.Committed) error { return acknowledge(r, c) }
	}
	sum, err := w.Ledger.EmitLines(ctx, r.Env.Stdin, o, func(bad *ledger.LineError) { reportLine(r, bad) })
	if sum.Accepted > 0 {
		r.Wrote(cli.Number(int64(sum.Accepted)) + " events are in the ledger, #" + cli.Itoa(sum.First) + " to #" + cli.Itoa(sum.Last))
	}
	r.SayRedacted(sum.Redacted)
	answered := r.Answer(sum, func() error {
		line := cli.Number(int64(sum.Accepted)) + " events written"
		if sum.Accepted > 0 {
			line += ", #" + cli.Itoa(sum.First) + " to #" + cli.Itoa(sum.Last)
		}
		if sum.Bad > 0 {
			line += "; " + cli.Number(int64(sum.Bad)) + " lines refused"
		}
		return r.Say(line)
	})
	switch {
	case err != nil:
		return err
	case answered != nil:
		return answered
	case sum.Bad > 0:
		r.Quiet = true // each line was reported
		return model.Errorf(model.CodeRefused, "%d lines were refused", sum.Bad)
	}
	return nil
}

// acked is a commit as --ack shows it.
type acked struct {
	Ack ledger.Committed `json:"ack"`
}

// acknowledge tells a commit; one that can't be told ends the run.
func acknowledge(r *cli.Run, c ledger.Committed) error {
	upTo := "in up to line " + cli.Itoa(int64(c.Line)) + ": #" + cli.Itoa(c.First) + " to #" + cli.Itoa(c.Last)
	if err := r.Answer(acked{c}, func() error { return r.Say(upTo) }); err != nil {
		return model.Errorf(model.CodeInternal, "%s, but that can't be told, so the rest was left: %s", upTo, cli.Unwritten(err))
	}
	return nil
}

func reportLine(r *cli.Run, bad *ledger.LineError) {
	f := desk.ErrorOf(bad.Err)
	if r.JSON {
		if line, err := cli.JSONLine(badLine{bad.Line, f}); err == nil {
			_, _ = r.Env.Stderr.Write(line)
		}
		return
	}
	text := "binnacle: line " + cli.Itoa(int64(bad.Line)) + ": " + clean.Line(f.Message)
	if f.Hint != "" {
		text += " (" + clean.Line(f.Hint) + ")"
	}
	_, _ = io.WriteString(r.Env.Stderr, text+"\n")
}

// writeEmitted is writeEvent that also names the rules that replaced secrets.
func writeEmitted(r *cli.Run, e model.Event, redacted []string) error {
	if len(redacted) == 0 {
		return r.WriteEvent(e)
	}
	line := e.AppendJSON(make([]byte, 0, len(e.Payload)+320))
	rules, err := json.Marshal(redacted)
	if err != nil {
		return err
	}
	line = append(append(append(line[:len(line)-1], `,"redacted":`...), rules...), '}')
	_, err = r.Out.Write(append(clean.AppendJSON(make([]byte, 0, len(line)+16), line), '\n'))
	return err
}
