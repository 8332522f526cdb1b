package store

import (
	"strconv"
	"strings"

	"binnacle/model/filter"
)

// Dialect writes the expressions that no two databases write alike. All else that
// the engines write runs on any. In a condition ? stands for the argument that
// comes with it.
type Dialect interface {
	// Has holds where the column has the text in it, ASCII letters of either case
	// being alike, as in model.Term.
	Has(column, text string) (condition string, arg any)
	// Glob holds where the column is as the pattern says.
	Glob(column string, p filter.Pattern) (condition string, arg any)
	// Member is a top-level member of the JSON object in the column where it is a
	// string, else ''.
	Member(column, name string) string
	// Cut is the column's first bytes, and may end within a character.
	Cut(column string, bytes int) string
	// EventColumns are the columns that ScanEvent reads, in their order.
	EventColumns() string
}

// Upsert is the statement that puts a row, whose values are $1, $2 and so on, in
// the place of the one of the same key, if there is one. The first column is the
// key.
func Upsert(table string, columns ...string) string {
	values, sets := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		values[i], sets[i] = "$"+strconv.Itoa(i+1), c+" = excluded."+c
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") +
		") ON CONFLICT (" + columns[0] + ") DO UPDATE SET " + strings.Join(sets[1:], ", ")
}
