package redact

import (
	"bytes"
	"strconv"

	"binnacle/model"

	"github.com/go-json-experiment/json/jsontext"
)

// walk goes once over a canonical payload and rewrites the strings that hold
// secrets. out holds the rewritten form of in[:done]; it stays nil until there
// is something to rewrite.
type walk struct {
	r    *Redactor
	in   []byte
	out  []byte
	done int
	n    int // values replaced

	rules   []string // what they were, in order
	firstIn string   // the member in which the first stands

	names     int    // numbers given to names
	firstName string // what the first of them became
}

// level is what is known about the object or array that is being walked.
type level struct {
	object bool
	inside secrecy // what every value in it is
	named  secrecy // what a sibling says: {"name":"DB_PASSWORD","value":"…"}
}

func (w *walk) run() error {
	var levels [model.MaxDepth + 1]level
	depth := 0
	name := []byte(nil)
	for i := 0; i < len(w.in); {
		switch w.in[i] {
		case '"':
			end := model.SkipString(w.in, i)
			at := &levels[depth]
			if end < len(w.in) && w.in[end] == ':' {
				name = w.in[i+1 : max(end-1, i+1)]
				w.name(i, end)
				i = end + 1
				continue
			}
			what := at.secrecyOf(name)
			if isNaming(name) && at.object {
				at.named = secrecyOf(w.in[i+1 : max(end-1, i+1)])
			}
			w.value(i, end, what, name)
			i = end
		case '{', '[':
			if depth == model.MaxDepth {
				return model.Errorf(model.CodeInvalid, "the JSON is nested deeper than %d levels", model.MaxDepth)
			}
			inside := levels[depth].secrecyOf(name)
			object := w.in[i] == '{'
			if object && inside != secrets {
				inside = plain // its members have names of their own
			}
			depth++
			levels[depth] = level{object: object, inside: inside}
			name = nil
			i++
		case '}', ']':
			depth = max(depth-1, 0)
			name = nil
			i++
		case ',':
			name = nil
			i++
		default:
			i++
		}
	}
	return nil
}

// secrecyOf says what the value under the name (nil in an array) is.
func (l *level) secrecyOf(name []byte) secrecy {
	if l.object && name != nil {
		if s := secrecyOf(name); s != plain {
			return s
		}
		if l.named != plain && (string(name) == "value" || string(name) == "Value") {
			return l.named
		}
	}
	return l.inside
}

// isNaming says whether the member's value is the name of its sibling "value".
func isNaming(name []byte) bool {
	switch string(name) {
	case "name", "Name", "key", "Key":
		return true
	}
	return false
}

// value rewrites the string value in[from:to] where it must.
func (w *walk) value(from, to int, what secrecy, name []byte) {
	if to-from < 8 && len(w.r.custom) == 0 || to-from < 2 || w.in[to-1] != '"' {
		return // shorter than any secret, or cut off
	}
	raw := w.in[from+1 : to-1]
	if what == plain && len(w.r.custom) == 0 && !w.r.suspicious(raw) {
		return
	}
	text := raw
	if bytes.IndexByte(raw, '\\') >= 0 {
		var err error
		if text, err = jsontext.AppendUnquote(nil, w.in[from:to]); err != nil {
			return
		}
	}
	if what.looksLike(text) {
		w.note(name, what.rule())
		w.write(from, to, markStart+what.rule()+markEnd)
		return
	}
	if spans := w.r.find(text); len(spans) > 0 {
		for _, s := range spans {
			w.note(name, s.rule)
		}
		w.write(from, to, string(replace(nil, text, spans)))
	}
}

// name rewrites a member's name that is itself a secret. Two names of one object
// never become the same.
func (w *walk) name(from, to int) {
	raw := w.in[from+1 : max(to-1, from+1)]
	if len(w.r.custom) == 0 && !w.r.suspicious(raw) {
		return
	}
	text, err := jsontext.AppendUnquote(nil, w.in[from:to])
	if err != nil {
		return
	}
	spans := w.r.find(text)
	if len(spans) == 0 {
		return
	}
	for _, s := range spans {
		w.note(nil, s.rule)
	}
	base := string(replace(nil, text, spans))
	name := ""
	for { // each name has a number of its own, so only the first, without one, can clash
		w.names++
		if name = base; w.names > 1 {
			name += " #" + strconv.Itoa(w.names)
		}
		if name != w.firstName && !bytes.Contains(w.in, model.AppendString(nil, name)) {
			break
		}
	}
	if w.firstName == "" {
		w.firstName = name
	}
	w.write(from, to, name)
}

// note counts a secret that was found in the member.
func (w *walk) note(name []byte, rule string) {
	if w.n++; w.n == 1 {
		w.firstIn = string(name)
	}
	w.rules = append(w.rules, rule)
}

func (w *walk) write(from, to int, text string) {
	w.out = append(w.out, w.in[w.done:from]...)
	w.out = model.AppendString(w.out, text)
	w.done = to
}
