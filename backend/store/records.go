package store

import (
	"database/sql/driver"
	"strconv"

	"binnacle/model"
)

// This file turns events and records into rows and back.

// EventOf makes an event of a row of Dialect.EventColumns.
func EventOf(v []driver.Value) model.Event {
	return model.Event{
		Seq: AsInt(v[0]), TS: model.Time(AsInt(v[1])), Topic: AsText(v[2]), Producer: AsText(v[3]),
		Kind: model.Kind(AsText(v[4])), Key: AsText(v[5]), State: AsText(v[6]), Causation: AsInt(v[7]),
		Payload: AsBytes(v[8]), Prev: AsText(v[9]), Hash: AsText(v[10]),
	}
}

// HeadOf makes a head of a sequence number, a hash and a time.
func HeadOf(v []driver.Value) model.Head {
	return model.Head{Seq: AsInt(v[0]), Hash: AsText(v[1]), TS: model.Time(AsInt(v[2]))}
}

// ScanEvent reads one row of Dialect.EventColumns.
func ScanEvent(rows scanner) (model.Event, error) {
	vals, err := scanValues(rows, eventFields)
	if err != nil {
		return model.Event{}, err
	}
	return EventOf(vals), nil
}

// SelectEvents reads the events that the rest of the statement chooses: WHERE,
// ORDER BY and LIMIT, with placeholders $1, $2 …
func SelectEvents(r Reader, rest string, args ...any) ([]model.Event, error) {
	return collect(r, `SELECT `+r.Dialect().EventColumns()+` FROM events `+rest, ScanEvent, args...)
}

// eventFields is how many columns an event has.
const eventFields = 11

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

// idArg is for keys that nobody has checked yet: what is no number finds no row.
func idArg(key string) driver.Value {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return int64(-1)
	}
	return id
}
