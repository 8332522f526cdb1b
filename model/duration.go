package model

import (
	"strconv"
	"strings"
	"time"
)

// MaxDuration bounds what ParseDuration takes: ten years.
const MaxDuration = 10 * 365 * 24 * time.Hour

// ParseDuration reads how people write spans: "90" (seconds), "45m", "2h30m",
// "1d", "2w", "1.5h", "250ms". Negative, empty and longer than MaxDuration are
// refused.
func ParseDuration(s string) (time.Duration, error) {
	bad := func(why string) (time.Duration, error) {
		return 0, Errorf(CodeInvalid, "%q is not a duration: %s", s, why).
			WithHint("write it like 90s, 45m, 2h30m, 1d or 2w")
	}
	text := strings.TrimSpace(s)
	if text == "" {
		return bad("it is empty")
	}
	if text[0] == '-' {
		return bad("it is negative")
	}
	if strings.Trim(text, "0123456789.") == "" {
		text += "s"
	}
	var total float64
	for rest := text; rest != ""; {
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
			n++
		}
		if n == 0 {
			return bad("a number is missing before " + strconv.Quote(rest))
		}
		value, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil {
			return bad("the number " + strconv.Quote(rest[:n]) + " can't be read")
		}
		rest = rest[n:]
		m := 0
		for m < len(rest) && (rest[m] < '0' || rest[m] > '9') && rest[m] != '.' {
			m++
		}
		unit, ok := durationUnit(rest[:m])
		if !ok {
			return bad("the unit " + strconv.Quote(rest[:m]) + " is unknown")
		}
		total += value * float64(unit)
		rest = rest[m:]
	}
	if total > float64(MaxDuration) {
		return bad("it is longer than ten years")
	}
	return time.Duration(total), nil
}

func durationUnit(s string) (time.Duration, bool) {
	switch s {
	case "us", "µs":
		return time.Microsecond, true
	case "ms":
		return time.Millisecond, true
	case "s", "sec":
		return time.Second, true
	case "m", "min":
		return time.Minute, true
	case "h":
		return time.Hour, true
	case "d":
		return 24 * time.Hour, true
	case "w":
		return 7 * 24 * time.Hour, true
	}
	return 0, false
}

// ParseMoment reads an instant: RFC 3339, or a duration before now ("2h").
func ParseMoment(s string, now Time) (Time, error) {
	if d, err := ParseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	t, err := ParseTime(s)
	if err != nil {
		return 0, Errorf(CodeInvalid, "%q is neither a time nor a duration", s).
			WithHint("write 2026-06-20T15:00:00Z, or 2h for two hours ago")
	}
	return t, nil
}

// Age writes a span as coarsely as people read it: "now" under a second, then
// "5s", "3m", "2h", "4d", "3w". Negative spans are "now".
func Age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 21*24*time.Hour:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	default:
		return strconv.Itoa(int(d/(7*24*time.Hour))) + "w"
	}
}

// Ago writes how long ago something was, as it stands in a sentence: "just
// now", "5s ago".
func Ago(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return Age(d) + " ago"
}

// Left writes what remains of a lease: "21:14", "1:02:03", "0:00" when over.
func Left(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := int64(d / time.Second)
	two := func(n int64) string {
		if n < 10 {
			return "0" + strconv.FormatInt(n, 10)
		}
		return strconv.FormatInt(n, 10)
	}
	if h := s / 3600; h > 0 {
		return strconv.FormatInt(h, 10) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return strconv.FormatInt(s/60, 10) + ":" + two(s%60)
}

// Span writes a span by its two largest units: "7 s", "5 m 3 s", "1 h 0 m",
// "2 d 3 h". Negative spans are "0 s".
func Span(d time.Duration) string {
	n := max(int64(d/time.Second), 0)
	two := func(a int64, one string, b int64, other string) string {
		return strconv.FormatInt(a, 10) + " " + one + " " + strconv.FormatInt(b, 10) + " " + other
	}
	switch {
	case n < 60:
		return strconv.FormatInt(n, 10) + " s"
	case n < 3600:
		return two(n/60, "m", n%60, "s")
	case n < 48*3600:
		return two(n/3600, "h", n/60%60, "m")
	}
	return two(n/86400, "d", n/3600%24, "h")
}
