package hooks

import (
	"encoding/json"
	"strings"

	"binnacle/model"
)

// bag is a JSON object of a tool's: read without a fixed form, for tools change
// theirs. A member that is missing or of another type is a zero value. Names
// count exactly as they are written.
type bag map[string]json.RawMessage

func parseBag(raw []byte) (bag, error) {
	var b bag
	if err := json.Unmarshal(raw, &b); err != nil || b == nil {
		return nil, model.Errorf(model.CodeInvalid, "the hook's input is not a JSON object").
			WithHint("the tool passes it on stdin")
	}
	return b, nil
}

func (b bag) text(name string) string {
	var s string
	if json.Unmarshal(b[name], &s) != nil {
		return ""
	}
	return s
}

func (b bag) number(name string) int64 {
	var n float64
	if json.Unmarshal(b[name], &n) != nil || n < 0 || n > 1<<53 {
		return 0
	}
	return int64(n)
}

func (b bag) truth(name string) bool {
	var t bool
	return json.Unmarshal(b[name], &t) == nil && t
}

func (b bag) object(name string) bag {
	var o bag
	if json.Unmarshal(b[name], &o) != nil {
		return nil
	}
	return o
}

// list reads the objects of an array.
func (b bag) list(name string) []bag {
	var list []bag
	if json.Unmarshal(b[name], &list) != nil {
		return nil
	}
	return list
}

// words reads a string, or the strings of an array joined by lines.
func (b bag) words(name string) string {
	var list []string
	if json.Unmarshal(b[name], &list) == nil {
		return strings.Join(list, "\n")
	}
	return b.text(name)
}

// first is the first of the names that holds a text.
func (b bag) first(names ...string) string {
	for _, n := range names {
		if s := b.text(n); s != "" {
			return s
		}
	}
	return ""
}
