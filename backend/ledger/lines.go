package ledger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"binnacle/backend/guard"
	"binnacle/model"
)

// Bounds of EmitLines.
const (
	MaxLine    = 8 << 20 // bytes of one line; a longer one is refused and skipped
	batchLines = 512     // lines that one transaction takes
	batchBytes = 4 << 20 // bytes of payload that one transaction takes
)

// LineOptions say what each line of EmitLines is.
type LineOptions struct {
	Topic       string     // of lines that don't name one
	Kind        model.Kind // of lines that don't name one
	Key         string
	Producer    string
	AllowSecret bool // see EmitRequest
	// NumbersAsText: numbers that can't be kept as they are written become strings.
	NumbersAsText bool
	// Committed, where it is not nil, is told of each commit, when it is durable;
	// its error ends the run.
	Committed func(Committed) error
	Envelope  bool // a line is {topic, kind, key, producer, causation, payload}; else it is the payload
}

// Committed is one commit of EmitLines.
type Committed struct {
	Line  int   `json:"line"`  // the last line that is in it; those before are in, too, or were refused
	First int64 `json:"first"` // seqs of the first and the last event of it
	Last  int64 `json:"last"`
}

// LinesSummary is what EmitLines did.
type LinesSummary struct {
	Lines    int   `json:"lines"`    // not counting empty ones
	Accepted int   `json:"accepted"` // durable
	Bad      int   `json:"bad"`      // reported
	First    int64 `json:"first,omitempty"`
	Last     int64 `json:"last,omitempty"` // seqs of the first and the last accepted line
	// Redacted are the rules that replaced something, each once, by name.
	Redacted []string `json:"redacted,omitempty"`
}

// LineError is a line that was not taken, with its number from 1.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *LineError) Unwrap() error { return e.Err }

// EmitLines commits one event for each line of r, in order, hundreds in a
// transaction where they come fast; what a slow pipe gave is committed without
// waiting for more. A line that is refused is reported and the rest goes in. An
// error of the store or of r ends it; what the summary counts as accepted is
// durable all the same.
//
// r is read by a goroutine of its own: when ctx ends while a Read is blocked,
// EmitLines returns and that goroutine ends with the Read.
func (l *Ledger) EmitLines(ctx context.Context, r io.Reader, o LineOptions, report func(*LineError)) (LinesSummary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan lineResult, batchLines)
	guard.Go("ledger lines", func() {
		defer close(lines)
		l.readLines(ctx, r, o, lines)
	})
	w, gone := lineWriter{ledger: l, report: report, committed: o.Committed}, l.store.Gone()
	for {
		select {
		case <-ctx.Done():
			return w.sum, ctx.Err()
		case <-gone:
			return w.sum, l.store.Health().Gone
		case first, ok := <-lines:
			if !ok {
				return w.sum, ctx.Err()
			}
			if err := w.take(ctx, first, lines); err != nil {
				return w.sum, err
			}
		}
	}
}

// lineResult is a line that was read: a draft, a refusal, or the reader's end.
type lineResult struct {
	number int
	draft  model.Draft
	bad    error // this line is refused
	fatal  error // reading is over

	redacted []string // the rules that replaced something
}

// readLines reads, checks and redacts, so that this work runs beside the
// commits.
func (l *Ledger) readLines(ctx context.Context, r io.Reader, o LineOptions, out chan<- lineResult) {
	send := func(x lineResult) bool {
		select {
		case out <- x:
			return true
		case <-ctx.Done():
			return false
		}
	}
	br := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		line, tooLong, err := readLine(br)
		x := lineResult{number: number}
		switch {
		case tooLong:
			x.bad = model.Errorf(model.CodeInvalid, "the line is longer than %d bytes", MaxLine)
		case len(bytes.TrimSpace(line)) > 0:
			var req EmitRequest
			if req, x.bad = o.request(line); x.bad == nil {
				req.Redacted = func(rules []string) { x.redacted = rules }
				x.draft, x.bad = l.draft(req)
			}
		default:
			x.number = 0
		}
		if x.number > 0 && !send(x) {
			return
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				send(lineResult{number: number, fatal: err})
			}
			return
		}
	}
}

// readLine returns the next line without its end, whole up to MaxLine. The
// last line needs no end; it comes with the reader's error.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine+1 {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), tooLong, err
	}
}

// envelopeLine is a line under Envelope.
type envelopeLine struct {
	Topic     string          `json:"topic"`
	Kind      model.Kind      `json:"kind"`
	Key       string          `json:"key"`
	Producer  string          `json:"producer"`
	Causation int64           `json:"causation"`
	Expires   string          `json:"expires"` // a duration, for a signal
	Payload   json.RawMessage `json:"payload"`
}

func (o LineOptions) request(line []byte) (EmitRequest, error) {
	if o.NumbersAsText {
		line, _ = model.NumbersAsText(line)
	}
	req := EmitRequest{Topic: o.Topic, Kind: o.Kind, Key: o.Key, Producer: o.Producer, Payload: line, AllowSecret: o.AllowSecret}
	if !o.Envelope {
		return req, nil
	}
	var e envelopeLine
	if err := jsonv2.Unmarshal(line, &e, jsonv2.RejectUnknownMembers(true)); err != nil {
		return req, model.Errorf(model.CodeInvalid, "the line is not an envelope: %s", model.JSONFault(line, err)).
			WithHint(`write {"topic":…,"kind":…,"payload":{…}}, and key, producer, causation, expires where wanted`)
	}
	if len(e.Payload) == 0 {
		return req, model.Errorf(model.CodeInvalid, "the envelope has no payload")
	}
	req.Payload, req.Causation = e.Payload, e.Causation
	set := func(to *string, from string) {
		if from != "" {
			*to = from
		}
	}
	set(&req.Topic, e.Topic)
	set((*string)(&req.Kind), string(e.Kind))
	set(&req.Key, e.Key)
	set(&req.Producer, e.Producer)
	if e.Expires != "" {
		d, err := model.ParseDuration(e.Expires)
		if err != nil {
			return req, err
		}
		req.Expires = d
	}
	return req, nil
}

// lineWriter commits batches and keeps the sum.
type lineWriter struct {
	ledger *Ledger
	report func(*LineError)
	sum    LinesSummary

	committed func(Committed) error
	bad       []*LineError // of this batch
}

// take commits first and what has been read beside it, and then reports the
// batch's bad lines in their order.
func (w *lineWriter) take(ctx context.Context, first lineResult, more <-chan lineResult) error {
	err := w.batch(ctx, first, more)
	slices.SortFunc(w.bad, func(a, b *LineError) int { return a.Line - b.Line })
	for _, e := range w.bad {
		w.sum.Lines++
		w.sum.Bad++
		if w.report != nil {
			w.report(e)
		}
	}
	w.bad = w.bad[:0]
	return err
}

func (w *lineWriter) batch(ctx context.Context, first lineResult, more <-chan lineResult) error {
	batch := make([]lineResult, 0, batchLines)
	size := 0
	for x := first; ; {
		switch {
		case x.fatal != nil:
			if err := w.commit(ctx, batch); err != nil {
				return err
			}
			return model.Errorf(model.CodeInternal, "reading stopped at line %d: %w", x.number, x.fatal)
		case x.bad != nil:
			w.refuse(x.number, x.bad)
		default:
			batch = append(batch, x)
			size += len(x.draft.Payload)
		}
		if len(batch) == batchLines || size >= batchBytes {
			return w.commit(ctx, batch)
		}
		var ok bool
		select {
		case x, ok = <-more:
			if !ok {
				return w.commit(ctx, batch)
			}
		default:
			return w.commit(ctx, batch)
		}
	}
}

func (w *lineWriter) refuse(number int, err error) {
	w.bad = append(w.bad, &LineError{Line: number, Err: err})
}

// commit appends the batch. When the store refuses one line of it, the halves
// go alone, so that only the bad line stays out and the order is kept.
func (w *lineWriter) commit(ctx context.Context, batch []lineResult) error {
	if len(batch) == 0 {
		return nil
	}
	drafts := make([]model.Draft, len(batch))
	for i, x := range batch {
		drafts[i] = x.draft
	}
	var events []model.Event
	var err error
	if len(drafts) == 1 && drafts[0].Kind == model.KindSignal && drafts[0].Key != "" {
		events = make([]model.Event, 1)
		events[0], err = w.ledger.emitKeyed(ctx, drafts[0])
	} else {
		events, err = w.ledger.appendAll(ctx, drafts)
	}
	switch {
	case err == nil:
		w.sum.Lines += len(batch)
		w.sum.Accepted += len(batch)
		for _, x := range batch {
			for _, rule := range x.redacted {
				if at, found := slices.BinarySearch(w.sum.Redacted, rule); !found {
					w.sum.Redacted = slices.Insert(w.sum.Redacted, at, rule)
				}
			}
		}
		if w.sum.First == 0 {
			w.sum.First = events[0].Seq
		}
		w.sum.Last = events[len(events)-1].Seq
		if w.committed == nil {
			return nil
		}
		return w.committed(Committed{Line: batch[len(batch)-1].number, First: events[0].Seq, Last: w.sum.Last})
	case !refusal(err):
		return err
	case len(batch) == 1:
		w.refuse(batch[0].number, err)
		return nil
	}
	half := len(batch) / 2
	if err := w.commit(ctx, batch[:half]); err != nil {
		return err
	}
	return w.commit(ctx, batch[half:])
}

// refusal says whether the store judged the input, and did not itself fail.
func refusal(err error) bool {
	switch model.CodeOf(err) {
	case model.CodeInvalid, model.CodeRefused, model.CodeNotFound, model.CodeStale, model.CodeToken:
		return true
	}
	return false
}
