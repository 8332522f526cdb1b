package cli

import (
	"io"
	"strings"

	"binnacle/model/clean"
	"binnacle/views/text"
)

// Column is one column of a table for people.
type Column struct {
	Name  string
	Right bool // numbers stand at the right
	Most  int  // cells; longer text is cut, 0 is no bound
}

// Table writes rows below a heading, each column as wide as its widest cell.
// The last column is not padded. Cells are cleaned.
func (r *Run) Table(columns []Column, rows [][]string) error {
	wide := make([]int, len(columns))
	for i, c := range columns {
		wide[i] = text.Width(c.Name)
	}
	cells := make([][]string, len(rows))
	for x, row := range rows {
		cells[x] = make([]string, len(columns))
		for i := range columns {
			cell := ""
			if i < len(row) {
				cell = clean.Line(row[i])
			}
			if most := columns[i].Most; most > 0 {
				cell = text.CutTail(cell, most, text.Ellipsis)
			}
			cells[x][i] = cell
			wide[i] = max(wide[i], text.Width(cell))
		}
	}
	heading := make([]string, len(columns))
	for i, c := range columns {
		heading[i] = strings.ToUpper(c.Name)
	}
	var b strings.Builder
	line := func(row []string) {
		var l strings.Builder
		for i, c := range columns {
			if i > 0 {
				l.WriteString("  ")
			}
			gap := strings.Repeat(" ", max(0, wide[i]-text.Width(row[i])))
			if c.Right {
				l.WriteString(gap + row[i])
			} else {
				l.WriteString(row[i] + gap)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(heading)
	for _, row := range cells {
		line(row)
	}
	_, err := io.WriteString(r.Out, b.String())
	return err
}

// Fields writes "name  value" lines, the values aligned; empty ones are left
// out. Values are cleaned.
func (r *Run) Fields(pairs ...string) error {
	wide := 0
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			wide = max(wide, text.Width(pairs[i]))
		}
	}
	var b strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		b.WriteString(pairs[i] + strings.Repeat(" ", wide-text.Width(pairs[i])) + "  " + clean.Line(pairs[i+1]) + "\n")
	}
	_, err := io.WriteString(r.Out, b.String())
	return err
}

// Number writes n with thousands separators.
func Number(n int64) string {
	s := strings.TrimPrefix(Itoa(n), "-")
	var b strings.Builder
	if n < 0 {
		b.WriteByte('-')
	}
	for i, c := range []byte(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(c)
	}
	return b.String()
}
