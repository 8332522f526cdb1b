package model

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"binnacle/model/clean"

	"pgregory.net/rapid"
)

func TestCanonicalVectors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{
			"RFC 8785, 3.2.2",
			`{
  "numbers": [333333333.3333333, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			"RFC 8785, 3.2.3: sorted by UTF-16 code units",
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		},
		{"a prefix first", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"nested", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{"controls", `"\u0000\u001F\u007f\b\f\n\r\t"`, "\"\\u0000\\u001f\x7f\\b\\f\\n\\r\\t\""},
		{"separators stay", `"\u2028"`, "\"\u2028\""},
		{"minus zero", `-0`, `0`},
		{"2^53", `9007199254740992`, `9007199254740992`},
		{"-2^53", `-9007199254740992`, `-9007199254740992`},
		{"an integer with an exponent", `1e15`, `1000000000000000`},
		{"far beyond", `1e300`, `1e+300`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			got, err := Canonical(in)
			if err != nil || string(got) != tt.want {
				t.Errorf("\n got %s (%v)\nwant %s", got, err, tt.want)
			}
			if string(in) != tt.in {
				t.Error("the input was changed")
			}
		})
	}
}

// TestCanonicalNumbers is RFC 8785's appendix B, with what is refused here
// marked: integers that JSON numbers can't carry exactly.
func TestCanonicalNumbers(t *testing.T) {
	tests := []struct {
		bits uint64
		want string // "" is refused
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, ""},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, ""},
		{0x444b1ae4d6e2ef4f, ""},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	}
	for _, tt := range tests {
		f := math.Float64frombits(tt.bits)
		for _, format := range []byte{'e', 'f'} {
			text := strconv.FormatFloat(f, format, -1, 64)
			got, err := Canonical([]byte(text))
			refused := tt.want == ""
			// Written out, an integer beyond 2^53 is refused whatever its size.
			if format == 'f' && math.Abs(f) > MaxExact {
				refused = true
			}
			switch {
			case refused && CodeOf(err) != CodeInvalid:
				t.Errorf("%016x, %s: %s (%v), want it refused", tt.bits, text, got, err)
			case !refused && (err != nil || string(got) != tt.want):
				t.Errorf("%016x, %s: %s (%v), want %s", tt.bits, text, got, err, tt.want)
			}
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	tests := []struct{ name, in, want, hint string }{
		{"empty", ``, "not valid JSON", ""},
		{"cut off", `{"a":`, "not valid JSON", ""},
		{"two values", `{} {}`, "not valid JSON", ""},
		{"duplicate names", `{"a":1,"a":2}`, "stands twice in one object", ""},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, "stands twice in one object", ""},
		{"lone surrogate", `"\ud800"`, "not valid JSON", ""},
		{"wrong order of surrogates", `"\udc00\ud800"`, "not valid JSON", ""},
		{"not UTF-8", "\"\xff\"", "not valid JSON", ""},
		{"raw control", "\"\x1b\"", "not valid JSON", ""},
		{"NaN", `NaN`, "not valid JSON", ""},
		{"infinity", `[-Infinity]`, "not valid JSON", ""},
		{"out of range", `1e400`, "the number 1e400 is out of JSON's range", "send it as a string"},
		{"negative, out of range", `[-1e999]`, "out of JSON's range", "send it as a string"},
		{"2^53+1", `{"id":9007199254740993}`, "the integer 9007199254740993 is beyond 2^53", "send it as a string"},
		{"-2^53-1", `-9007199254740993`, "is beyond 2^53", "send it as a string"},
		{"a snowflake", `[1541815603606036480]`, "is beyond 2^53", "send it as a string"},
		{"beyond 2^53 by exponent", `1e16`, "is beyond 2^53", "send it as a string"},
		{"a long integer", strings.Repeat("9", 60), strings.Repeat("9", 40) + "… is beyond 2^53", "send it as a string"},
		{"leading zero", `01`, "not valid JSON", ""},
		{"comma", `[1,]`, "not valid JSON", ""},
		{"too deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), "nested deeper than 64", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical([]byte(tt.in))
			if err == nil {
				t.Fatalf("%s is taken as %s", tt.in, got)
			}
			if CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), tt.want) || HintOf(err) != tt.hint {
				t.Errorf("%s: %q (hint %q), want %q (%q)", tt.in, err, HintOf(err), tt.want, tt.hint)
			}
			if clean.Line(err.Error()) != err.Error() {
				t.Errorf("the refusal is not clean: %q", err)
			}
		})
	}
	if _, err := Canonical([]byte(strings.Repeat("[", 64) + strings.Repeat("]", 64))); err != nil {
		t.Errorf("64 levels are refused: %v", err)
	}
	if _, err := Canonical([]byte(`"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ 99999999999999999999 \" ["`)); err != nil {
		t.Errorf("brackets in a string are counted: %v", err)
	}
}

func TestCanonicalObject(t *testing.T) {
	for in, want := range map[string]string{
		`[]`: "not an array", `"x"`: "not a string", `1`: "not a number", `null`: "not null", `true`: "not a boolean",
	} {
		if _, err := CanonicalObject([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	fits := `{"a":"` + strings.Repeat("x", MaxPayload-8) + `"}`
	if got, err := CanonicalObject([]byte(fits)); err != nil || len(got) != MaxPayload {
		t.Errorf("%d bytes: %v", len(got), err)
	}
	if got, err := CanonicalObject([]byte(strings.Replace(fits, "x", `\u0078`, 100) + "  \n")); err != nil || len(got) != MaxPayload {
		t.Errorf("what shrinks to the bound is refused: %v", err)
	}
	_, err := CanonicalObject([]byte(strings.Replace(fits, "x", "xx", 1)))
	if CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), "262145 bytes; at most 262144 fit") || HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := CanonicalObject(bytes.Repeat([]byte(" "), 8*MaxPayload)); err == nil {
		t.Error("white space without bound is taken")
	}
}

func TestCanonicalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(4).Draw(t, "v")
		in := loosely(t, v)
		got, err := Canonical(in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if want := referenceJSON(decode(t, in)); string(got) != want {
			t.Fatalf("\n  in %s\n got %s\nwant %s", in, got, want)
		}
		checkCanonical(t, in)
	})
}

// checkCanonical holds what Canonical promises of any input.
func checkCanonical(t tester, in []byte) {
	before := bytes.Clone(in)
	got, err := Canonical(in)
	if !bytes.Equal(in, before) {
		t.Fatalf("the input was changed: %q", in)
	}
	if err != nil {
		return
	}
	again, err := Canonical(got)
	if err != nil || !bytes.Equal(again, got) {
		t.Fatalf("not idempotent: %s, then %s (%v)", got, again, err)
	}
	if a, b := decode(t, in), decode(t, got); !reflect.DeepEqual(a, b) && referenceJSON(a) != referenceJSON(b) {
		t.Fatalf("the value changed: %s, then %s", in, got)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{
		`{"b":[1,2.50,1e3],"a":"\u20ac"}`, `{"a":1,"a":2}`, `9007199254740993`, `[[[]]]`, `"\ud83d\ude00"`, `-0`, `1e400`, "\"\xff\"", `1E+2`, `"\`, `{"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checkCanonical(t, b)
		if _, err := Canonical(b); err == nil && !json.Valid(b) {
			t.Fatalf("what is no JSON is taken: %q", b)
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	for _, tt := range []struct{ name, payload string }{
		{"small", `{"text": "compiling module 41 of 97", "tags": ["build", "core"], "value": 1.5}`},
		{"canonical", `{"tags":["build","core"],"text":"compiling module 41 of 97","value":1.5}`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Canonical([]byte(tt.payload)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
