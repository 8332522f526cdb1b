package clean

import "unicode/utf8"

// AppendJSON appends JSON text in which nothing is left that a terminal
// could act on or a reader be misled by: in strings every unsafe character
// (Unsafe) becomes its \u escape, a surrogate pair past U+FFFF. All else stays
// byte for byte, so that parsing gives the same value. Bytes that are no UTF-8,
// which valid JSON does not have, become \ufffd.
//
// The promise about the output holds for any input; that the value is the same,
// for valid JSON. Outside of strings tab, newline and carriage return stay.
func AppendJSON(dst, json []byte) []byte {
	inString := false
	done := 0 // json[:done] is in dst
	for i := 0; i < len(json); {
		b := json[i]
		switch {
		case b >= 0x20 && b < 0x7f:
			switch {
			case b == '"':
				inString = !inString
			case b == '\\' && inString && i+1 < len(json) && json[i+1] >= 0x20 && json[i+1] < 0x7f:
				i++
			}
			i++
			continue
		case !inString && (b == '\t' || b == '\n' || b == '\r'):
			i++
			continue
		}
		r, n := utf8.DecodeRune(json[i:])
		if bad := r == utf8.RuneError && n == 1; bad || Unsafe(r) {
			dst = append(dst, json[done:i]...)
			dst = appendEscape(dst, r)
			done = i + n
		}
		i += n
	}
	return append(dst, json[done:]...)
}

// appendEscape appends r as JSON's \uXXXX.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		dst = appendEscape(dst, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
