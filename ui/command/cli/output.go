package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
)

// Output is stdout. The first write that fails ends the run: quietly where the
// reader went away, as an error otherwise (a full disk behind a redirection).
type Output struct {
	w      io.Writer
	closed func()
	err    error
}

// Write hands b over whole, in one call.
func (o *Output) Write(b []byte) (int, error) {
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

func (o *Output) pipeClosed() bool { return errors.Is(o.err, errClosedPipe) }

// JSONLine is v as one line of JSON that no terminal takes for a command:
// what is unsafe to print raw is escaped, and parsing gives the same value.
func JSONLine(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, model.Errorf(model.CodeInternal, "the answer can't be written as JSON: %w", err)
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	return append(clean.AppendJSON(make([]byte, 0, len(line)+16), line), '\n'), nil
}

// WriteJSON writes v as one line of JSON.
func (r *Run) WriteJSON(v any) error {
	line, err := JSONLine(v)
	if err != nil {
		return err
	}
	_, err = r.Out.Write(line)
	return err
}

// Wrote notes what a command has changed for good. When its answer can't be
// written, the failure says so first: nobody is to take it for undone.
func (r *Run) Wrote(what string) { r.done = what }

// Say writes one line for people, cleaned.
func (r *Run) Say(parts ...string) error {
	_, err := io.WriteString(r.Out, clean.Line(strings.Join(parts, ""))+"\n")
	return err
}

// Answer writes v as JSON, or what human writes.
func (r *Run) Answer(v any, human func() error) error {
	if r.done == "" && r.changing {
		r.done = "it was done"
	}
	if r.JSON {
		return r.WriteJSON(v)
	}
	return human()
}

// blocked is a refusal as an answer: it has a code and lists nothing.
type blocked struct {
	Blocked model.Code `json:"blocked"`
	*model.Error
	Machines []string `json:"machines"`
	Actors   []string `json:"actors"`
	Sessions []string `json:"sessions"`
}

// SayBlocked answers with the refusal err, where it is one with exit status 10 and
// stdout gets JSON, and returns err.
func (r *Run) SayBlocked(err error) error {
	if err == nil || !r.JSON || model.Exit(err) != 10 {
		return err
	}
	none := []string{}
	answer := blocked{model.CodeOf(err), desk.ErrorOf(err), none, none, none}
	if e := r.WriteJSON(answer); e != nil {
		return e
	}
	return err
}

// Joined is an object with one more member at its end: for values that write
// their own JSON.
func Joined(object any, name string, member any) (json.RawMessage, error) {
	head, err := JSONLine(object)
	if err != nil {
		return nil, err
	}
	tail, err := JSONLine(map[string]any{name: member})
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(strings.TrimSpace(string(head)), "}") + "," + strings.TrimPrefix(strings.TrimSpace(string(tail)), "{")
	return json.RawMessage(text), nil
}

// Unwritten says why an answer did not come out.
func Unwritten(err error) string {
	if errors.Is(err, errClosedPipe) {
		return "nobody reads the answer"
	}
	return err.Error()
}

// OrEmpty keeps an empty list from being written as null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
