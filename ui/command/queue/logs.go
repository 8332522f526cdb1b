package queue

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"binnacle/backend/queue/work"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
)

// logged is a log, as --json shows it.
type logged struct {
	ID      int64  `json:"id"`
	Attempt int64  `json:"attempt"`
	Running bool   `json:"running"`
	Text    string `json:"text"`
}

func logs(r *cli.Run) *cobra.Command {
	var follow bool
	var attempt int64
	c := &cobra.Command{
		Use: "logs ID", Short: "Print what the command of queue work wrote at a directive", Args: cli.Takes("ID"),
		Long: "Print what the command of queue work wrote at a directive, in its newest attempt: to a terminal cleaned, to\n" +
			"a pipe byte for byte, secrets replaced in both. A log keeps the beginning and the end of what is longer than\n" +
			"8 MiB; the oldest are deleted when all are past 256 MiB.",
		Example:           "  binnacle queue logs 7 --follow",
		ValidArgsFunction: r.CompleteKeys(model.KindDirective),
	}
	f := c.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "go on until the command ends")
	f.Int64Var(&attempt, "attempt", 0, "which attempt's (default: the newest)")
	c.RunE = runsBare(r, func(ctx context.Context, args []string) error {
		n, err := id(args[0])
		if err != nil {
			return err
		}
		switch {
		case attempt < 1 && c.Flags().Changed("attempt"):
			return cli.Usage("--attempt begins with 1")
		case r.Asked && follow:
			return cli.Usage("--follow writes the log itself, not JSON")
		}
		paths, err := r.Find()
		if err != nil {
			return err
		}
		l, err := work.RunsFolder(paths.Dir()).Open(n, attempt)
		if err != nil {
			return err
		}
		defer func() { _ = l.Close() }()
		if r.Asked {
			var text bytes.Buffer
			running := l.Running()
			if err := l.Copy(ctx, &text, false); err != nil {
				return err
			}
			return r.WriteJSON(logged{n, l.Attempt, running, text.String()})
		}
		var to io.Writer = r.Out
		if r.Env.Terminal(cli.Stdout) {
			lines := &cleanLines{to: r.Out}
			defer lines.end()
			to = lines
		}
		return l.Copy(ctx, to, follow)
	})
	return c
}

// longLine bounds a line that is waited for to be whole.
const longLine = 64 << 10

// cleanLines cleans what goes to a terminal, line by line, so that no character
// is cut.
type cleanLines struct {
	to   io.Writer
	held []byte
}

func (c *cleanLines) Write(p []byte) (int, error) {
	c.held = append(c.held, p...)
	n := bytes.LastIndexByte(c.held, '\n') + 1
	if len(c.held)-n > longLine {
		n = len(c.held)
	}
	if n == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(c.to, clean.Text(string(c.held[:n])))
	c.held = append(c.held[:0], c.held[n:]...)
	return len(p), err
}

func (c *cleanLines) end() {
	if len(c.held) > 0 {
		_, _ = io.WriteString(c.to, clean.Text(string(c.held))+"\n") // what can't be written ends the run
	}
}
