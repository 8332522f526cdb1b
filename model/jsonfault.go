package model

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"binnacle/model/clean"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSONFault says in words of ours why raw is not the JSON that was wanted, and
// where: "at line 1, column 7, ':' is missing before '}'". err is what a JSON
// package said about raw; columns count characters from 1. raw may be nil where
// the text is not at hand: then the place is left out.
func JSONFault(raw []byte, err error) string {
	var (
		grammar *jsontext.SyntacticError
		meaning *jsonv2.SemanticError
		kind    *json.UnmarshalTypeError
	)
	switch {
	case raw != nil && len(strings.TrimSpace(string(raw))) == 0:
		return "there is nothing"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it ends too early"
	case errors.As(err, &grammar):
		return grammarFault(raw, grammar)
	case errors.As(err, &meaning):
		return meaningFault(meaning)
	case errors.As(err, &kind):
		return "the member " + quoted(kind.Field) + " is " + article(kind.Value)
	}
	return "it can't be read"
}

func grammarFault(raw []byte, e *jsontext.SyntacticError) string {
	if errors.Is(e, jsontext.ErrDuplicateName) {
		return "the name " + quoted(e.JSONPointer.LastToken()) + " stands twice in one object"
	}
	at, there := jsonPlace(raw, e.ByteOffset)
	if strings.Contains(e.Err.Error(), "invalid UTF-8") {
		return at + "it is not valid UTF-8"
	}
	return at + grammarWords(e.Err, there)
}

// grammarWords are our words for what the JSON package says. It promises
// nothing about its texts: one that is not known is told without a reason.
func grammarWords(err error, there string) string {
	said := err.Error()
	for _, x := range []struct{ part, words string }{
		{"surrogate pair", "half of a pair of \\u escapes stands alone"},
		{"escape sequence", "an escape can't be read"},
		{"non-control character", "a control character stands in a string; write it as \\n or \\u001b"},
		{"after object name", "a colon is missing before " + there},
		{"after object value", "a comma or } is missing before " + there},
		{"after array", "a comma or ] is missing before " + there},
		{"after top-level value", "the value has ended, and " + there + " follows"},
		{"start of string", "a name in double quotes is missing before " + there},
		{"name must be a string", "a name in double quotes is missing before " + there},
		{"in number", "a digit is missing before " + there},
		{"in literal", "only true, false and null are words"},
		{"start of value", "no value can begin with " + there},
	} {
		if strings.Contains(said, x.part) {
			return x.words
		}
	}
	return "it can't be read from " + there + " on"
}

// jsonPlace says where a byte stands, as "at line 1, column 7, ", and what
// stands there.
func jsonPlace(raw []byte, offset int64) (at, there string) {
	if raw == nil {
		return "", "something else"
	}
	offset = min(max(offset, 0), int64(len(raw)))
	for offset < int64(len(raw)) && strings.IndexByte(" \t\r\n", raw[offset]) >= 0 {
		offset++ // the fault is at or after it, and white space is none
	}
	before := string(raw[:offset])
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	at = "at line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ", "
	r, n := utf8.DecodeRune(raw[offset:])
	if n == 0 {
		return at, "its end"
	}
	return at, "'" + clean.Line(string(r)) + "'"
}

// meaningFault tells of JSON that is well formed and something else than was
// wanted.
func meaningFault(e *jsonv2.SemanticError) string {
	name := strings.ReplaceAll(strings.TrimPrefix(string(e.JSONPointer), "/"), "/", ".")
	switch {
	case errors.Is(e, jsonv2.ErrUnknownName):
		return "it has no member " + quoted(name)
	case name == "":
		return "it is " + article(kindName(e.JSONKind)) + wanted(e.GoType)
	}
	return "the member " + quoted(name) + " is " + article(kindName(e.JSONKind)) + wanted(e.GoType)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '0':
		return "number"
	}
	return "value of another kind"
}

// wanted says what a Go type takes: ", not a string".
func wanted(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return ", not a string"
	case reflect.Int64, reflect.Int:
		return ", not a whole number"
	case reflect.Struct, reflect.Map:
		return ", not an object"
	case reflect.Bool:
		return ", not a boolean"
	}
	return ""
}

func article(kind string) string {
	switch {
	case kind == "null":
		return kind
	case kind == "bool":
		return "a boolean"
	case strings.HasPrefix(kind, "number "):
		return "the " + clean.Line(kind) // "the number 1.5": encoding/json names it
	case kind != "" && strings.IndexByte("aeiou", kind[0]) >= 0:
		return "an " + kind
	}
	return "a " + kind
}

func quoted(name string) string { return strconv.Quote(clean.Line(CutBytes(name, 60))) }
