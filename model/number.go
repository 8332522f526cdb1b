package model

import (
	"bytes"
	"strconv"
)

// MaxExact is the largest integer up to which a double has every one.
const MaxExact = 1 << 53

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// CheckNumber refuses a JSON number that would not be given back as it was
// written. A number is kept as a double, and written again as the shortest
// decimal that reads back to that double. So what is taken is exactly what has,
// however it is spelled, the same value as that shortest decimal: 0.1, 1.50 and
// 1e300 are, 9007199254740993.0, 0.1000000000000000055 and 1e-400 are not.
//
// Integers are taken up to 2^53 only, for other programs read them as such.
func CheckNumber(text []byte) error {
	if len(text) <= 15 && !hasExponent(text) {
		return nil // at most 15 digits: exact
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		if f > 1 || f < -1 {
			return Errorf(CodeInvalid, "the number %s is out of JSON's range", shorten(text)).
				WithHint("%s", numberHint)
		}
		return nil // the grammar is wrong: the canonicaliser says how
	}
	// An integer beyond 2^53 is refused as it is written, and as its canonical
	// form would be written (below 1e21 without an exponent): what was taken
	// once must be taken again from an export.
	abs := f
	if abs < 0 {
		abs = -abs
	}
	integer := isInteger(text)
	if integer && !exactInteger(text) || !integer && abs > MaxExact && abs < 1e21 {
		return Errorf(CodeInvalid, "the integer %s is beyond 2^53, which JSON numbers can't carry exactly", shorten(text)).
			WithHint("%s", numberHint)
	}
	var room [32]byte
	if shortest := strconv.AppendFloat(room[:0], f, 'e', -1, 64); !sameDecimal(text, shortest) {
		return Errorf(CodeInvalid, "the number %s can't be kept exactly; it would become %s", shorten(text), shortest).
			WithHint("%s", numberHint)
	}
	return nil
}

const numberHint = "send it as a string"

// sameDecimal says whether two JSON numbers have the same value: the same
// digits, without the zeros at both ends, at the same place.
func sameDecimal(a, b []byte) bool {
	x, xOK := decimalOf(a)
	y, yOK := decimalOf(b)
	if !xOK || !yOK {
		return false
	}
	if len(x.digits) == 0 || len(y.digits) == 0 {
		return len(x.digits) == len(y.digits) // zero has no sign and no place here
	}
	return x.negative == y.negative && x.point == y.point && bytes.Equal(x.digits, y.digits)
}

// decimal is 0.DIGITS times ten to the point.
type decimal struct {
	negative bool
	digits   []byte // no zero at either end; none is zero
	point    int64
}

// decimalOf takes a JSON number apart; ok is false where it is none.
func decimalOf(text []byte) (d decimal, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		d.negative = true
		text = text[1:]
	}
	mantissa, exponent := text, []byte(nil)
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	d.digits = append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	d.point = int64(len(whole))
	zeros := len(d.digits) - len(bytes.TrimLeft(d.digits, "0"))
	d.digits = bytes.TrimRight(d.digits[zeros:], "0")
	d.point -= int64(zeros)
	if exponent == nil || len(d.digits) == 0 {
		return d, true
	}
	n, err := strconv.ParseInt(string(bytes.TrimPrefix(exponent, []byte("+"))), 10, 64)
	if err != nil || n > 1<<40 || n < -1<<40 {
		return d, false // farther than any number that is given back
	}
	d.point += n
	return d, true
}

// NumbersAsText makes strings of the numbers that CheckNumber refuses, as they
// were written; the rest of the text stays as it is. changed says how many.
func NumbersAsText(raw []byte) (out []byte, changed int) {
	done := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = SkipString(raw, i)
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i < len(raw) && isNumberByte(raw[i]) {
				i++
			}
			if CheckNumber(raw[start:i]) != nil {
				out = append(append(append(append(out, raw[done:start]...), '"'), raw[start:i]...), '"')
				done = i
				changed++
			}
		default:
			i++
		}
	}
	if changed == 0 {
		return raw, 0
	}
	return append(out, raw[done:]...), changed
}

func hasExponent(text []byte) bool {
	for _, c := range text {
		if c == 'e' || c == 'E' {
			return true
		}
	}
	return false
}

func isInteger(text []byte) bool {
	for _, c := range text {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

func exactInteger(text []byte) bool {
	n, err := strconv.ParseInt(string(text), 10, 64)
	return err == nil && n <= MaxExact && n >= -MaxExact
}
