// Package lease is what every engine with claims does alike: ask the database
// which leases have run out and which end next, make and check claim tokens, and
// find how a claim ended.
//
// A lease ends by the clock that measures it (model.Lease): on this boot that is
// the time awake, elsewhere the wall clock. So every question is asked of four
// kinds of claims, each along one index on (lease_boot, lease_awake,
// lease_until): those of this boot, those that know no boot, and those of other
// boots, which stand before and behind this one. The last two are walked over,
// for they are few: they end within one lease of a restart.
package lease

import (
	"database/sql"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
)

// Claims are the rows of one table that are under leases. Its queries take the
// arguments of Clocks first: $1 the boot, $2 its time awake, $3 the wall clock.
type Claims struct {
	Lapsed  string // keys of the leases that have run out; $4 is how many at most
	Left    string // microseconds until the first lease of each kind ends, 0 or less when it has
	Running string // the same, of leases that have not ended

	// Soonest are the rests of statements that read the claims of each kind, the
	// next to end first. Those of a boot take $1, it, and $2, how many; those of
	// none take $1, how many.
	Soonest [4]string
}

// Of makes the queries for the rows of a table for which the condition while
// holds. key is its key's column.
func Of(table, key, while string) Claims {
	kinds := [4]string{
		while + ` AND lease_boot = $1`,
		while + ` AND lease_boot IS NULL AND lease_awake IS NULL`,
		while + ` AND lease_boot < $1`,
		while + ` AND lease_boot > $1`,
	}
	var c Claims
	for i, kind := range kinds {
		from := ` FROM ` + table + ` WHERE ` + kind
		end, now, order := `lease_until`, `$3`, ` ORDER BY lease_until, `+key+` LIMIT $2`
		switch i {
		case 0:
			end, now, order = `lease_awake`, `$2`, ` ORDER BY lease_awake, lease_until, `+key+` LIMIT $2`
		case 1:
			order = ` ORDER BY lease_until, ` + key + ` LIMIT $1`
		}
		if i > 0 {
			c.Lapsed, c.Left, c.Running = c.Lapsed+` UNION ALL `, c.Left+` UNION ALL `, c.Running+` UNION ALL `
		}
		c.Lapsed += `SELECT ` + key + from + ` AND ` + end + ` <= ` + now
		c.Left += `SELECT min(` + end + `) - ` + now + from
		c.Running += `SELECT min(` + end + `) - ` + now + from + ` AND ` + end + ` > ` + now
		c.Soonest[i] = `WHERE ` + kind + order
	}
	c.Lapsed += ` LIMIT $4`
	return c
}

// Clocks are the first three arguments of the queries about leases.
func Clocks(now model.Reading) []any {
	return []any{now.Boot, now.Awake.Microseconds(), int64(now.Wall)}
}

// First is the least of the spans, in microseconds, that a query gives; none when
// it gives none, or NULL alone.
func First(r store.Reader, query string, args ...any) (left time.Duration, none bool, err error) {
	rows, err := r.Query(query, args...)
	if err != nil {
		return 0, true, store.Explain("look what ends first", err)
	}
	defer func() { _ = rows.Close() }()
	none = true
	for rows.Next() {
		var n sql.NullInt64
		if err := rows.Scan(&n); err != nil {
			return 0, true, store.Explain("look what ends first", err)
		}
		if d := time.Duration(n.Int64) * time.Microsecond; n.Valid && (none || d < left) {
			left, none = d, false
		}
	}
	return left, none, store.Explain("look what ends first", rows.Err())
}

// Next reads the claims of which the lease ends next, in the order of less, at
// most limit. read takes one of c.Soonest.
func Next[T any](c Claims, now model.Reading, limit int, read func(rest string, args ...any) ([]T, error), compare func(a, b T) int) ([]T, error) {
	var out []T
	for i, rest := range c.Soonest {
		args := []any{now.Boot, limit}
		if i == 1 {
			args = args[1:]
		}
		found, err := read(rest, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, compare)
	return out[:min(len(out), limit)], nil
}
