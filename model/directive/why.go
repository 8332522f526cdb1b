package directive

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
)

// Why says why a directive is where it is.
type Why struct {
	Directive Directive     `json:"directive"`
	At        model.Time    `json:"at"` // when it was looked at, never before the newest event
	Now       model.Reading `json:"-"`  // the machine's clocks then
	// Rank is the directive's place in its lane's line: 1 is what next takes.
	// 0 when it stands in no line, for it is not pending.
	Rank      int64         `json:"rank,omitempty"`
	Line      int64         `json:"line,omitempty"`     // how many stand in the line
	Ahead     []int64       `json:"ahead,omitempty"`    // those ahead of it, the next first, at most MaxAhead
	Effective int64         `json:"effective"`          // Ageing.Effective
	Interval  time.Duration `json:"-"`                  // Ageing.Interval, 0 when it is off
	Blockers  []Blocker     `json:"blockers,omitempty"` // of a deferred one, as they are now
	Blocks    []int64       `json:"blocks,omitempty"`   // what waits for it, at most MaxAhead
	// Due says that the next write in the lane makes a deferred one pending, or
	// takes a claim back whose lease has run out.
	Due         bool  `json:"due,omitempty"`
	MaxAttempts int64 `json:"max_attempts,omitempty"` // lapses after which it is parked
	// Approximate says that the line was too long to be ranked exactly under
	// ageing: Rank is by priority and id.
	Approximate bool `json:"approximate,omitempty"`
}

// MaxAhead bounds the ids that a Why lists.
const MaxAhead = 10

// Sentences says it in words, clean, the most important first. Ages are as of
// At; times of day are those of the zone (nil is UTC), with its offset.
func (w Why) Sentences(zone *time.Location) []string {
	d := w.Directive
	name := "#" + strconv.FormatInt(d.ID, 10)
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch d.Status {
	case StatusPending:
		w.sayPending(name, say)
	case StatusTaken:
		w.sayTaken(name, zone, say)
	case StatusDeferred:
		w.sayDeferred(name, zone, say)
	case StatusParked:
		say("%s has been parked for %s%s: nobody is given it until it is unparked.", name, w.age(d.Since), reasonText(d.Reason))
	case StatusDone:
		say("%s was done%s %s.", name, byText(d.TakenBy), w.ago(d.DoneAt))
	case StatusDropped:
		say("%s was dropped%s, %s.", name, reasonText(d.Reason), w.ago(d.DoneAt))
	}
	if d.RequeueCount > 0 && !d.Final() {
		say("It came back to the line %s.", timesText(d.RequeueCount))
	}
	if d.Lapses > 0 && !d.Final() && d.Status != StatusParked {
		limit := ""
		if w.MaxAttempts > 0 {
			limit = fmt.Sprintf("; at %d it is parked", w.MaxAttempts)
		}
		say("Its lease ran out %s%s.", timesText(d.Lapses), limit)
	}
	if len(w.Blocks) > 0 && !d.Final() {
		say("Waiting for it: %s.", hashIDs(w.Blocks))
	}
	return out
}

func (w Why) sayPending(name string, say func(string, ...any)) {
	d := w.Directive
	lane := clean.Line(d.Lane)
	switch {
	case w.Rank == 1:
		say("%s is next in lane %s.", name, lane)
	case w.Rank > 1:
		about := ""
		if w.Approximate {
			about = "about "
		}
		say("%s is %snumber %d of %d in lane %s.", name, about, w.Rank, w.Line, lane)
		more := ""
		if n := w.Rank - 1 - int64(len(w.Ahead)); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		if len(w.Ahead) > 0 {
			say("Ahead of it: %s%s.", hashIDs(w.Ahead), more)
		}
	}
	say("Its priority is %s; it has been pending for %s.", d.Priority, w.age(d.Since))
	if w.Interval <= 0 {
		return
	}
	steps := int64(d.Priority) - w.Effective
	switch {
	case steps > 0:
		say("Ageing (%s a step), importance and deadline put it %s ahead of its priority.", intervalText(w.Interval), countOf(steps, "step"))
	case steps < 0:
		say("Its importance puts it %s behind its priority.", countOf(-steps, "step"))
	default:
		say("Ageing gives it a step for each %s it waits; none yet.", intervalText(w.Interval))
	}
}

func (w Why) sayTaken(name string, zone *time.Location, say func(string, ...any)) {
	d := w.Directive
	by := clean.Line(d.TakenBy)
	if by == "" {
		by = "somebody without a name"
	}
	say("%s has been held by %s for %s (attempt %d).", name, by, w.held(), d.Attempt)
	switch {
	case d.LeaseUntil == 0:
		say("Its claim has no lease: it ends only when the holder or an operator ends it.")
	case w.Due:
		say("Its lease ran out at %s; the next write takes it back.", d.Term().Ends(w.Now).In(zone))
	default:
		say("Its lease runs until %s, for another %s.", d.Term().Ends(w.Now).In(zone), model.Left(d.Term().Left(w.Now)))
	}
}

func (w Why) sayDeferred(name string, zone *time.Location, say func(string, ...any)) {
	d := w.Directive
	if w.Due {
		say("%s was deferred and is due now; the next write in lane %s puts it into the line.", name, clean.Line(d.Lane))
		return
	}
	var waits []string
	if d.NotBefore > w.Now.Wall {
		waits = append(waits, "until "+d.NotBefore.In(zone)+", in "+model.Left(d.NotBefore.Sub(w.Now.Wall)))
	}
	for _, b := range w.Blockers {
		id := "#" + strconv.FormatInt(b.ID, 10)
		switch {
		case b.Status == "":
			waits = append(waits, "for "+id+", which does not exist")
		case !b.Satisfied():
			waits = append(waits, "for "+id+", which is "+b.Status)
		}
	}
	say("%s is deferred%s: it waits %s.", name, reasonText(d.Reason), strings.Join(waits, " and "))
}

func (w Why) age(t model.Time) string {
	if t == 0 {
		return "an unknown time"
	}
	return spanText(w.At.Sub(t))
}

// held is how long the claim has been held, by the clock that measures it.
func (w Why) held() string {
	if w.Directive.TakenAt == 0 {
		return "an unknown time"
	}
	return spanText(w.Directive.Held(w.Now))
}

func spanText(d time.Duration) string {
	if age := model.Age(d); age != "now" {
		return age
	}
	return "less than a second"
}

func (w Why) ago(t model.Time) string {
	if t == 0 {
		return "at an unknown time"
	}
	if age := model.Age(w.At.Sub(t)); age != "now" {
		return age + " ago"
	}
	return "just now"
}

func reasonText(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + clean.Line(reason) + ")"
}

func byText(by string) string {
	if by == "" {
		return ""
	}
	return " by " + clean.Line(by)
}

func timesText(n int64) string {
	if n == 1 {
		return "once"
	}
	return strconv.FormatInt(n, 10) + " times"
}

func countOf(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}

func hashIDs(ids []int64) string { return "#" + JoinIDs(ids, ", #") }

// intervalText writes a configured interval: whole units where it has them.
func intervalText(d time.Duration) string {
	s := d.String()
	if d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
