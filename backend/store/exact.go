package store

import (
	"database/sql/driver"
	"strings"

	"binnacle/model"
)

// Odd is the first event of a page whose row holds a value in another form than
// the writer's, and the column; the zero Odd is none. The hash is that of what the
// value means, so it can't tell.
type Odd struct {
	Seq    int64
	Column string
}

// ExactEvents is Reader.Events, with what is odd among them.
func ExactEvents(r Reader, after int64, limit int) (events []model.Event, odd Odd, err error) {
	own, ok := r.(reader)
	if !ok || limit <= 0 {
		events, err = r.Events(after, limit)
		return events, Odd{}, err
	}
	err = own.c.query(own.ctx, stmtExactEvents, func(v []driver.Value) bool {
		if i := oddColumn(v); i >= 0 && odd.Seq == 0 {
			odd = Odd{asInt(v[0]), strings.TrimSpace(strings.Split(eventColumns, ",")[i])}
		}
		events = append(events, scanEvent(v))
		return true
	}, after, int64(limit))
	return events, odd, Explain("read events", err)
}

// oddColumn is the index of the first value of an event's row that the writer
// would have written otherwise, -1 for none. The payload comes as bytes, and
// whether it stands as text behind all columns.
func oddColumn(v []driver.Value) int {
	for i, x := range v[:eventFieldCount] {
		if i == 8 {
			if asInt(v[eventFieldCount]) != 1 {
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
