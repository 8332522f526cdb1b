package redact

import (
	"slices"
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// Secrets says what is done with text that looks like it holds a secret. A
// directive's body is delivered as it was pushed, or not taken: a worker can do
// nothing with one that was changed. An event's payload is redacted, for what
// happened happened.
type Secrets uint8

// The ways.
const (
	SecretsRefuse Secrets = iota
	SecretsRedact         // replaced with a mark
	SecretsAllow          // kept
)

// Named is a text with what it is called in a refusal: "the body", "--why".
type Named struct{ Name, Text string }

// CheckNames refuses names of records and of who acts that look like they hold
// a secret: they can't be redacted, for they would name something else. A nil
// Redactor refuses none.
func (r *Redactor) CheckNames(names ...Named) error {
	for _, n := range names {
		if err := r.CheckText(n.Name, n.Text); err != nil {
			return err
		}
	}
	return nil
}

// CheckText refuses a text that looks like it holds a secret, and says of which
// kind it is and where it stands, but not what it is.
func (r *Redactor) CheckText(name, text string) error {
	if r == nil || text == "" {
		return nil
	}
	b := []byte(text)
	spans := r.find(b)
	if len(spans) == 0 {
		return nil
	}
	first := spans[0]
	where := ""
	if strings.Contains(strings.TrimRight(text, "\n"), "\n") {
		where = " on line " + strconv.Itoa(1+strings.Count(text[:first.from], "\n"))
	}
	return refuseSecret(name, first.rule, where, len(spans))
}

// CheckPayload is CheckText for a payload in canonical form.
func (r *Redactor) CheckPayload(name string, payload []byte) error {
	if r == nil {
		return nil
	}
	w := walk{r: r, in: payload}
	if err := w.run(); err != nil || w.n == 0 {
		return err
	}
	where := ""
	if w.firstIn != "" {
		where = " in " + strconv.Quote(clean.Line(model.CutBytes(w.firstIn, 40)))
	}
	return refuseSecret(name, w.rules[0], where, w.n)
}

func refuseSecret(name, rule, where string, n int) error {
	more := ""
	if n > 1 {
		more = ", and " + strconv.Itoa(n-1) + " more"
	}
	return model.Errorf(model.CodeSecret, "%s looks like it holds a secret (%s)%s%s", name, rule, where, more).
		WithHint("say where it is kept instead; --redact puts a mark in its place, --allow-secret keeps it for good")
}

// Redact is Apply that also names the rules that found something, each once,
// by name.
func (r *Redactor) Redact(payload []byte) (out []byte, rules []string, replaced int, err error) {
	out, w, err := r.apply(payload)
	if len(w.rules) > 0 {
		rules = slices.Clone(w.rules)
		slices.Sort(rules)
		rules = slices.Compact(rules)
	}
	return out, rules, w.n, err
}
