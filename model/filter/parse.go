package filter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/note"
	"binnacle/model/session"
)

// Error says what is wrong with a filter, and where: Len bytes (0 at the
// end of the text) from byte Pos on. It wraps the Error that says the rest.
type Error struct {
	Pos, Len int
	Err      *model.Error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the Error, whose code is CodeInvalid.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads the filter language. Durations count back from now. Any
// error is a *Error.
func Parse(text string, now model.Time) (Filter, error) {
	p := filterParser{text: text, now: now}
	if err := p.parse(); err != nil {
		return Filter{}, err
	}
	return p.filter(), nil
}

// filterParser gathers what was written, by field and sign.
type filterParser struct {
	text  string
	now   model.Time
	i     int
	any   map[clauseKey][]Pattern
	times Filter // Since and Until only
	terms []Term
	// The states that were named, with their places: which ones there are depends
	// on the kinds that are named elsewhere.
	states []namedState
}

type namedState struct {
	text     string
	from, to int
}

type clauseKey struct {
	field Field
	not   bool
}

func (p *filterParser) parse() *Error {
	if len(p.text) > MaxFilter {
		return p.fail(MaxFilter, len(p.text), "the filter has %d bytes; at most %d fit", len(p.text), MaxFilter)
	}
	for i := 0; i < len(p.text); {
		r, n := utf8.DecodeRuneInString(p.text[i:])
		if r == utf8.RuneError && n == 1 {
			return p.fail(i, i+1, "the filter is not valid UTF-8")
		}
		i += n
	}
	p.any = map[clauseKey][]Pattern{}
	for p.skipSpace(); p.i < len(p.text); p.skipSpace() {
		if err := p.part(); err != nil {
			return err
		}
	}
	return p.checkStates()
}

// checkStates refuses a state that no record of the kinds named can have: it
// would find nothing.
func (p *filterParser) checkStates() *Error {
	kinds := p.any[clauseKey{FieldKind, false}]
	known := States(func(k model.Kind) bool { return len(kinds) == 0 || anyMatch(kinds, string(k)) })
	for _, s := range p.states {
		if slices.Contains(known, s.text) {
			continue
		}
		e := p.fail(s.from, s.to, "state: there is no %q", clean.Line(model.CutBytes(s.text, 40)))
		switch near := nearest(s.text, known); {
		case len(known) == 0:
			return e.WithHint("events of the kinds named have no state")
		case near != "":
			return e.WithHint("did you mean %s? There are %s", near, joinNames(known))
		default:
			return e.WithHint("there are %s", joinNames(known))
		}
	}
	return nil
}

// States are those that events of the kinds that are named can have led to, each
// once.
func States(named func(model.Kind) bool) []string {
	var known []string
	for _, m := range []struct {
		kind   model.Kind
		states []string
	}{
		{model.KindSignal, model.SignalMachine().States()},
		{model.KindWork, model.WorkMachine().States()},
		{model.KindDirective, directive.Machine().States()},
		{model.KindCoord, coordStates()},
	} {
		for _, s := range m.states {
			if named(m.kind) && !slices.Contains(known, s) {
				known = append(known, s)
			}
		}
	}
	return known
}

// coordStates are the states that coordination facts lead to.
func coordStates() []string {
	return append([]string{
		session.Starting, session.Idle, session.Working, session.Waiting, session.Ended, session.Untracked, session.Unknown,
		"landed",
	}, note.Machine().States()...)
}

func (p *filterParser) filter() Filter {
	f := p.times
	f.Terms = p.terms
	for _, field := range Fields() {
		for _, not := range []bool{false, true} {
			if any := p.any[clauseKey{field, not}]; len(any) > 0 {
				f.Clauses = append(f.Clauses, Clause{Field: field, Not: not, Any: any})
			}
		}
	}
	return f
}

// part reads one clause or term.
func (p *filterParser) part() *Error {
	start := p.i
	not := p.text[p.i] == '-'
	if not {
		p.i++
	}
	if p.i == len(p.text) || p.atSpace() {
		return p.fail(start, p.i, "nothing stands after the dash").WithHint(`quote it to look for a dash: "-"`)
	}
	if p.text[p.i] == '"' {
		return p.phrase(not)
	}
	word := p.bareWord()
	name, _, ok := cutField(word)
	if !ok {
		p.i += len(word)
		p.addTerm(Term{Not: not, Text: word})
		return nil
	}
	field := Field(name)
	if field.Describe() == "" {
		at := p.i
		e := p.fail(at, at+len(name), "there is no field %q", name)
		if near := nearest(name, Fields()); near != "" {
			return e.WithHint("did you mean %s:? To look for the text, quote it: %s", near, quote(clean.Line(model.CutBytes(word, 40))))
		}
		return e.WithHint("the fields are %s; to look for the text, quote it: %s", joinNames(Fields()), quote(clean.Line(model.CutBytes(word, 40))))
	}
	nameAt := p.i
	p.i += len(name) + 1
	if field == FieldSince || field == FieldUntil {
		return p.time(field, not, start, nameAt)
	}
	return p.values(field, not)
}

func (p *filterParser) phrase(not bool) *Error {
	start := p.i
	text, err := p.quoted()
	if err != nil {
		return err
	}
	if text == "" {
		return p.fail(start, p.i, "the phrase is empty")
	}
	if p.i < len(p.text) && !p.atSpace() {
		return p.fail(p.i, p.i+1, "a space must follow the closing quote")
	}
	p.addTerm(Term{Not: not, Text: text})
	return nil
}

func (p *filterParser) addTerm(t Term) {
	t.Text = foldASCII(t.Text)
	quoted := model.AppendString(nil, t.Text)
	t.JSON = string(quoted[1 : len(quoted)-1])
	for _, old := range p.terms {
		if old == t {
			return
		}
	}
	p.terms = append(p.terms, t)
}

// values reads a clause's values, after the colon.
func (p *filterParser) values(field Field, not bool) *Error {
	key := clauseKey{field, not}
	for {
		start := p.i
		v := Pattern{}
		if p.i < len(p.text) && p.text[p.i] == '"' {
			text, err := p.quoted()
			if err != nil {
				return err
			}
			v.Text = text
		} else {
			for p.i < len(p.text) && p.text[p.i] != ',' && p.text[p.i] != '"' && !p.atSpace() {
				p.i++
			}
			v.Text = p.text[start:p.i]
			v.Glob = strings.ContainsAny(v.Text, "*?")
			if v.Text == "" {
				return p.fail(start, start, "%s: a value is missing", field).WithHint("%s", example(field))
			}
		}
		if err := p.checkValue(field, &v, start); err != nil {
			return err
		}
		if !slices.Contains(p.any[key], v) {
			p.any[key] = append(p.any[key], v)
		}
		switch {
		case p.i == len(p.text) || p.atSpace():
			return nil
		case p.text[p.i] != ',':
			return p.fail(p.i, p.i+1, "%s: a comma or a space must stand between values", field)
		}
		p.i++
	}
}

// checkValue brings the value into its canonical form, or says why it can't
// match anything.
func (p *filterParser) checkValue(field Field, v *Pattern, start int) *Error {
	name := foldASCII(v.Text)
	switch field {
	case FieldKind:
		if !model.Kind(name).Valid() {
			return p.unknown(field, v.Text, start, joinNames(model.Kinds()), string(nearest(name, model.Kinds())))
		}
		v.Text = name
	case FieldState:
		if !v.Glob && v.Text != "" {
			p.states = append(p.states, namedState{v.Text, start, p.i})
		}
	case FieldStatus:
		states := directive.Machine().States()
		if !slices.Contains(states, name) {
			return p.unknown(field, v.Text, start, joinNames(states), nearest(name, states))
		}
		v.Text = name
	case FieldPriority:
		prio, err := directive.ParsePriority(v.Text)
		if err != nil {
			return p.unknown(field, v.Text, start, "P0, P1, P2", "")
		}
		v.Text = prio.String()
	case FieldTopic:
		for i := 0; i < len(v.Text); i++ {
			if c := v.Text[i]; !model.IsTopicByte(c) && c != '/' && !(v.Glob && (c == '*' || c == '?')) {
				_, n := utf8.DecodeRuneInString(v.Text[i:])
				return p.fail(start, p.i, "%s: no %s has the character %q", field, field, clean.Line(v.Text[i:i+n])).
					WithHint("topics have letters, digits, dot, underscore, dash and slash")
			}
		}
	}
	return nil
}

func (p *filterParser) unknown(field Field, text string, start int, all, near string) *Error {
	e := p.fail(start, p.i, "%s: there is no %q", field, clean.Line(model.CutBytes(text, 40)))
	if near != "" {
		return e.WithHint("did you mean %s? There are %s", near, all)
	}
	return e.WithHint("there are %s", all)
}

// time reads since's or until's value.
func (p *filterParser) time(field Field, not bool, start, nameAt int) *Error {
	at := p.i
	if not {
		return p.fail(start, nameAt+len(field), "%s can't be negated", field).
			WithHint("since:T is from T on, until:T before it")
	}
	text := p.bareWord()
	p.i += len(text)
	if text == "" {
		return p.fail(at, at, "%s: a value is missing", field).WithHint("%s", example(field))
	}
	t, err := model.ParseMoment(text, p.now)
	if err != nil {
		return p.fail(at, p.i, "%s: %s", field, err).WithHint("%s", model.HintOf(err))
	}
	has, value := &p.times.HasSince, &p.times.Since
	if field == FieldUntil {
		has, value = &p.times.HasUntil, &p.times.Until
	}
	if *has {
		return p.fail(nameAt, p.i, "%s is given twice", field)
	}
	*has, *value = true, t
	return nil
}

// quoted reads from one quote to the next.
func (p *filterParser) quoted() (string, *Error) {
	start := p.i
	var b strings.Builder
	for p.i++; p.i < len(p.text); p.i++ {
		switch c := p.text[p.i]; {
		case c == '"':
			p.i++
			return b.String(), nil
		case c == '\\' && p.i+1 < len(p.text) && (p.text[p.i+1] == '"' || p.text[p.i+1] == '\\'):
			p.i++
			b.WriteByte(p.text[p.i])
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail(start, len(p.text), "the quote is not closed")
}

// bareWord returns what stands before the next space, without taking it.
func (p *filterParser) bareWord() string {
	rest := p.text[p.i:]
	if n := strings.IndexFunc(rest, unicode.IsSpace); n >= 0 {
		return rest[:n]
	}
	return rest
}

func (p *filterParser) atSpace() bool {
	r, _ := utf8.DecodeRuneInString(p.text[p.i:])
	return unicode.IsSpace(r)
}

func (p *filterParser) skipSpace() {
	rest := strings.TrimLeftFunc(p.text[p.i:], unicode.IsSpace)
	p.i = len(p.text) - len(rest)
}

func (p *filterParser) fail(from, to int, format string, args ...any) *Error {
	return &Error{Pos: from, Len: to - from, Err: model.Errorf(model.CodeInvalid, format, args...)}
}

// WithHint returns a copy of e that carries the hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	return &Error{Pos: e.Pos, Len: e.Len, Err: e.Err.WithHint(format, args...)}
}

func example(f Field) string {
	switch f {
	case FieldSince, FieldUntil:
		return "write " + string(f) + ":2h or " + string(f) + ":2026-06-20T15:00:00Z"
	case FieldTopic:
		return "write topic:build/*"
	case FieldKind:
		return "write kind:signal, or kind:note,signal for either"
	}
	return "write " + string(f) + `:VALUE, or ` + string(f) + `:"" for none`
}

func joinNames[T ~string](all []T) string {
	var b strings.Builder
	for i, x := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(x))
	}
	return b.String()
}

// nearest returns the name that was probably meant, or "".
func nearest[T ~string](s string, names []T) T {
	var best T
	least := 3 // two slips at most
	for _, n := range names {
		d := slips(s, string(n))
		if len(s) >= 2 && strings.HasPrefix(string(n), s) {
			d = 1
		}
		if d < least && d < len(n)-1 {
			best, least = n, d
		}
	}
	return best
}

// slips is the Levenshtein distance of two short words, at most 9.
func slips(a, b string) int {
	if len(a) > 20 || len(b) > 20 {
		return 9
	}
	var row [21]int
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// foldASCII lowers ASCII letters and leaves all else.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
