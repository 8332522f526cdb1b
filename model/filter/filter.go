// Package filter is the filter language: what a text means, which events and
// records it chooses, and what may stand next while it is typed.
package filter

import (
	"strings"
	"unicode"

	"binnacle/model"
)

// The filter language: one for the cockpit's bar, `--plain --filter` and
// `ledger query --filter`.
//
//	kind:signal state:pending topic:build/* producer:x key:41 lane:release
//	priority:P0 status:pending consumer:w since:2h until:2026-06-20T15:00:00Z
//	kind:note,signal -kind:metric words -word "a phrase" producer:"ci, east"
//
// All parts must hold. Inside of one part, and where a field is given again,
// one of the values is enough; after a dash none may hold. In detail:
//
//   - kind, status and priority take the names that exist, in any case.
//   - topic, producer, key, state, lane and consumer compare as they are written;
//     * stands for any run of characters (a slash is one, too) and ? for one
//     character. In double quotes all characters stand for themselves; \" and \\
//     write a quote and a backslash there.
//   - lane, priority and status are a directive's: lane is its name as text, status
//     its state, and priority the payload's member of that name,
//     which only the events have that set it.
//   - consumer is who acts: the payload's member "by" of directive and signal
//     events, "executor" of work events.
//   - What an event does not have is the empty text: key:"" finds events without a
//     key, key:?* those with one. No other kind than directive has a lane, a
//     priority or a status.
//   - since is inclusive and until exclusive; each takes RFC 3339 or a duration
//     before now, and may be given once.
//   - A word or phrase is looked for in the payload's canonical text, the topic, the
//     producer and the key. ASCII letters match in either case, others as they are
//     (which is what SQLite's LIKE does, so that a query in SQL finds the same).

// MaxFilter bounds a filter's text, in bytes.
const MaxFilter = 4096

// Field is what a clause looks at.
type Field string

// The fields, in canonical order.
const (
	FieldKind     Field = "kind"
	FieldState    Field = "state"
	FieldTopic    Field = "topic"
	FieldProducer Field = "producer"
	FieldKey      Field = "key"
	FieldLane     Field = "lane"
	FieldPriority Field = "priority"
	FieldStatus   Field = "status"
	FieldConsumer Field = "consumer"
	FieldSince    Field = "since" // never in a Clause: see Filter.Since
	FieldUntil    Field = "until" // never in a Clause: see Filter.Until
)

// Fields lists the filter language's fields in canonical order.
func Fields() []Field {
	return []Field{
		FieldKind, FieldState, FieldTopic, FieldProducer, FieldKey, FieldLane, FieldPriority, FieldStatus,
		FieldConsumer, FieldSince, FieldUntil,
	}
}

// Describe says in a few words what the field looks at.
func (f Field) Describe() string {
	switch f {
	case FieldKind:
		return "the event's kind"
	case FieldState:
		return "the record's state after the event"
	case FieldTopic:
		return "the topic; * and ? may stand in it"
	case FieldProducer:
		return "who wrote the event"
	case FieldKey:
		return "the record: a signal's or work's key, a directive's id"
	case FieldLane:
		return "a directive's lane"
	case FieldPriority:
		return "a directive's priority: P0, P1 or P2"
	case FieldStatus:
		return "a directive's status"
	case FieldConsumer:
		return "who took, claimed or worked"
	case FieldSince:
		return "from this time on: 2h, or 2026-06-20T15:00:00Z"
	case FieldUntil:
		return "before this time"
	}
	return ""
}

// Filter is a parsed filter. The zero Filter matches everything.
type Filter struct {
	Clauses  []Clause   // in the order of Fields, a field's plain clause before its negated one
	Since    model.Time // inclusive; where HasSince
	Until    model.Time // exclusive; where HasUntil
	HasSince bool
	HasUntil bool
	Terms    []Term // in the order in which they were written
}

// Clause holds when one of Any matches the field, or none where Not is set.
// Any is never empty and has no value twice.
type Clause struct {
	Field Field
	Not   bool
	Any   []Pattern
}

// Pattern is one value of a clause. Where Glob is set, * in Text stands for any
// run of characters and ? for one; otherwise Text stands for itself.
type Pattern struct {
	Text string
	Glob bool
}

// Term is a word or phrase that must be found (or not, where Not is set): Text
// in topic, producer or key, or JSON in the payload's canonical text. Both are
// in lower case where they are ASCII. JSON is Text as it stands inside of a
// canonical JSON string, so the two differ only by escapes.
type Term struct {
	Not  bool
	Text string
	JSON string
}

// Empty says whether the filter matches everything.
func (f Filter) Empty() bool {
	return len(f.Clauses) == 0 && len(f.Terms) == 0 && !f.HasSince && !f.HasUntil
}

// String writes the filter in canonical form: parsing it gives the same filter
// again, whatever the time then.
func (f Filter) String() string {
	var b strings.Builder
	next := func(not bool) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if not {
			b.WriteByte('-')
		}
	}
	for _, c := range f.Clauses {
		next(c.Not)
		b.WriteString(string(c.Field))
		for i, p := range c.Any {
			b.WriteByte(":,"[min(i, 1)])
			b.WriteString(p.String())
		}
	}
	if f.HasSince {
		next(false)
		b.WriteString("since:")
		b.Write(f.Since.AppendTo(nil))
	}
	if f.HasUntil {
		next(false)
		b.WriteString("until:")
		b.Write(f.Until.AppendTo(nil))
	}
	for _, t := range f.Terms {
		next(t.Not)
		b.WriteString(t.quoted())
	}
	return b.String()
}

// String writes the pattern as a clause's value, quoted where it must be.
func (p Pattern) String() string {
	if p.Glob {
		return p.Text
	}
	if p.Text == "" || strings.ContainsAny(p.Text, `*?,"`) || strings.IndexFunc(p.Text, unicode.IsSpace) >= 0 {
		return quote(p.Text)
	}
	return p.Text
}

// ClassGlob is the pattern for matchers in which [ opens a class and * and ?
// mean what they mean here (SQLite's GLOB): characters that stand for
// themselves are put in a class of their own where they must.
func (p Pattern) ClassGlob() string {
	var b strings.Builder
	for i := 0; i < len(p.Text); i++ {
		switch c := p.Text[i]; {
		case c == '[', !p.Glob && (c == '*' || c == '?'):
			b.WriteByte('[')
			b.WriteByte(c)
			b.WriteByte(']')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (t Term) quoted() string {
	_, _, field := cutField(t.Text)
	if field || t.Text[0] == '-' || t.Text[0] == '"' || strings.IndexFunc(t.Text, unicode.IsSpace) >= 0 {
		return quote(t.Text)
	}
	return t.Text
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// cutField cuts "name:value" where name is made of letters and underscores.
func cutField(s string) (name, value string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ':':
			return strings.ToLower(s[:i]), s[i+1:], i > 0
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '_':
		default:
			return "", "", false
		}
	}
	return "", "", false
}
