package canvas

import "strconv"

// Thousands writes n with separators: 18,204.
func Thousands(n int64) string {
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

// PerSecond writes a rate: 42/s, 0.4/s, 0/s.
func PerSecond(f float64) string {
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
	return Thousands(int64(f+0.5)) + "/s"
}

// Ordinal writes 1st, 2nd, 3rd, 4th, 11th.
func Ordinal(n int64) string {
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

// Count writes "1 event", "2 events".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Short writes large counts in five cells: 18.2k, 104k, 3.0M.
func Short(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			whole, tenth := n/unit.size, n%unit.size/(unit.size/10)
			if whole >= 100 {
				return Thousands(whole) + unit.name
			}
			return Thousands(whole) + "." + string(rune('0'+tenth)) + unit.name
		}
	}
	return Thousands(n)
}
