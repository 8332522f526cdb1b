package model

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"binnacle/model/clean"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	tests := []struct{ in, want string }{
		{"2026-06-20T15:00:00Z", "2026-06-20T15:00:00.000000Z"},
		{"2026-06-20T10:00:00-05:00", "2026-06-20T15:00:00.000000Z"},
		{"2026-06-20T15:00:00.1234567Z", "2026-06-20T15:00:00.123456Z"},
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
		{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
		{"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000Z"},
	}
	for _, tt := range tests {
		got, err := ParseTime(tt.in)
		if err != nil || got.String() != tt.want {
			t.Errorf("%s: %s (%v), want %s", tt.in, got, err, tt.want)
		}
		if again, err := ParseTime(got.String()); err != nil || again != got {
			t.Errorf("%s reads back as %d, not %d (%v)", got, again, got, err)
		}
	}
	for _, in := range []string{
		"", "now", "2026-06-20", "2026-06-20 15:00:00Z", "2026-06-20T15:00:00", "2026-13-01T00:00:00Z",
		"9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00", "10000-01-01T00:00:00Z",
	} {
		if got, err := ParseTime(in); CodeOf(err) != CodeInvalid || HintOf(err) == "" {
			t.Errorf("%q is read as %s (%v)", in, got, err)
		}
	}
}

func TestTimesCompareAsInstants(t *testing.T) {
	a, _ := ParseTime("2026-06-20T10:00:00-05:00")
	b, _ := ParseTime("2026-06-20T14:59:59Z")
	if a <= b {
		t.Errorf("%d is not after %d", a, b)
	}
	if got := a.Sub(b); got != time.Second {
		t.Errorf("Sub is %s", got)
	}
	if got := b.Add(time.Second + 999*time.Nanosecond); got != a {
		t.Errorf("Add is %s", got)
	}
	if got := TimeOf(a.Std()); got != a {
		t.Errorf("Std and back is %s", got)
	}
}

func TestTimeJSON(t *testing.T) {
	type box struct {
		At Time `json:"at"`
	}
	for _, tt := range []struct {
		at   Time
		want string
	}{{0, `{"at":null}`}, {noon, `{"at":"2026-06-20T12:00:00.000000Z"}`}, {noon + 1, `{"at":"2026-06-20T12:00:00.000001Z"}`}} {
		b, err := json.Marshal(box{tt.at})
		if err != nil || string(b) != tt.want {
			t.Errorf("%s (%v), want %s", b, err, tt.want)
		}
		var back box
		if err := json.Unmarshal(b, &back); err != nil || back.At != tt.at {
			t.Errorf("%s reads back as %d (%v)", b, back.At, err)
		}
	}
	for _, s := range []string{`{"at":5}`, `{"at":"soon"}`, `{"at":{}}`} {
		var b box
		if err := json.Unmarshal([]byte(s), &b); CodeOf(err) != CodeInvalid {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestTimeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := Time(rapid.Int64Range(-62135596800e6, 253402300799e6).Draw(t, "at"))
		if at == 0 {
			return
		}
		s := at.String()
		if back, err := ParseTime(s); err != nil || back != at || len(s) != len("2026-06-20T12:00:00.000000Z") {
			t.Fatalf("%d is written %s, read %d (%v)", at, s, back, err)
		}
	})
}

func TestParseDuration(t *testing.T) {
	tests := []struct {
		in   string
		want time.Duration
	}{
		{"90", 90 * time.Second},
		{"0", 0},
		{"1.5", 1500 * time.Millisecond},
		{"45m", 45 * time.Minute},
		{"2h30m", 2*time.Hour + 30*time.Minute},
		{"1d", 24 * time.Hour},
		{"2w", 14 * 24 * time.Hour},
		{"1.5h", 90 * time.Minute},
		{"250ms", 250 * time.Millisecond},
		{"3us", 3 * time.Microsecond},
		{"3µs", 3 * time.Microsecond},
		{"10sec", 10 * time.Second},
		{"10min", 10 * time.Minute},
		{" 5s ", 5 * time.Second},
		{"3650d", MaxDuration},
	}
	for _, tt := range tests {
		if got, err := ParseDuration(tt.in); err != nil || got != tt.want {
			t.Errorf("%q: %s (%v), want %s", tt.in, got, err, tt.want)
		}
	}
	refused := []struct{ in, want string }{
		{"", "it is empty"},
		{"  ", "it is empty"},
		{"-5m", "it is negative"},
		{"+5", "a number is missing"},
		{"h", "a number is missing"},
		{"5x", `the unit "x" is unknown`},
		{"5 m", "is unknown"},
		{"1h2", `the unit "" is unknown`},
		{"1e3", `the unit "e" is unknown`},
		{"0x10", `the unit "x" is unknown`},
		{"NaN", "a number is missing"},
		{"Inf", "a number is missing"},
		{"1.2.3s", "can't be read"},
		{".", "can't be read"},
		{"3651d", "longer than ten years"},
		{strings.Repeat("9", 400), "can't be read"},
		{"2026-06-20T15:00:00Z", "is unknown"},
	}
	for _, tt := range refused {
		got, err := ParseDuration(tt.in)
		if CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), tt.want) || HintOf(err) == "" {
			t.Errorf("%q: %s (%v), want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestParseMoment(t *testing.T) {
	for in, want := range map[string]Time{
		"2h": noon - 2*3600e6, "0": noon, "2026-06-20T12:00:00Z": noon, "2026-06-20T13:00:00+01:00": noon,
	} {
		if got, err := ParseMoment(in, noon); err != nil || got != want {
			t.Errorf("%q: %s (%v), want %s", in, got, err, want)
		}
	}
	if _, err := ParseMoment("tomorrow", noon); CodeOf(err) != CodeInvalid || HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestAge(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Hour, "now"},
		{0, "now"},
		{999 * time.Millisecond, "now"},
		{time.Second, "1s"},
		{59*time.Second + 999*time.Millisecond, "59s"},
		{time.Minute, "1m"},
		{59 * time.Minute, "59m"},
		{time.Hour, "1h"},
		{47 * time.Hour, "47h"},
		{48 * time.Hour, "2d"},
		{20 * 24 * time.Hour, "20d"},
		{21 * 24 * time.Hour, "3w"},
		{MaxDuration, "521w"},
	} {
		if got := Age(tt.d); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.d, got, tt.want)
		}
	}
}

func TestLeft(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0:00"},
		{0, "0:00"},
		{999 * time.Millisecond, "0:00"},
		{48 * time.Second, "0:48"},
		{21*time.Minute + 14*time.Second, "21:14"},
		{59*time.Minute + 59*time.Second, "59:59"},
		{time.Hour + 2*time.Minute + 3*time.Second, "1:02:03"},
		{100 * time.Hour, "100:00:00"},
	} {
		if got := Left(tt.d); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.d, got, tt.want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"90", "2h30m", "1.5h", "250ms", "3µs", "-1s", "1e9", "9999999w", "1h1h", ".5m", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			if CodeOf(err) != CodeInvalid || clean.Line(err.Error()) != err.Error() {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if d < 0 || d > MaxDuration {
			t.Fatalf("%q is %s", s, d)
		}
		if again, err := ParseDuration(d.String()); d%time.Microsecond == 0 && (err != nil || (again-d).Abs() > time.Microsecond) {
			t.Fatalf("%q is %s, which reads as %s (%v)", s, d, again, err)
		}
	})
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-06-20T15:00:00Z", "2026-06-20T15:00:00.123456789-05:00", "9999-12-31T23:59:59-10:00", "1970-01-01T00:00:00Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := ParseTime(s)
		if err != nil || at == 0 {
			return
		}
		if back, err := ParseTime(at.String()); err != nil || back != at {
			t.Fatalf("%q is %d, written %s, read %d (%v)", s, at, at, back, err)
		}
	})
}
