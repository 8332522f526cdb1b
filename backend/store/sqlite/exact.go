package sqlite

import (
	"database/sql/driver"
	"strings"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// Events implements Inspection.
func (i inspection) Events(after int64, limit int) (events []model.Event, odd store.Odd, err error) {
	if limit <= 0 {
		return nil, odd, nil
	}
	err = i.c.query(i.ctx, stmtExactEvents, func(v []driver.Value) bool {
		if i := oddColumn(v); i >= 0 && odd.Seq == 0 {
			odd = store.Odd{Seq: store.AsInt(v[0]), Column: strings.TrimSpace(strings.Split(eventColumns, ",")[i])}
		}
		events = append(events, store.EventOf(v))
		return true
	}, after, int64(limit))
	if events, err = i.c.orSealed(i.ctx, events, err, after, limit); len(events) > 0 && events[0].Seq > odd.Seq || len(events) > 0 && events[len(events)-1].Seq < odd.Seq {
		odd = store.Odd{} // of rows that the page leaves out
	}
	return events, odd, sqlitefile.Explain("read events", err)
}

// oddColumn is the index of the first value of an event's row that the writer
// would have written otherwise, -1 for none. The payload comes as bytes, and
// whether it stands as text behind all columns.
func oddColumn(v []driver.Value) int {
	for i, x := range v[:eventFieldCount] {
		if i == 8 {
			if store.AsInt(v[eventFieldCount]) != 1 {
				return i
			}
			continue
		}
		switch x := x.(type) {
		case string:
			if i <= 1 || i == 7 || x == "" && (i == 5 || i == 6) {
				return i
			}
		case int64:
			if i > 1 && i != 7 || x == 0 && i == 7 {
				return i
			}
		case nil:
			if i < 5 || i > 7 {
				return i
			}
		default:
			return i
		}
	}
	return -1
}
