package fleetmap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"

	"github.com/go-json-experiment/json/jsontext"
)

// strict reads JSON that another machine wrote. Beyond the grammar it refuses
// duplicate names, invalid UTF-8, names that are not [a-z_]+ (so that a reader
// which ignores case can't see another document), a second value, and too deep
// nesting. The first refusal sticks; the callers look once, at the end.
type strict struct {
	raw  []byte
	dec  *jsontext.Decoder
	deep int
	err  error
}

func newStrict(raw []byte, depth int) *strict {
	return &strict{raw: raw, dec: jsontext.NewDecoder(bytes.NewBuffer(raw)), deep: depth}
}

func (s *strict) fail(format string, args ...any) {
	if s.err == nil {
		s.err = model.Errorf(model.CodeMalformed, format, args...)
	}
}

func (s *strict) token() jsontext.Token {
	if s.err != nil {
		return jsontext.Null
	}
	t, err := s.dec.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			s.fail("the JSON ends early")
		} else {
			s.fail("not valid JSON: %s", model.JSONFault(s.raw, err))
		}
		return jsontext.Null
	}
	if s.dec.StackDepth() > s.deep {
		s.fail("the JSON is nested deeper than %d levels", s.deep)
	}
	return t
}

// object calls member for each name; member must consume the value.
func (s *strict) object(where string, member func(name string)) {
	if t := s.token(); s.err == nil && t.Kind() != '{' {
		s.fail("%s is not an object", where)
		return
	}
	for s.err == nil {
		if s.dec.PeekKind() == '}' {
			s.token()
			return
		}
		t := s.token()
		if s.err != nil {
			return
		}
		name := t.String()
		if !strictName(name) {
			s.fail("%s has the name %q; names are a-z and _", where, clean.Line(model.CutBytes(name, 40)))
			return
		}
		member(name)
	}
}

// array calls element for each value; element must consume it.
func (s *strict) array(where string, element func()) {
	if t := s.token(); s.err == nil && t.Kind() != '[' {
		s.fail("%s is not an array", where)
		return
	}
	for s.err == nil {
		if s.dec.PeekKind() == ']' {
			s.token()
			return
		}
		element()
	}
}

// text reads a string; null is "" where optional.
func (s *strict) text(name string, optional bool) string {
	t := s.token()
	switch {
	case s.err != nil:
	case t.Kind() == '"':
		return t.String()
	case optional && t.Kind() == 'n':
	default:
		s.fail("%s is not a string", name)
	}
	return ""
}

// count reads an integer from 0 to 2^53; null is 0 where optional.
func (s *strict) count(name string, optional bool) int64 {
	t := s.token()
	switch {
	case s.err != nil:
	case t.Kind() == '0':
		return s.integer(name, t.String())
	case optional && t.Kind() == 'n':
	default:
		s.fail("%s is not a number", name)
	}
	return 0
}

func (s *strict) integer(name, text string) int64 {
	if len(text) > 16 || strings.ContainsAny(text, ".eE-") {
		s.fail("%s is not an integer from 0 to 2^53", name)
		return 0
	}
	var n int64
	for i := 0; i < len(text); i++ {
		n = n*10 + int64(text[i]-'0')
	}
	if n > model.MaxExact {
		s.fail("%s is not an integer from 0 to 2^53", name)
		return 0
	}
	return n
}

// skip consumes one value of an unknown member under the same rules.
func (s *strict) skip() {
	switch s.dec.PeekKind() {
	case '{':
		s.object("a member", func(string) { s.skip() })
	case '[':
		s.array("a member", s.skip)
	case '0':
		if t := s.token(); s.err == nil {
			if err := model.CheckNumber([]byte(t.String())); err != nil {
				s.fail("%s", err.Error())
			}
		}
	default:
		s.token()
	}
}

// end refuses a second value.
func (s *strict) end() {
	if s.err != nil {
		return
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		s.fail("something stands behind the JSON's end")
	}
}

func strictName(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}

// unmarshalStrict is for documents that are not read by the thousand: the
// rules of strict first, then the standard library, which can no longer
// mistake one name for another.
func unmarshalStrict(raw []byte, depth int, v any) error {
	s := newStrict(raw, depth)
	if k := s.dec.PeekKind(); k != '{' {
		s.fail("it is not a JSON object")
	}
	s.skip()
	s.end()
	if s.err != nil {
		return s.err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return model.Errorf(model.CodeMalformed, "a member has another type: %s", model.JSONFault(raw, err))
	}
	return nil
}
