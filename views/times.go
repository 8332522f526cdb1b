package views

import (
	"strconv"
	"time"

	"binnacle/model"
)

// zone is the location of clock times.
func (l *Look) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

// reading is what leases are measured by.
func (l *Look) reading() model.Reading {
	r := l.Clocks
	r.Wall = l.Now
	return r
}

// sameDay says whether t is on the day of now, by the look's clock.
func (l *Look) sameDay(t model.Time) bool {
	a, b := t.Std().In(l.zone()), l.Now.Std().In(l.zone())
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// clock is t's time of day, with the date where the day is another than now's.
func (l *Look) clock(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	at := t.Std().In(l.zone())
	switch now := l.Now.Std().In(l.zone()); {
	case at.Year() != now.Year():
		return at.Format("2006-01-02")
	case at.YearDay() != now.YearDay():
		return at.Format("01-02 15:04")
	}
	return at.Format("15:04:05")
}

// clockIn is clock for a column of w cells: a date alone where a date and a time
// do not fit.
func (l *Look) clockIn(t model.Time, w int) string {
	s := l.clock(t)
	if len(s) == len("01-02 15:04") && w < len(s) {
		return s[:len("01-02")]
	}
	return s
}

// when is t as an age, or as a clock time where those are wanted.
func (l *Look) when(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	if l.Times == Clocks {
		return l.clock(t)
	}
	return model.Age(l.Now.Sub(t))
}

// until is t, which is to come, as what is left or as a clock time.
func (l *Look) until(t model.Time) string {
	if l.Times == Clocks {
		return l.clock(t)
	}
	if t <= l.Now {
		return "now"
	}
	return "in " + model.Age(t.Sub(l.Now))
}

// moment is t in full: for the detail.
func (l *Look) moment(t model.Time) string {
	if t == 0 {
		return l.Glyphs.Dash
	}
	s := t.Std().In(l.zone()).Format("2006-01-02 15:04:05.000000 -07:00")
	if t <= l.Now {
		if age := model.Age(l.Now.Sub(t)); age != "now" {
			return s + " (" + age + " ago)"
		}
		return s + " (now)"
	}
	return s + " (in " + model.Age(t.Sub(l.Now)) + ")"
}

// thousands writes n with separators: 18,204.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if len(s) <= 3 {
		return sign + s
	}
	out := make([]byte, 0, len(s)+len(s)/3+1)
	out = append(out, sign...)
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// perSecond writes a rate: 42/s, 0.4/s, 0/s.
func perSecond(f float64) string {
	switch {
	case !(f > 0): // also no number
		return "0/s"
	case f < 9.95:
		s := strconv.FormatFloat(f, 'f', 1, 64)
		if s == "0.0" {
			s = "0.1" // little is not nothing
		}
		return s + "/s"
	case f > 1e15:
		return "many/s"
	}
	return thousands(int64(f+0.5)) + "/s"
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th.
func ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}

// count writes "1 event", "2 events".
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// LastWalk says how long ago all events and records were last read again.
func LastWalk(l *Look, t model.Time) string {
	if age := model.Age(l.Now.Sub(t)); age != "now" {
		return "All of it was last read " + age + " ago."
	}
	return "All of it was last read just now."
}
