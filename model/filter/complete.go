package filter

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/directive"
)

// MaxSuggestions bounds what Complete returns.
const MaxSuggestions = 50

// Suggestion is one way to go on: Text replaces the bytes From to To of the
// filter's text. Note says what it is, where that helps.
type Suggestion struct {
	Text     string
	From, To int
	Note     string
}

// Complete suggests field names and values for what stands before the cursor (a
// byte offset; one outside of the text is moved into it). values gives what is
// known for a field beyond the names that the language has itself: topics,
// producers, lanes; it may be nil. Names that begin like the text come first,
// then those that have it inside; ties keep the order that values gave.
func Complete(text string, cursor int, values func(field string) []string) []Suggestion {
	cursor = min(max(cursor, 0), len(text))
	for cursor > 0 && cursor < len(text) && !utf8.RuneStart(text[cursor]) {
		cursor--
	}
	from := tokenStart(text[:cursor])
	if from < cursor && text[from] == '-' {
		from++
	}
	token := text[from:cursor]
	if strings.HasPrefix(token, `"`) {
		return nil
	}
	name, _, ok := cutField(token)
	if !ok {
		return completeField(token, from, cursor)
	}
	field := Field(name)
	if field.Describe() == "" {
		return nil
	}
	item := from + len(name) + 1
	if field != FieldSince && field != FieldUntil {
		item += itemStart(text[item:cursor])
	}
	known := field.values()
	if values != nil {
		known = append(known, values(string(field))...)
	}
	return completeValue(text[item:cursor], item, cursor, known)
}

func completeField(prefix string, from, to int) []Suggestion {
	var out []Suggestion
	for _, f := range Fields() {
		if strings.HasPrefix(string(f), strings.ToLower(prefix)) {
			out = append(out, Suggestion{Text: string(f) + ":", From: from, To: to, Note: f.Describe()})
		}
	}
	return out
}

func completeValue(typed string, from, to int, known []string) []Suggestion {
	typed = foldASCII(strings.TrimPrefix(typed, `"`))
	type ranked struct {
		Suggestion
		rank int
	}
	var all []ranked
	seen := map[string]bool{}
	for _, v := range known {
		at := strings.Index(foldASCII(v), typed)
		if at < 0 || seen[v] || !utf8.ValidString(v) {
			continue
		}
		seen[v] = true
		all = append(all, ranked{Suggestion{Text: Pattern{Text: v}.String(), From: from, To: to}, min(at, 1)})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank < all[j].rank })
	var out []Suggestion
	for _, r := range all[:min(len(all), MaxSuggestions)] {
		out = append(out, r.Suggestion)
	}
	return out
}

// values lists the values that the language itself knows for the field.
func (f Field) values() []string {
	var out []string
	switch f {
	case FieldKind:
		for _, k := range model.Kinds() {
			out = append(out, string(k))
		}
	case FieldState:
		for _, m := range []model.Machine{model.SignalMachine(), model.WorkMachine(), directive.Machine()} {
			out = append(out, m.States()...)
		}
	case FieldStatus:
		out = directive.Machine().States()
	case FieldPriority:
		out = []string{directive.P0.String(), directive.P1.String(), directive.P2.String()}
	case FieldSince, FieldUntil:
		out = []string{"5m", "30m", "1h", "2h", "8h", "1d", "7d"}
	}
	return out
}

// tokenStart returns where the part that ends at the text's end begins.
func tokenStart(text string) int {
	start := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r):
			start = i + n
		case r == '"' && opensQuote(text[start:i]):
			n = quoteLen(text[i:])
		}
		i += n
	}
	return start
}

// itemStart returns where the value that ends at the text's end begins.
func itemStart(text string) int {
	start := 0
	for i := 0; i < len(text); {
		n := 1
		switch {
		case text[i] == ',':
			start = i + 1
		case text[i] == '"' && i == start:
			n = quoteLen(text[i:])
		}
		i += n
	}
	return start
}

// opensQuote says whether a quote after before, within one part, opens a
// quoted text.
func opensQuote(before string) bool {
	if before == "" || before == "-" {
		return true
	}
	last := before[len(before)-1]
	if last != ':' && last != ',' {
		return false
	}
	_, _, ok := cutField(strings.TrimPrefix(before, "-"))
	return ok
}

// quoteLen is the length of the quoted text at the beginning of s, which may
// lack its end.
func quoteLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
