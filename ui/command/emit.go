package command

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
)

// emitFlags are emit's own.
type emitFlags struct {
	kind      choice
	key       string
	producer  string
	causation int64
	expires   span
	stdin     bool
	envelope  bool
	ack       bool
	allow     bool
	numbers   choice
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

func (a *app) emitCommand() *cobra.Command {
	f := emitFlags{numbers: choice{value: "exact", words: []string{"exact", "text"}}, kind: choice{value: string(model.KindGeneric), words: emitKinds()}}
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
		ValidArgsFunction: a.completeTopics,
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.stdin && f.envelope:
			return takes("[TOPIC]")(cmd, args)
		case f.stdin:
			return takes("TOPIC")(cmd, args)
		case f.envelope:
			return usage("--envelope is for the lines of --stdin")
		case f.ack:
			return usage("--ack is for the lines of --stdin")
		}
		return takes("TOPIC", "PAYLOAD")(cmd, args)
	}
	fl := c.Flags()
	fl.Var(&f.kind, "kind", "what it is: "+list(f.kind.words))
	fl.StringVar(&f.key, "key", "", "the signal that it is about (default: its own sequence number)")
	fl.StringVar(&f.producer, "producer", "", "who writes it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	fl.Int64Var(&f.causation, "causation", 0, "the sequence number of the event that caused it")
	fl.Var(&f.expires, "expires", "when a signal expires by itself, e.g. 2h")
	fl.BoolVar(&f.stdin, "stdin", false, "one event for each line of stdin")
	fl.BoolVar(&f.envelope, "envelope", false, "with --stdin: the lines name their own topic, kind and so on")
	fl.BoolVar(&f.ack, "ack", false, "with --stdin: one line for each commit, so that it is known what went in")
	fl.Var(&f.numbers, "numbers", "exact refuses a number that can't be kept as it is written; text makes a string of it")
	fl.BoolVar(&f.allow, "allow-secret", false, "keep what looks like a secret; it can't be taken out later")
	_ = c.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(f.kind.words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		if f.stdin {
			return a.emitLines(ctx, &f, args)
		}
		return a.emit(ctx, &f, args)
	})
	return c
}

// emit writes one event.
func (a *app) emit(ctx context.Context, f *emitFlags, args []string) error {
	payload, err := a.payload(ctx, args[1])
	if err != nil {
		return err
	}
	if f.numbers.value == "text" {
		payload, _ = model.NumbersAsText(payload)
	}
	w, err := a.open(ctx, writing)
	if err != nil {
		return err
	}
	var redacted []string
	e, err := w.ledger.Emit(ctx, ledger.EmitRequest{
		AllowSecret: f.allow, Redacted: func(rules []string) { redacted = rules },
		Topic: args[0], Kind: model.Kind(f.kind.value), Key: f.key, Producer: f.producer, Payload: payload,
		Causation: f.causation, Expires: time.Duration(f.expires),
	})
	if err != nil {
		return err
	}
	a.wrote("event #" + itoa(e.Seq) + " is in the ledger")
	if a.json {
		err = a.writeEmitted(e, redacted)
	} else {
		err = a.say(a.eventLine(e))
	}
	a.sayRedacted(redacted)
	return err
}

// payload is an argument that holds JSON, or "-" for all of stdin.
func (a *app) payload(ctx context.Context, arg string) (json.RawMessage, error) {
	if arg != "-" {
		return json.RawMessage(arg), nil
	}
	b, err := io.ReadAll(io.LimitReader(a.stdin(ctx), 8*model.MaxPayload))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, model.Errorf(model.CodeInternal, "stdin can't be read: %w", err)
	}
	return b, nil
}

// badLine is a refused line as --json shows it.
type badLine struct {
	Line int `json:"line"`
	*model.Error
}

// emitLines writes one event for each line of stdin.
func (a *app) emitLines(ctx context.Context, f *emitFlags, args []string) error {
	w, err := a.open(ctx, writing)
	if err != nil {
		return err
	}
	o := ledger.LineOptions{Kind: model.Kind(f.kind.value), Key: f.key, Producer: f.producer, Envelope: f.envelope}
	if len(args) > 0 {
		o.Topic = args[0]
	}
	if f.expires != 0 || f.causation != 0 {
		return usage("--expires and --causation are for one event").WithHint("with --envelope each line may name its own")
	}
	o.AllowSecret, o.NumbersAsText = f.allow, f.numbers.value == "text"
	if f.ack {
		o.Committed = a.acknowledge
	}
	sum, err := w.ledger.EmitLines(ctx, a.env.Stdin, o, func(bad *ledger.LineError) { a.reportLine(bad) })
	if sum.Accepted > 0 {
		a.wrote(number(int64(sum.Accepted)) + " events are in the ledger, #" + itoa(sum.First) + " to #" + itoa(sum.Last))
	}
	a.sayRedacted(sum.Redacted)
	answered := a.answer(sum, func() error {
		line := number(int64(sum.Accepted)) + " events written"
		if sum.Accepted > 0 {
			line += ", #" + itoa(sum.First) + " to #" + itoa(sum.Last)
		}
		if sum.Bad > 0 {
			line += "; " + number(int64(sum.Bad)) + " lines refused"
		}
		return a.say(line)
	})
	switch {
	case err != nil:
		return err
	case answered != nil:
		return answered
	case sum.Bad > 0:
		a.quiet = true // each line was reported
		return model.Errorf(model.CodeRefused, "%d lines were refused", sum.Bad)
	}
	return nil
}

// acked is a commit as --ack shows it.
type acked struct {
	Ack ledger.Committed `json:"ack"`
}

// acknowledge tells a commit; one that can't be told ends the run.
func (a *app) acknowledge(c ledger.Committed) error {
	upTo := "in up to line " + itoa(int64(c.Line)) + ": #" + itoa(c.First) + " to #" + itoa(c.Last)
	if err := a.answer(acked{c}, func() error { return a.say(upTo) }); err != nil {
		return model.Errorf(model.CodeInternal, "%s, but that can't be told, so the rest was left: %s", upTo, unwritten(err))
	}
	return nil
}

func (a *app) reportLine(bad *ledger.LineError) {
	f := desk.ErrorOf(bad.Err)
	if a.json {
		if line, err := jsonLine(badLine{bad.Line, f}); err == nil {
			_, _ = a.env.Stderr.Write(line)
		}
		return
	}
	text := "binnacle: line " + itoa(int64(bad.Line)) + ": " + clean.Line(f.Message)
	if f.Hint != "" {
		text += " (" + clean.Line(f.Hint) + ")"
	}
	_, _ = io.WriteString(a.env.Stderr, text+"\n")
}

// kindsCommand prints the contracts.
func (a *app) kindsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "kinds [KIND]",
		Short: "Print the contract of every kind, as JSON Schema",
		Args:  takes("[KIND]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return kindNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.RunE = a.runs(func(_ context.Context, args []string) error {
		all := model.Contracts()
		if len(args) == 1 {
			word := choice{words: kindNames()}
			if err := word.Set(args[0]); err != nil {
				return err
			}
			for _, k := range all {
				if string(k.Kind) == args[0] {
					all = []model.Contract{k}
				}
			}
		}
		if a.json {
			return a.writeJSON(all)
		}
		var rows [][]string
		for _, k := range all {
			emit := "no"
			if k.Emit {
				emit = "yes"
			}
			rows = append(rows, []string{string(k.Kind), emit, k.Owner, k.Describe})
		}
		if err := a.table([]column{{name: "kind"}, {name: "emit"}, {name: "written by"}, {name: "what it is"}}, rows); err != nil {
			return err
		}
		for _, k := range all {
			if _, err := io.WriteString(a.out, "\n"+string(k.Kind)+"\n"+indented(k.Schema)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

func kindNames() []string {
	var out []string
	for _, k := range model.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// indented is JSON for people.
func indented(raw json.RawMessage) string {
	safe := clean.AppendJSON(nil, raw)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(safe)); err != nil {
		return string(safe)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
