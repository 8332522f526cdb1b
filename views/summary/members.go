package summary

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/views/text"
)

// members calls do with each member of the object raw, in their order, until do
// returns false. Values are as they are written. A payload was checked when it
// was written; of one that is damaged all the same, what comes before the
// damage is given.
func members(raw []byte, do func(key string, value []byte) bool) {
	i := model.SkipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	i++
	for {
		i = model.SkipSpace(raw, i)
		if i >= len(raw) || raw[i] != '"' {
			return
		}
		end := model.SkipString(raw, i)
		key := unquote(raw[i:end])
		i = model.SkipSpace(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return
		}
		i = model.SkipSpace(raw, i+1)
		end = model.SkipValue(raw, i)
		if end == i || !do(key, bytes.TrimRight(raw[i:end], " \n\t\r")) {
			return
		}
		i = model.SkipSpace(raw, end)
		if i >= len(raw) || raw[i] != ',' {
			return
		}
		i++
	}
}

// member returns one member's value, nil when the object has none of the name.
func member(raw []byte, name string) []byte {
	var out []byte
	members(raw, func(key string, value []byte) bool {
		if key == name {
			out = value
		}
		return out == nil
	})
	return out
}

// str returns a member as text: a string's content, another value as it is
// written, "" when there is none.
func str(raw []byte, name string) string { return shown(member(raw, name)) }

// shown is a value as text for one line. It is not cleaned.
func shown(value []byte) string {
	if len(value) > text.MaxShown {
		value = value[:text.MaxShown]
	}
	if len(value) == 0 || value[0] != '"' {
		return string(value)
	}
	return unquote(value)
}

// unquote reads a JSON string, also one that was cut short.
func unquote(b []byte) string {
	if len(b) > 0 && b[0] == '"' {
		b = b[1:]
	}
	if n := len(b); n > 0 && b[n-1] == '"' && !escaped(b, n-1) {
		b = b[:n-1]
	}
	s := string(b)
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) == nil {
		return out
	}
	// Cut inside of an escape, or between the halves of a pair: at most 12
	// bytes are lost. The rune that was cut, if any, is marked by the cleaner.
	for n := len(s) - 1; n >= 0 && n >= len(s)-12; n-- {
		if utf8.RuneStart(s[n]) && json.Unmarshal([]byte(`"`+s[:n]+`"`), &out) == nil {
			return out
		}
	}
	return s
}

// escaped says whether the byte at i has an odd number of backslashes before it.
func escaped(b []byte, i int) bool {
	n := 0
	for i > 0 && b[i-1] == '\\' {
		i--
		n++
	}
	return n%2 == 1
}
