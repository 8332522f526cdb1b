package model

import (
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersAreKeptOrRefused(t *testing.T) {
	for text, kept := range map[string]bool{
		"0.1": true, "1.50": true, "1e300": true, "1E+2": true, "0": true, "-0": true, "-0.0": true, "0e999999999999999999999": true,
		"0.30000000000000004": true, "5e-324": true, "1.7976931348623157e308": true, "100000000000000000000e1": true,
		"0.000000000000000000000000001": true, "9007199254740992": true, "1234567890.123456": true,
		"9007199254740993.0": false, "9007199254740993": false, "90071992547409930e-1": false, "1e-400": false, "-1e-400": false,
		"1e400": false, "0.1000000000000000055": false, "333333333.33333329": false, "4e-324": false, "1e-99999999999999999999": false,
		"0.10000000000000000000000000000000000001": false, "1e99999999999999999999": false, "1.00000000000000000000000001": false,
	} {
		_, err := Canonical([]byte(text))
		if (err == nil) != kept {
			t.Errorf("%s: %v", text, err)
		}
		out, n := NumbersAsText([]byte(`{"1e400":[` + text + `,"9007199254740993"]}`))
		want := `{"1e400":[` + text + `,"9007199254740993"]}`
		if !kept {
			want = `{"1e400":["` + text + `","9007199254740993"]}`
		}
		if string(out) != want || (n == 0) != kept {
			t.Errorf("as text: %s, %d", out, n)
		}
	}
}

// TestNumbersAgainstBig holds the rule to its words: what is taken has the same
// value, in exact arithmetic, as the canonical form that is kept of it.
func TestNumbersAgainstBig(t *testing.T) {
	value := func(t *rapid.T, text string) *big.Rat {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		return r
	}
	number := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "a double's") {
			f := rapid.Float64Range(-1e15, 1e15).Draw(t, "f")
			return strconv.FormatFloat(f, rapid.SampledFrom([]byte("ef")).Draw(t, "form"), rapid.SampledFrom([]int{-1, 15, 16, 17, 18, 25}).Draw(t, "digits"), 64)
		}
		return rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "text")
	})
	rapid.Check(t, func(t *rapid.T) {
		text := number.Draw(t, "number")
		out, err := Canonical([]byte(text))
		if err != nil {
			f, _ := strconv.ParseFloat(text, 64)
			shortest := strconv.FormatFloat(f, 'e', -1, 64)
			integer := new(big.Rat).SetInt64(MaxExact)
			if beyond := new(big.Rat).Abs(value(t, text)).Cmp(integer) > 0; !beyond && value(t, text).Cmp(value(t, shortest)) == 0 {
				t.Fatalf("%s is refused, and would be kept as %s: %v", text, shortest, err)
			}
			return
		}
		if value(t, text).Cmp(value(t, string(out))) != 0 {
			t.Fatalf("%s is kept as %s", text, out)
		}
		if again, err := Canonical(out); err != nil || string(again) != string(out) {
			t.Fatalf("%s is kept as %s, which is not taken again: %v", text, out, err)
		}
	})
}
