package store

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"strconv"

	"binnacle/model"
)

// This file turns events and records into rows and back.

func scanEvent(v []driver.Value) model.Event {
	return model.Event{
		Seq: asInt(v[0]), TS: model.Time(asInt(v[1])), Topic: asText(v[2]), Producer: asText(v[3]),
		Kind: model.Kind(asText(v[4])), Key: asText(v[5]), State: asText(v[6]), Causation: asInt(v[7]),
		Payload: asBytes(v[8]), Prev: asText(v[9]), Hash: asText(v[10]),
	}
}

func scanHead(v []driver.Value) model.Head {
	return model.Head{Seq: asInt(v[0]), Hash: asText(v[1]), TS: model.Time(asInt(v[2]))}
}

func scanSignal(v []driver.Value) model.Signal {
	return model.Signal{
		Key: asText(v[0]), State: asText(v[1]), Topic: asText(v[2]), Summary: asText(v[3]), Producer: asText(v[4]),
		Holder: asText(v[5]), Raised: model.Time(asInt(v[6])), Since: model.Time(asInt(v[7])),
		Expires: model.Time(asInt(v[8])), FirstSeq: asInt(v[9]), LastSeq: asInt(v[10]), Rev: asInt(v[11]),
	}
}

func scanWork(v []driver.Value) model.Work {
	w := model.Work{
		Key: asText(v[0]), State: asText(v[1]), Topic: asText(v[2]), Executor: asText(v[3]), TokenHash: asText(v[4]),
		LeaseUntil: model.Time(asInt(v[5])), Lease: asInt(v[6]), Attempt: asInt(v[7]),
		ClaimedAt: model.Time(asInt(v[8])), Since: model.Time(asInt(v[9])), Reason: asText(v[10]),
		FirstSeq: asInt(v[12]), LastSeq: asInt(v[13]), Rev: asInt(v[14]), LeaseBoot: asText(v[15]), LeaseAwake: asInt(v[16]),
	}
	if v[11] != nil {
		w.Evidence = asBytes(v[11])
	}
	return w
}

func scanDirective(v []driver.Value) model.Directive {
	d := model.Directive{
		ID: asInt(v[0]), Priority: model.Priority(asInt(v[1])), Lane: asText(v[2]), Body: asText(v[3]),
		Status: asText(v[4]), Parent: asInt(v[5]), CreatedAt: model.Time(asInt(v[6])),
		TakenAt: model.Time(asInt(v[7])), DoneAt: model.Time(asInt(v[8])), TakenBy: asText(v[9]),
		LeaseUntil: model.Time(asInt(v[10])), TokenHash: asText(v[11]), Attempt: asInt(v[12]),
		RequeueCount: asInt(v[13]), Lapses: asInt(v[14]), NotBefore: model.Time(asInt(v[15])),
		Importance: asInt(v[17]), Deadline: model.Time(asInt(v[18])), Reason: asText(v[19]),
		Since: model.Time(asInt(v[20])), FirstSeq: asInt(v[21]), LastSeq: asInt(v[22]), Rev: asInt(v[23]),
		LeaseBoot: asText(v[24]), LeaseAwake: asInt(v[25]), TakenAwake: asInt(v[26]),
	}
	if v[16] != nil {
		// A list that can't be read stays empty; verify compares it with the fold.
		_ = json.Unmarshal(asBytes(v[16]), &d.BlockedBy)
	}
	return d
}

// ScanDirective reads one row of DirectiveColumns, for the engine that owns the
// table.
func ScanDirective(rows scanner) (model.Directive, error) {
	vals, err := scanValues(rows, 27)
	if err != nil {
		return model.Directive{}, err
	}
	return scanDirective(vals), nil
}

// ScanSignal reads one row of SignalColumns.
func ScanSignal(rows scanner) (model.Signal, error) {
	vals, err := scanValues(rows, 12)
	if err != nil {
		return model.Signal{}, err
	}
	return scanSignal(vals), nil
}

// ScanWork reads one row of WorkColumns.
func ScanWork(rows scanner) (model.Work, error) {
	vals, err := scanValues(rows, 17)
	if err != nil {
		return model.Work{}, err
	}
	return scanWork(vals), nil
}

// ScanEvent reads one row of EventColumns.
func ScanEvent(rows scanner) (model.Event, error) {
	vals, err := scanValues(rows, eventFieldCount)
	if err != nil {
		return model.Event{}, err
	}
	return scanEvent(vals), nil
}

// The columns that the Scan functions read, in their order.
const (
	EventColumns     = eventFields
	SignalColumns    = signalFields
	WorkColumns      = workFields
	DirectiveColumns = directiveFields
)

func scanValues(rows scanner, n int) ([]driver.Value, error) {
	vals, dest := make([]driver.Value, n), make([]any, n)
	for i := range vals {
		dest[i] = (*any)(&vals[i])
	}
	if err := rows.Scan(dest...); err != nil {
		return nil, err
	}
	return vals, nil
}

// kindOfRecord says how one kind of record is loaded and saved; saved is
// what the row held before.
type kindOfRecord[T any] struct {
	get    stmtID
	scan   func([]driver.Value) T
	weigh  func(v *T) int // bytes of its long text
	arg    func(key string) driver.Value
	insert func(c *conn, d any, v *T) error
	update func(c *conn, d any, v, saved *T) error
}

func signalRows() kindOfRecord[model.Signal] {
	return kindOfRecord[model.Signal]{stmtSignal, scanSignal, func(s *model.Signal) int { return len(s.Summary) }, textArg, insertSignal, updateSignal}
}

func workRows() kindOfRecord[model.Work] {
	return kindOfRecord[model.Work]{stmtWork, scanWork, func(s *model.Work) int { return len(s.Evidence) + len(s.Reason) }, textArg, insertWork, updateWork}
}

func directiveRows() kindOfRecord[model.Directive] {
	return kindOfRecord[model.Directive]{stmtDirective, scanDirective, func(s *model.Directive) int { return len(s.Body) + 8*len(s.BlockedBy) }, idArg, insertDirective, updateDirective}
}

func textArg(key string) driver.Value { return key }

// idArg is for keys that ParseDirectiveKey may not have checked yet: what is no
// number finds no row.
func idArg(key string) driver.Value {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return int64(-1)
	}
	return id
}

func insertSignal(c *conn, d any, s *model.Signal) error {
	_, err := c.execOn(d, stmtInsertSignal, c.named(signalValues(s)))
	return err
}

// signalValues is the row of a signal, in the order of SignalColumns.
func signalValues(s *model.Signal) []driver.Value {
	return []driver.Value{
		s.Key, s.State, s.Topic, s.Summary, s.Producer, orNull(s.Holder), int64(s.Raised), int64(s.Since),
		intOrNull(s.Expires), s.FirstSeq, s.LastSeq, s.Rev,
	}
}

func updateSignal(c *conn, d any, s, _ *model.Signal) error {
	_, err := c.execOn(d, stmtUpdateSignal, c.named([]driver.Value{
		s.State, orNull(s.Holder), int64(s.Since), s.LastSeq, s.Rev, s.Key,
	}))
	return err
}

func insertWork(c *conn, d any, w *model.Work) error {
	_, err := c.execOn(d, stmtInsertWork, c.named(workValues(w)))
	return err
}

// workValues is the row of a work record, in the order of WorkColumns.
func workValues(w *model.Work) []driver.Value {
	return []driver.Value{
		w.Key, w.State, w.Topic, w.Executor, orNull(w.TokenHash), intOrNull(w.LeaseUntil), intOrNull(w.Lease),
		w.Attempt, int64(w.ClaimedAt), int64(w.Since), orNull(w.Reason), orNull(string(w.Evidence)), w.FirstSeq,
		w.LastSeq, w.Rev, orNull(w.LeaseBoot), intOrNull(w.LeaseAwake),
	}
}

func updateWork(c *conn, d any, w, _ *model.Work) error {
	_, err := c.execOn(d, stmtUpdateWork, c.named([]driver.Value{
		w.State, w.Executor, orNull(w.TokenHash), intOrNull(w.LeaseUntil), intOrNull(w.Lease), w.Attempt,
		int64(w.ClaimedAt), int64(w.Since), orNull(w.Reason), orNull(string(w.Evidence)), w.LastSeq, w.Rev,
		orNull(w.LeaseBoot), intOrNull(w.LeaseAwake), w.Key,
	}))
	return err
}

func insertDirective(c *conn, d any, x *model.Directive) error {
	_, err := c.execOn(d, stmtInsertDirective, c.named(directiveValues(x)))
	if err != nil || len(x.BlockedBy) == 0 {
		return err
	}
	return insertBlocks(c, d, x)
}

// directiveValues is the row of a directive, in the order of DirectiveColumns.
func directiveValues(x *model.Directive) []driver.Value {
	return []driver.Value{
		x.ID, int64(x.Priority), x.Lane, x.Body, x.Status, intOrNull(x.Parent), int64(x.CreatedAt),
		intOrNull(x.TakenAt), intOrNull(x.DoneAt), orNull(x.TakenBy), intOrNull(x.LeaseUntil), orNull(x.TokenHash),
		x.Attempt, x.RequeueCount, x.Lapses, intOrNull(x.NotBefore), blocks(x.BlockedBy), intOrNull(x.Importance),
		intOrNull(x.Deadline), orNull(x.Reason), int64(x.Since), x.FirstSeq, x.LastSeq, x.Rev,
		orNull(x.LeaseBoot), intOrNull(x.LeaseAwake), intOrNull(x.TakenAwake),
	}
}

func updateDirective(c *conn, d any, x, saved *model.Directive) error {
	_, err := c.execOn(d, stmtUpdateDirective, c.named([]driver.Value{
		int64(x.Priority), x.Lane, x.Status, int64(x.CreatedAt), intOrNull(x.TakenAt), intOrNull(x.DoneAt),
		orNull(x.TakenBy), intOrNull(x.LeaseUntil), orNull(x.TokenHash), x.Attempt, x.RequeueCount, x.Lapses,
		intOrNull(x.NotBefore), blocks(x.BlockedBy), intOrNull(x.Importance), intOrNull(x.Deadline), orNull(x.Reason),
		int64(x.Since), x.LastSeq, x.Rev, orNull(x.LeaseBoot), intOrNull(x.LeaseAwake), intOrNull(x.TakenAwake), x.ID,
	}))
	if err != nil || slices.Equal(x.BlockedBy, saved.BlockedBy) {
		return err
	}
	return rewriteBlocks(c, d, x)
}

// rewriteBlocks makes the directive's rows in directive_blocks anew.
func rewriteBlocks(c *conn, d any, x *model.Directive) error {
	if _, err := c.execOn(d, stmtUnblock, c.named([]driver.Value{x.ID})); err != nil {
		return err
	}
	return insertBlocks(c, d, x)
}

func insertBlocks(c *conn, d any, x *model.Directive) error {
	for i, b := range x.BlockedBy {
		if slices.Contains(x.BlockedBy[:i], b) {
			continue // named twice: one row
		}
		if _, err := c.execOn(d, stmtBlock, c.named([]driver.Value{x.ID, b})); err != nil {
			return err
		}
	}
	return nil
}

func blocks(ids []int64) driver.Value {
	if len(ids) == 0 {
		return nil
	}
	b := append(make([]byte, 0, 8*len(ids)), '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}

// loadRecord reads one record.
func loadRecord[T any](ctx context.Context, c *conn, k kindOfRecord[T], key string) (v T, found bool, err error) {
	err = c.query(ctx, k.get, func(row []driver.Value) bool {
		v, found = k.scan(row), true
		return false
	}, k.arg(key))
	return v, found, err
}
