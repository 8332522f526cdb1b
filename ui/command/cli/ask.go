package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"

	"binnacle/backend/guard"
	"binnacle/model"
	"binnacle/model/clean"
)

// Stdin reads standard input for as long as ctx lasts: ctrl+c, a signal or
// --timeout end a read that waits, and the error is what ended it. A byte order
// mark at the beginning was cut off already (see Main).
//
// A read that was given up goes on in its goroutine until the process ends,
// which is at once: nothing else can end a read from a terminal.
func (r *Run) Stdin(ctx context.Context) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		type result struct {
			n   int
			err error
		}
		buf := make([]byte, len(p))
		got := make(chan result, 1)
		guard.Go("stdin", func() {
			n, err := r.Env.Stdin.Read(buf)
			got <- result{n, err}
		})
		select {
		case res := <-got:
			copy(p, buf[:res.n])
			return res.n, res.err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Payload is an argument that holds JSON, or "-" for all of stdin.
func (r *Run) Payload(ctx context.Context, arg string) (json.RawMessage, error) {
	if arg != "-" {
		return json.RawMessage(arg), nil
	}
	b, err := io.ReadAll(io.LimitReader(r.Stdin(ctx), 8*model.MaxPayload))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, model.Errorf(model.CodeInternal, "stdin can't be read: %w", err)
	}
	return b, nil
}

// Agreed is true for yes, and asks where somebody can answer; where nobody can,
// it refuses.
func (r *Run) Agreed(yes bool, question string) (bool, error) {
	switch {
	case yes:
		return true, nil
	case !r.CanAsk():
		return false, model.Errorf(model.CodeUsage, "nobody is here to be asked, so nothing was done").WithHint("--yes does it without asking")
	case r.Confirm(question):
		return true, nil
	}
	return false, r.Say("nothing was done")
}

// CanAsk says whether somebody sees a question and can answer it.
func (r *Run) CanAsk() bool {
	return r.Env.Terminal(Stdin) && r.Env.IsTerminal(Stderr)
}

// Confirm asks on stderr; anything but yes is no.
func (r *Run) Confirm(question string) bool {
	_, _ = io.WriteString(r.Env.Stderr, clean.Line(question)+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(r.Env.Stdin, 1024)).ReadString('\n')
	if err != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
