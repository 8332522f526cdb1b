package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

// tester is what the checks below need of a test, be it *testing.T or *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// referenceJSON writes a value in RFC 8785's form. It shares nothing with
// Canonical: it works on decoded values.
func referenceJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return referenceNumber(v)
	case string:
		return referenceString(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = referenceJSON(x)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		parts := make([]string, len(keys))
		for i, k := range keys {
			parts[i] = referenceString(k) + ":" + referenceJSON(v[k])
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	panic(fmt.Sprintf("%T is no JSON value", v))
}

// referenceNumber is ECMAScript's Number::toString.
func referenceNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	sign := ""
	if f < 0 {
		sign, f = "-", -f
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, _ := strconv.Atoi(exponent)
	n, k := e+1, len(digits)
	switch {
	case k <= n && n <= 21:
		return sign + digits + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return sign + digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + digits
	}
	if k > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return sign + digits + "e" + fmt.Sprintf("%+d", n-1)
}

func referenceString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\f':
			b.WriteString(`\f`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// decode reads JSON with the standard library.
func decode(t tester, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// jsonValue draws a JSON value of no more than depth levels that the ledger
// takes: strings are valid UTF-8, integers exact.
func jsonValue(depth int) *rapid.Generator[any] {
	text := rapid.Map(rapid.OneOf(rapid.String(), modeltest.Hostile()), func(s string) any { return strings.ToValidUTF8(s, "\ufffd") })
	number := rapid.Map(rapid.OneOf(
		rapid.Float64(),
		rapid.Map(rapid.Int64Range(-MaxExact, MaxExact), func(n int64) float64 { return float64(n) }),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e21, 1e-7, 123456789.125, 5e-324, math.MaxFloat64}),
	), func(f float64) any {
		if abs := math.Abs(f); abs > MaxExact && abs < 1e21 {
			return 0.5
		}
		return f
	})
	leaf := rapid.OneOf(text, number, rapid.SampledFrom([]any{nil, true, false}))
	if depth == 0 {
		return leaf
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return jsonValue(depth - 1) })
	return rapid.OneOf(
		leaf,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(v []any) any { return v }),
		rapid.Map(jsonObject(depth), func(v map[string]any) any { return v }),
	)
}

func jsonObject(depth int) *rapid.Generator[map[string]any] {
	inner := rapid.Deferred(func() *rapid.Generator[any] { return jsonValue(depth - 1) })
	return rapid.Map(rapid.MapOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a", "é", "\ufb33", "😀", "\x1b"})), inner, 0, 4),
		func(m map[string]any) map[string]any {
			out := map[string]any{}
			for k, v := range m {
				out[strings.ToValidUTF8(k, "\ufffd")] = v
			}
			return out
		})
}

func TestReferenceNumber(t *testing.T) {
	for f, want := range map[float64]string{1: "1", -1.5: "-1.5", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-6: "0.000001", 1e-7: "1e-7", 0.1: "0.1"} {
		if got := referenceNumber(f); got != want {
			t.Errorf("%v is %s, want %s", f, got, want)
		}
	}
}

// loosely writes a value as JSON with everything that canonical form takes
// away: spaces, escapes, another order.
func loosely(t *rapid.T, v any) []byte {
	var b bytes.Buffer
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	var write func(v any)
	text := func(s string) {
		b.WriteByte('"')
		for _, r := range s {
			switch {
			case r == '"' || r == '\\' || r < 0x20 || rapid.IntRange(0, 9).Draw(t, "escape") == 0:
				for _, u := range utf16.Encode([]rune{r}) {
					fmt.Fprintf(&b, `\u%04X`, u)
				}
			default:
				b.WriteRune(r)
			}
		}
		b.WriteByte('"')
	}
	write = func(v any) {
		b.WriteString(space.Draw(t, "space"))
		switch v := v.(type) {
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			keys = rapid.Permutation(keys).Draw(t, "order")
			b.WriteByte('{')
			for i, k := range keys {
				if i > 0 {
					b.WriteByte(',')
				}
				b.WriteString(space.Draw(t, "space"))
				text(k)
				b.WriteByte(':')
				write(v[k])
			}
			b.WriteByte('}')
		case []any:
			b.WriteByte('[')
			for i, x := range v {
				if i > 0 {
					b.WriteByte(',')
				}
				write(x)
			}
			b.WriteByte(']')
		case string:
			text(v)
		case float64:
			b.WriteString(strconv.FormatFloat(v, rapid.SampledFrom([]byte{'e', 'g'}).Draw(t, "format"), -1, 64))
		default:
			b.WriteString(referenceJSON(v))
		}
		b.WriteString(space.Draw(t, "space"))
	}
	write(v)
	if !utf8.Valid(b.Bytes()) {
		t.Fatalf("not UTF-8: %q", b.Bytes())
	}
	return b.Bytes()
}
