package model

import "github.com/go-json-experiment/json/jsontext"

// SkipString returns the index after the JSON string that begins at i.
func SkipString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// SkipValue returns the index after the JSON value that begins at i: of a number
// or a word, that of the comma or bracket behind it. It does not check the
// grammar; of a value that is cut short it returns the end.
func SkipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = SkipString(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

func FoldByte(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

// MemberString returns the text of a string member of a canonical object, nil
// where there is none.
func MemberString(object []byte, name string) []byte {
	raw := Member(object, name)
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	text := raw[1 : len(raw)-1]
	for _, c := range text {
		if c == '\\' {
			text, _ = jsontext.AppendUnquote(nil, raw)
			break
		}
	}
	return text
}

// Member returns a top-level member's value in a canonical object (no white
// space), nil where there is none. name needs no escapes.
func Member(object []byte, name string) []byte {
	for i := 1; i < len(object) && object[i] == '"'; {
		end := SkipString(object, i)
		if end >= len(object) || object[end] != ':' {
			return nil
		}
		found := string(object[i+1:end-1]) == name
		value := end + 1
		i = SkipValue(object, value)
		if found {
			return object[value:i]
		}
		if i < len(object) && object[i] == ',' {
			i++
		}
	}
	return nil
}

// SkipSpace returns the index after the white space at i.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
