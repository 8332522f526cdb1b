package model

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a payload.
const (
	MaxPayload = 256 << 10 // bytes, in canonical form
	MaxDepth   = 64        // nested objects and arrays, the payload itself included
)

// Canonical returns the RFC 8785 form of one JSON value: keys sorted by UTF-16
// code units, no spaces, ECMAScript's number form. What JSON cannot carry
// exactly is refused: duplicate names, invalid UTF-8 and lone surrogates,
// numbers that a double does not give back as they were written (CheckNumber),
// integers beyond 2^53, and values deeper than MaxDepth.
// The input is not changed.
func Canonical(raw []byte) ([]byte, error) {
	if err := checkNumbersAndDepth(raw); err != nil {
		return nil, err
	}
	v := jsontext.Value(append(make([]byte, 0, len(raw)+16), raw...))
	if err := v.Canonicalize(); err != nil {
		return nil, Errorf(CodeInvalid, "not valid JSON: %s", JSONFault(raw, err))
	}
	return v, nil
}

// CanonicalObject is Canonical for a payload: it must be an object of at most
// MaxPayload bytes.
func CanonicalObject(raw []byte) ([]byte, error) {
	// A canonical form can be shorter than what was sent, by white space and
	// escapes, but not without bound: six bytes (\u0041) become one.
	if len(raw) > 6*MaxPayload+MaxPayload {
		return nil, tooLarge(len(raw))
	}
	v, err := Canonical(raw)
	if err != nil {
		return nil, err
	}
	if len(v) == 0 || v[0] != '{' {
		return nil, Errorf(CodeInvalid, "the payload must be a JSON object, not %s", jsonType(v))
	}
	if len(v) > MaxPayload {
		return nil, tooLarge(len(v))
	}
	return v, nil
}

func tooLarge(n int) error {
	return Errorf(CodeInvalid, "the payload has %d bytes; at most %d fit", n, MaxPayload).
		WithHint("store it in a file and name the file")
}

func jsonType(v []byte) string {
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// checkNumbersAndDepth walks the text outside of strings. It does not check
// the grammar: the canonicaliser does.
func checkNumbersAndDepth(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			i++
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return Errorf(CodeInvalid, "the JSON is nested deeper than %d levels", MaxDepth)
			}
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case c == '-' || c >= '0' && c <= '9':
			start := i
			for i < len(raw) && isNumberByte(raw[i]) {
				i++
			}
			if err := CheckNumber(raw[start:i]); err != nil {
				return err
			}
		default:
			i++
		}
	}
	return nil
}

func shorten(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "…"
	}
	return string(b)
}

// AppendString appends s as a JSON string in canonical form. s is valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		// Only invalid UTF-8 fails, and every string of an envelope was checked.
		out, _ = jsontext.AppendQuote(dst, string([]rune(s)))
	}
	return out
}
