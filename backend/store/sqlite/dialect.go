package sqlite

import (
	"strconv"
	"strings"

	"binnacle/model/filter"
)

// dialect is SQLite's.
type dialect struct{}

// Has implements Dialect. LIKE folds ASCII letters only; what is looked for is
// escaped.
func (dialect) Has(column, text string) (string, any) {
	escaped := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)
	return column + ` LIKE ? ESCAPE '\'`, "%" + escaped + "%"
}

// Glob implements Dialect.
func (dialect) Glob(column string, p filter.Pattern) (string, any) {
	return column + " GLOB ?", p.ClassGlob()
}

// Member implements Dialect.
func (dialect) Member(column, name string) string {
	member := `(` + column + `, '$.` + name + `')`
	return `(CASE json_type` + member + ` WHEN 'text' THEN json_extract` + member + ` ELSE '' END)`
}

// Cut implements Dialect. Text would end at a NUL.
func (dialect) Cut(column string, bytes int) string {
	return `substr(CAST(` + column + ` AS BLOB), 1, ` + strconv.Itoa(bytes) + `)`
}

// EventColumns implements Dialect. The payload is read as a blob, which the driver
// hands over without making a string of it.
func (dialect) EventColumns() string { return eventFields }
