package command

import (
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// span is a flag's duration, as model.ParseDuration reads it; a bare number is
// seconds.
type span time.Duration

func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (s *span) Set(text string) error {
	d, err := model.ParseDuration(text)
	if err != nil {
		return err
	}
	*s = span(d)
	return nil
}

func (*span) Type() string { return "duration" }

// moment is a flag's instant: RFC 3339, or a duration before now.
type moment struct {
	now func() model.Time
	at  model.Time
	set string
}

func (m *moment) String() string { return m.set }

func (m *moment) Set(text string) error {
	t, err := model.ParseMoment(text, m.now())
	if err != nil {
		return err
	}
	m.at, m.set = t, text
	return nil
}

func (*moment) Type() string { return "time" }

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	words []string
}

func (c *choice) String() string { return c.value }

func (c *choice) Set(text string) error {
	for _, w := range c.words {
		if w == text {
			c.value = text
			return nil
		}
	}
	e := usage("%q is none of %s", clean.Line(text), list(c.words))
	if near := nearest(text, append([]string(nil), c.words...)); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

func (*choice) Type() string { return "word" }

// list joins words as a sentence does: "a, b or c".
func list(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " or "
		default:
			out += ", "
		}
		out += w
	}
	return out
}
