package store

import (
	"database/sql/driver"
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

// ScanEvent reads one row of Dialect.EventColumns.
func ScanEvent(rows scanner) (model.Event, error) {
	vals, err := scanValues(rows, eventFieldCount)
	if err != nil {
		return model.Event{}, err
	}
	return scanEvent(vals), nil
}

// SelectEvents reads the events that the rest of the statement chooses: WHERE,
// ORDER BY and LIMIT, with placeholders $1, $2 …
func SelectEvents(r Reader, rest string, args ...any) ([]model.Event, error) {
	return collect(r, `SELECT `+r.Dialect().EventColumns()+` FROM events `+rest, ScanEvent, args...)
}

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
