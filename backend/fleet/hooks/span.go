package hooks

import (
	"strconv"
	"strings"

	"binnacle/model"
)

// span is one JSON value in a text, by its place, so that a text can be
// changed in one spot and stay byte for byte the same elsewhere: also its
// comments, which some tools allow.
type span struct {
	kind    byte // { [ " and 'v' for what is left
	from    int
	to      int // behind the last byte
	names   []string
	keys    []int  // where each member's name begins
	members []span // an object's values, or an array's
}

// maxSpanDepth bounds the nesting of a settings file.
const maxSpanDepth = 200

type spanReader struct {
	text  string
	at    int
	depth int
}

// readSpans reads one JSON value, with // and /* */ comments and commas before
// a closing bracket allowed.
func readSpans(text string) (span, error) {
	r := &spanReader{text: text}
	s, ok := r.value()
	if ok {
		r.space()
		ok = r.at == len(r.text)
	}
	if !ok {
		line := 1 + strings.Count(text[:min(r.at, len(text))], "\n")
		return span{}, model.Errorf(model.CodeInvalid, "the settings are not valid JSON near line %d", line)
	}
	return s, nil
}

func (r *spanReader) space() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])), r.at == 0 && strings.HasPrefix(rest, "\ufeff"):
			if rest[0] == 0xef {
				r.at += 2
			}
			r.at++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			r.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return
			}
			r.at += end + 4
		default:
			return
		}
	}
}

func (r *spanReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *spanReader) value() (span, bool) {
	r.space()
	if r.depth++; r.depth > maxSpanDepth {
		return span{}, false
	}
	defer func() { r.depth-- }()
	switch c := r.peek(); c {
	case '{', '[':
		return r.members(c)
	case '"':
		from := r.at
		_, ok := r.str()
		return span{kind: '"', from: from, to: r.at}, ok
	default:
		from := r.at
		for r.at < len(r.text) && strings.IndexByte("+-.0123456789abcdefghijklmnopqrstuvwxyzE", r.text[r.at]) >= 0 {
			r.at++
		}
		word := r.text[from:r.at]
		_, err := strconv.ParseFloat(word, 64)
		return span{kind: 'v', from: from, to: r.at}, word == "true" || word == "false" || word == "null" || err == nil && word != ""
	}
}

func (r *spanReader) members(open byte) (span, bool) {
	s := span{kind: open, from: r.at}
	closing := byte('}')
	if open == '[' {
		closing = ']'
	}
	r.at++
	for {
		r.space()
		if r.peek() == closing {
			r.at++
			s.to = r.at
			return s, true
		}
		if open == '{' {
			s.keys = append(s.keys, r.at)
			name, ok := r.str()
			if !ok {
				return s, false
			}
			s.names = append(s.names, name)
			r.space()
			if r.peek() != ':' {
				return s, false
			}
			r.at++
		}
		v, ok := r.value()
		if !ok {
			return s, false
		}
		s.members = append(s.members, v)
		r.space()
		switch r.peek() {
		case ',':
			r.at++
		case closing:
		default:
			return s, false
		}
	}
}

func (r *spanReader) str() (string, bool) {
	if r.peek() != '"' {
		return "", false
	}
	from := r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '\n':
			return "", false
		case '"':
			r.at++
			var b bag
			// The library knows the escapes.
			b, err := parseBag([]byte(`{"s":` + r.text[from:r.at] + `}`))
			return b.text("s"), err == nil
		}
	}
	return "", false
}

// member finds an object's value by name; the last one counts, as it does for
// the tools.
func (s span) member(name string) (int, bool) {
	for i := len(s.names) - 1; i >= 0; i-- {
		if s.names[i] == name {
			return i, true
		}
	}
	return 0, false
}

// insertInto adds text as the last thing in an object or array.
func insertInto(text string, s span, addition, indent, outer string) string {
	if len(s.members) == 0 {
		inside := text[s.from+1 : s.to-1]
		if strings.TrimSpace(inside) == "" {
			return text[:s.from+1] + "\n" + outer + indent + addition + "\n" + outer + text[s.to-1:]
		}
		// Only comments: they stay before.
		return text[:s.to-1] + "\n" + outer + indent + addition + "\n" + outer + text[s.to-1:]
	}
	last := s.members[len(s.members)-1]
	head, tail := text[:last.to]+",", text[last.to:]
	if comma := skipComma(text, last.to); comma != last.to {
		head, tail = text[:comma], text[comma:]
	}
	// A remark behind the last value stays on its line.
	if end := strings.IndexByte(tail, '\n'); end > 0 && strings.HasPrefix(strings.TrimLeft(tail[:end], " \t"), "//") {
		head, tail = head+strings.TrimSuffix(tail[:end], "\r"), tail[end:]
	}
	return head + "\n" + outer + indent + addition + tail
}

// remarks are the comments in what stands between two values: all of it but
// the comma.
func remarks(between string) string {
	if comma := skipComma(between, 0); comma > 0 {
		between = between[:comma-1] + between[comma:]
	}
	if strings.TrimSpace(between) == "" {
		return ""
	}
	return between
}

// skipComma passes over a comma that stood before a closing bracket.
func skipComma(text string, at int) int {
	r := &spanReader{text: text, at: at}
	r.space()
	if r.peek() == ',' {
		return r.at + 1
	}
	return at
}

// removeAt takes the i-th member or element out, with one comma.
func removeAt(text string, s span, i int) string {
	from := s.members[i].from
	if s.kind == '{' {
		from = s.keys[i]
	}
	to := s.members[i].to
	if after := skipComma(text, to); after != to && i < len(s.members)-1 {
		// Up to where the next one begins.
		next := s.members[i+1].from
		if s.kind == '{' {
			next = s.keys[i+1]
		}
		if kept := remarks(text[to:next]); kept != "" {
			return text[:from] + strings.TrimLeft(kept, " \t") + text[next:]
		}
		return text[:from] + text[next:]
	}
	if i > 0 {
		before := s.members[i-1].to
		kept := strings.TrimRight(remarks(text[before:from]), " \t\r\n")
		if kept != "" && !strings.HasPrefix(strings.TrimLeft(text[to:], " \t\r"), "\n") {
			kept += "\n" // what follows must not become part of the remark
		}
		return text[:before] + kept + text[to:]
	}
	after := skipComma(text, to)
	return strings.TrimRight(text[:from], " \t\r\n") + strings.TrimRight(remarks(text[to:after]), " \t\r\n") + text[after:]
}

// indentOf is how the text indents, two spaces when it does not.
func indentOf(text string, root span) string {
	if len(root.keys) > 0 {
		start := strings.LastIndexByte(text[:root.keys[0]], '\n') + 1
		if lead := text[start:root.keys[0]]; start > 0 && lead != "" && strings.TrimLeft(lead, " \t") == "" {
			return lead
		}
	}
	return "  "
}
