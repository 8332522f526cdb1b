package canvas

import (
	"time"

	"binnacle/model"
)

// Location is the one of clock times.
func (l *Look) Location() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

// Reading is what leases are measured by.
func (l *Look) Reading() model.Reading {
	r := l.Clocks
	r.Wall = l.Now
	return r
}

// SameDay says whether t is on the day of now, by the look's clock.
func (l *Look) SameDay(t model.Time) bool {
	a, b := t.Std().In(l.Location()), l.Now.Std().In(l.Location())
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// Clock is t's time of day, with the date where the day is another than now's.
func (l *Look) Clock(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	at := t.Std().In(l.Location())
	switch now := l.Now.Std().In(l.Location()); {
	case at.Year() != now.Year():
		return at.Format("2006-01-02")
	case at.YearDay() != now.YearDay():
		return at.Format("01-02 15:04")
	}
	return at.Format("15:04:05")
}

// ClockIn is clock for a column of w cells: a date alone where a date and a time
// do not fit.
func (l *Look) ClockIn(t model.Time, w int) string {
	s := l.Clock(t)
	if len(s) == len("01-02 15:04") && w < len(s) {
		return s[:len("01-02")]
	}
	return s
}

// When is t as an age, or as a clock time where those are wanted.
func (l *Look) When(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	if l.Times == Clocks {
		return l.Clock(t)
	}
	return model.Age(l.Now.Sub(t))
}

// Until is t, which is to come, as what is left or as a clock time.
func (l *Look) Until(t model.Time) string {
	if l.Times == Clocks {
		return l.Clock(t)
	}
	if t <= l.Now {
		return "now"
	}
	return "in " + model.Age(t.Sub(l.Now))
}

// Moment is t in full: for the detail.
func (l *Look) Moment(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	s := t.Std().In(l.Location()).Format("2006-01-02 15:04:05.000000 -07:00")
	if t <= l.Now {
		if age := model.Age(l.Now.Sub(t)); age != "now" {
			return s + " (" + age + " ago)"
		}
		return s + " (now)"
	}
	return s + " (in " + model.Age(t.Sub(l.Now)) + ")"
}

// LastWalk says how long ago all events and records were last read again.
func LastWalk(l *Look, t model.Time) string {
	if age := model.Age(l.Now.Sub(t)); age != "now" {
		return "All of it was last read " + age + " ago."
	}
	return "All of it was last read just now."
}
