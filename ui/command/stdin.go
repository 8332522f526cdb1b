package command

import (
	"context"
	"io"

	"binnacle/backend/guard"
)

// stdin reads standard input for as long as ctx lasts: ctrl+c, a signal or
// --timeout end a read that waits, and the error is what ended it. A byte order
// mark at the beginning was cut off already (see Main).
//
// A read that was given up goes on in its goroutine until the process ends,
// which is at once: nothing else can end a read from a terminal.
func (a *app) stdin(ctx context.Context) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		type result struct {
			n   int
			err error
		}
		buf := make([]byte, len(p))
		got := make(chan result, 1)
		guard.Go("stdin", func() {
			n, err := a.env.Stdin.Read(buf)
			got <- result{n, err}
		})
		select {
		case r := <-got:
			copy(p, buf[:r.n])
			return r.n, r.err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
