package model

import (
	"encoding/json"
	"time"
)

// Time is an instant in UTC microseconds since 1970; 0 is "none". Times are
// compared as integers, never as text.
type Time int64

// WallClock is what the machine's clock on the wall says.
func WallClock() Time { return Time(time.Now().UnixMicro()) }

// TimeOf converts from the standard library's time, cutting to microseconds.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std converts to the standard library's time, in UTC.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Add returns t moved by d, cut to microseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Microseconds()) }

// Sub returns how long after u the instant t is; negative when it is before.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Microsecond }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// String is RFC 3339 in UTC with exactly six digits of microseconds, or ""
// for no time.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(timeLayout)
}

// In writes t for people: in the zone (nil is UTC), to the second, with the
// offset; "" for no time.
func (t Time) In(zone *time.Location) string {
	if t == 0 {
		return ""
	}
	if zone == nil {
		zone = time.UTC
	}
	return t.Std().In(zone).Format("2006-01-02 15:04:05 -07:00")
}

// AppendTo appends what String returns, without allocating.
func (t Time) AppendTo(dst []byte) []byte { return t.Std().AppendFormat(dst, timeLayout) }

// ParseTime reads RFC 3339 with any offset and any fraction (cut to
// microseconds). Years 0001 to 9999, also after the change to UTC: what is read
// can be written.
func ParseTime(s string) (Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if year := t.UTC().Year(); err != nil || year < 1 || year > 9999 {
		return 0, Errorf(CodeInvalid, "%q is not a time", s).
			WithHint("write it as RFC 3339, e.g. 2026-06-20T15:00:00Z")
	}
	return TimeOf(t), nil
}

// MarshalJSON writes String's form, null for no time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return append(t.AppendTo([]byte{'"'}), '"'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return Errorf(CodeInvalid, "a time must be a string in RFC 3339")
	}
	v, err := ParseTime(s)
	*t = v
	return err
}
