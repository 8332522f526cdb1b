package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/views/text"
)

// output is stdout. The first write that fails ends the run: quietly where the
// reader went away, as an error otherwise (a full disk behind a redirection).
type output struct {
	w      io.Writer
	closed func()
	err    error
}

// Write hands b over whole, in one call.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		o.err = errClosedPipe
		o.closed()
		return n, o.err
	}
	o.err = model.Errorf(model.CodeInternal, "stdout can't be written: %w", err)
	return n, o.err
}

func (o *output) pipeClosed() bool { return errors.Is(o.err, errClosedPipe) }

// jsonLine is v as one line of JSON that no terminal takes for a command:
// what is unsafe to print raw is escaped, and parsing gives the same value.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, model.Errorf(model.CodeInternal, "the answer can't be written as JSON: %w", err)
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	return append(clean.AppendJSON(make([]byte, 0, len(line)+16), line), '\n'), nil
}

// writeJSON writes v as one line of JSON.
func (a *app) writeJSON(v any) error {
	line, err := jsonLine(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(line)
	return err
}

// writeEvent writes one event as a line of JSON: as it is exported, with what
// is unsafe to print raw escaped.
func (a *app) writeEvent(e model.Event) error {
	line := e.AppendJSON(make([]byte, 0, len(e.Payload)+320))
	line = clean.AppendJSON(make([]byte, 0, len(line)+16), line)
	_, err := a.out.Write(append(line, '\n'))
	return err
}

// writeEmitted is writeEvent that also names the rules that replaced secrets.
func (a *app) writeEmitted(e model.Event, redacted []string) error {
	if len(redacted) == 0 {
		return a.writeEvent(e)
	}
	line := e.AppendJSON(make([]byte, 0, len(e.Payload)+320))
	rules, err := json.Marshal(redacted)
	if err != nil {
		return err
	}
	line = append(append(append(line[:len(line)-1], `,"redacted":`...), rules...), '}')
	_, err = a.out.Write(append(clean.AppendJSON(make([]byte, 0, len(line)+16), line), '\n'))
	return err
}

// wrote notes what a command has changed for good. When its answer can't be
// written, the failure says so first: nobody is to take it for undone.
func (a *app) wrote(what string) { a.done = what }

// say writes one line for people, cleaned.
func (a *app) say(parts ...string) error {
	_, err := io.WriteString(a.out, clean.Line(strings.Join(parts, ""))+"\n")
	return err
}

// answer writes v as JSON, or what human writes.
func (a *app) answer(v any, human func() error) error {
	if a.done == "" && a.changing {
		a.done = "it was done"
	}
	if a.json {
		return a.writeJSON(v)
	}
	return human()
}

// column is one column of a table for people.
type column struct {
	name  string
	right bool // numbers stand at the right
	most  int  // cells; longer text is cut, 0 is no bound
}

// table writes rows below a heading, each column as wide as its widest cell.
// The last column is not padded. Cells are cleaned.
func (a *app) table(columns []column, rows [][]string) error {
	wide := make([]int, len(columns))
	for i, c := range columns {
		wide[i] = text.Width(c.name)
	}
	cells := make([][]string, len(rows))
	for r, row := range rows {
		cells[r] = make([]string, len(columns))
		for i := range columns {
			cell := ""
			if i < len(row) {
				cell = clean.Line(row[i])
			}
			if most := columns[i].most; most > 0 {
				cell = text.CutTail(cell, most, text.Ellipsis)
			}
			cells[r][i] = cell
			wide[i] = max(wide[i], text.Width(cell))
		}
	}
	heading := make([]string, len(columns))
	for i, c := range columns {
		heading[i] = strings.ToUpper(c.name)
	}
	var b strings.Builder
	line := func(row []string) {
		var l strings.Builder
		for i, c := range columns {
			if i > 0 {
				l.WriteString("  ")
			}
			gap := strings.Repeat(" ", max(0, wide[i]-text.Width(row[i])))
			if c.right {
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
	_, err := io.WriteString(a.out, b.String())
	return err
}

// fields writes "name  value" lines, the values aligned; empty ones are left
// out. Values are cleaned.
func (a *app) fields(pairs ...string) error {
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
	_, err := io.WriteString(a.out, b.String())
	return err
}

// number writes n with thousands separators.
func number(n int64) string {
	s := strings.TrimPrefix(itoa(n), "-")
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
