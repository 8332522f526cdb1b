package model

import (
	"encoding/json"
	"strings"
	"testing"

	"binnacle/model/clean"
)

// Each kind of faulty JSON is told in words of ours, with its place.
func TestJSONFaults(t *testing.T) {
	for in, want := range map[string]string{
		``:                              "there is nothing",
		" \n":                           "there is nothing",
		`{"a":`:                         "it ends too early",
		`{"a`:                           "it ends too early",
		`{"a" 1}`:                       "at line 1, column 6, a colon is missing before '1'",
		"{\"a\":1,\n  \"ü\":2 \"c\":3}": "at line 2, column 9, a comma or } is missing before '\"'",
		`[1 2]`:                         "at line 1, column 4, a comma or ] is missing before '2'",
		`[1,]`:                          "at line 1, column 4, no value can begin with ']'",
		`{,}`:                           "at line 1, column 2, a name in double quotes is missing before ','",
		`{a:1}`:                         "at line 1, column 2, a name in double quotes is missing before 'a'",
		`{"a":1,}`:                      "at line 1, column 8, a name in double quotes is missing before '}'",
		`{} {}`:                         "at line 1, column 4, the value has ended, and '{' follows",
		`nope`:                          "at line 1, column 2, only true, false and null are words",
		`xyz`:                           "at line 1, column 1, no value can begin with 'x'",
		`'a'`:                           "at line 1, column 1, no value can begin with '''",
		`[-x]`:                          "at line 1, column 3, a digit is missing before 'x'",
		"[\"a\x1b\"]":                   "at line 1, column 4, a control character stands in a string; write it as \\n or \\u001b",
		`["\q"]`:                        "at line 1, column 3, an escape can't be read",
		`["\ud800"]`:                    "at line 1, column 3, half of a pair of \\u escapes stands alone",
		"[\"a\xff\"]":                   "at line 1, column 4, it is not valid UTF-8",
		`{"a":1,"a":2}`:                 `the name "a" stands twice in one object`,
		"\x00\xff\x1b":                  "at line 1, column 1, no value can begin with '␀'",
		strings.Repeat("x", 1<<20):      "at line 1, column 1, no value can begin with 'x'",
		"{\"a\":1,\n\n\n\"b\":trX}":     "at line 4, column 7, only true, false and null are words",
		`{"a":1,"` + strings.Repeat("n", 5000) + `":1,"` + strings.Repeat("n", 5000) + `":2}`: `the name "` + strings.Repeat("n", 60) + `…" stands twice in one object`,
	} {
		_, err := Canonical([]byte(in))
		if err == nil {
			t.Errorf("%q is taken", in)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "not valid JSON: "); got != want {
			t.Errorf("%.60q: %s\n  want %s", in, got, want)
		}
	}
	var v struct{ A int64 }
	raw := []byte(`{"A":"x"}`)
	if got := JSONFault(raw, json.Unmarshal(raw, &v)); got != `the member "A" is a string` {
		t.Errorf("another type: %s", got)
	}
}

// Whatever is sent, no word of the packages that read it is shown.
func FuzzJSONFault(f *testing.F) {
	for _, s := range []string{`{"a" 1}`, "[1,]", `{"a":tru}`, "\xff", `"\ud800"`, `{"a":{"a":1,"a":2}}`, "-", "01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := Canonical([]byte(s))
		if err == nil || !strings.HasPrefix(err.Error(), "not valid JSON: ") {
			return
		}
		for _, foreign := range []string{"jsontext", "json:", "invalid character", "unexpected EOF", "expecting", "offset", "can't be read from"} {
			if strings.Contains(err.Error(), foreign) {
				t.Errorf("%q is told as %q", s, err)
			}
		}
		if clean.Line(err.Error()) != err.Error() {
			t.Errorf("%q is not told clean", s)
		}
	})
}
