package directive

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"binnacle/model"
	"binnacle/model/clean"
)

// Line is one line of `queue list`, in laneq's form: the id, the
// priority, the status unless it is pending, what else is worth knowing, and
// the body's first line. What stands in it is clean. A claim whose lease has
// run out at now says so, for the next write will take it back. Times are those
// of the zone (nil is UTC).
func Line(d Directive, now model.Reading, zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%-4d %s", d.ID, d.Priority)
	if d.Status != StatusPending {
		b.WriteString(" <" + clean.Line(d.Status) + ">")
	}
	if d.Lane != DefaultLane {
		b.WriteString(" lane=" + clean.Line(d.Lane))
	}
	if d.TakenBy != "" && !d.Final() {
		b.WriteString(" by=" + clean.Line(d.TakenBy))
	}
	if d.LeaseUntil != 0 {
		b.WriteString(" lease=" + SecondsTime(d.LeaseUntil, zone))
	}
	if d.Lapsed(now) {
		b.WriteString(" lapsed")
	}
	if d.RequeueCount != 0 {
		b.WriteString(" requeues=" + strconv.FormatInt(d.RequeueCount, 10))
	}
	if d.NotBefore != 0 {
		b.WriteString(" not_before=" + SecondsTime(d.NotBefore, zone))
	}
	if len(d.BlockedBy) > 0 {
		b.WriteString(" blocked_by=" + JoinIDs(d.BlockedBy, ","))
	}
	return b.String() + "  " + d.Summary()
}

// Heading is the first line of `queue show`, in laneq's form, with times
// of the zone (nil is UTC).
func Heading(d Directive, zone *time.Location) string {
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return clean.Line(s)
	}
	at := func(t model.Time) string { return dash(SecondsTime(t, zone)) }
	parent := "-"
	if d.Parent != 0 {
		parent = "#" + strconv.FormatInt(d.Parent, 10)
	}
	return fmt.Sprintf(
		"#%d [%s] %s lane=%s parent=%s taken_by=%s lease_until=%s requeues=%d not_before=%s blocked_by=%s"+
			" created=%s taken=%s done=%s",
		d.ID, d.Priority, d.Status, clean.Line(d.Lane), parent, dash(d.TakenBy), at(d.LeaseUntil),
		d.RequeueCount, at(d.NotBefore), dash(JoinIDs(d.BlockedBy, ",")),
		at(d.CreatedAt), at(d.TakenAt), at(d.DoneAt))
}

// ThreadLine is one line of a thread, in laneq's form.
func ThreadLine(d Directive) string {
	parent := "-"
	if d.Parent != 0 {
		parent = "#" + strconv.FormatInt(d.Parent, 10)
	}
	return fmt.Sprintf("  #%d [%s] %s parent=%s  %s", d.ID, d.Priority, d.Status, parent, d.Summary())
}

// summaryRunes bounds a summary, in code points.
const summaryRunes = 70

// Summary is the first line of the body, clean and cut to 70 characters, with
// "..." where it was cut.
func (d Directive) Summary() string {
	s := strings.TrimFunc(d.Body, unicode.IsSpace)
	if i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"); i >= 0 {
		s = s[:i]
	}
	n := 0
	for i := range s {
		if n == summaryRunes {
			return clean.Line(s[:i]) + "..."
		}
		n++
	}
	return clean.Line(s)
}

// SecondsTime writes t as laneq does, RFC 3339 cut to seconds, in the zone (nil
// is UTC); "" for no time.
func SecondsTime(t model.Time, zone *time.Location) string {
	if t == 0 {
		return ""
	}
	if zone == nil {
		zone = time.UTC
	}
	return t.Std().In(zone).Format(time.RFC3339)
}

// JoinIDs writes ids in decimal.
func JoinIDs(ids []int64, sep string) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}
