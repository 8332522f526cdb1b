package redact

// findKnown returns the secrets that the built-in rules find in text, which is
// not JSON any more. It allocates only when it finds some.
func (r *Redactor) findKnown(text []byte) []span {
	var spans []span
	var ends [alphabets]int
	var gap gap
	awsKey := false
	for i := 0; i < len(text); {
		if i+1 == len(text) || !r.hasPair(text[i], text[i+1]) {
			i++
			continue
		}
		s, ok := r.findAt(text, i, &ends, &gap)
		if !ok {
			i++
			continue
		}
		spans = append(spans, s)
		awsKey = awsKey || s.rule == "aws-key-id"
		i = max(s.to, i+1)
	}
	if awsKey {
		spans = merge(findAWSSecrets(text, spans))
	}
	return merge(r.findSplit(text, spans))
}

func (r *Redactor) findAt(text []byte, i int, ends *[alphabets]int, g *gap) (span, bool) {
	c := text[i]
	switch c {
	case ':':
		if s, ok := findURLPassword(text, i); ok {
			return s, true
		}
		if s, ok := findTelegram(text, i); ok {
			return s, true
		}
		return findAssigned(text, i, g)
	case '=':
		return findAssigned(text, i, g)
	case 'b', 'B':
		if s, ok := findBearer(text, i); ok {
			return s, true
		}
	case 'c':
		if s, ok := findCurl(text, i); ok {
			return s, true
		}
	case '-':
		if s, ok := findPEM(text, i); ok {
			return s, true
		}
		if s, ok := findFlag(text, i, g); ok {
			return s, true
		}
	}
	if r.shapes[c] == nil {
		return span{}, false
	}
	return r.findShape(text, i, ends)
}

// suspicious says whether the inside of a JSON string can hold what findKnown
// finds, without decoding its escapes.
func (r *Redactor) suspicious(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		c := raw[i]
		if c >= 0x80 && gapAt(raw, i) > 0 || c == '\\' && (raw[i+1] == 'n' || raw[i+1] == 'u') {
			return true // it may split a token
		}
		if !r.hasPair(c, raw[i+1]) {
			continue
		}
		switch c {
		case '=', ':':
			if c == ':' && (hasPrefix(raw[i:], "://") || hasPrefix(raw[i:], ":AA")) || secrecyOf(nameBefore(raw, i)) != plain {
				return true
			}
			continue
		case 'c':
			if hasPrefix(raw[i:], "curl ") {
				return true
			}
		case 'b', 'B':
			if len(raw) >= i+7 && foldedEqual(raw[i:i+7], "bearer ") {
				return true
			}
		case '-':
			if hasPrefix(raw[i:], "-----BEGIN ") {
				return true
			}
			if hasPrefix(raw[i:], "--") && secrecyOf(flagName(raw, i)) != plain {
				return true
			}
		}
		for k := range r.shapes[c] {
			if hasPrefix(raw[i:], r.shapes[c][k].prefix) {
				return true
			}
		}
	}
	return false
}

// longestName bounds how far a name is looked for.
const longestName = 64

// nameBefore returns the name that ends before the sign at i, quoted or not.
func nameBefore(text []byte, i int) []byte {
	end := i
	for end > 0 && i-end < 4 {
		if c := text[end-1]; c != ' ' && c != '"' && c != '\'' && c != '\\' && c != ':' && c != '`' {
			break
		}
		end--
	}
	from := end
	for from > 0 && end-from < longestName && dotted.has(text[from-1]) {
		from--
	}
	return text[from:end]
}

// findAssigned finds the value of name=value, name: value, "name": "value",
// name := value and Authorization: scheme value, where i is at the sign.
func findAssigned(text []byte, i int, g *gap) (span, bool) {
	s := secrecyOf(nameBefore(text, i))
	if s == plain {
		return span{}, false
	}
	from := i + 1
	for from < len(text) && from-i < 4 && (text[from] == '=' || text[from] == '>' || text[from] == ':') {
		from++
	}
	return findValue(text, from, s, g)
}

// findFlag finds the value of "--name value", where i is at the first dash. The
// form with = is an assignment.
func findFlag(text []byte, i int, g *gap) (span, bool) {
	if !hasPrefix(text[i:], "--") {
		return span{}, false
	}
	name := flagName(text, i)
	from := i + 2 + len(name)
	s := secrecyOf(name)
	if s == plain || from >= len(text) || text[from] != ' ' {
		return span{}, false
	}
	return findValue(text, from, s, g)
}

func flagName(text []byte, i int) []byte {
	end := i + 2
	for end < len(text) && end-i < longestName && slug.has(text[end]) {
		end++
	}
	return text[i+2 : end]
}

// findValue finds the value that begins at or shortly after from.
func findValue(text []byte, from int, s secrecy, g *gap) (span, bool) {
	for start := from; from < len(text) && from-start < 4 && (text[from] == ' ' || text[from] == '\t'); from++ {
	}
	rest, schemed := cutScheme(text[from:])
	from = len(text) - len(rest)
	escaped := len(rest) > 1 && rest[0] == '\\' // JSON inside of JSON
	if escaped {
		from++
	}
	end := 0
	if from < len(text) && (text[from] == '"' || text[from] == '\'' || text[from] == '`') {
		from++
		end = g.quote(text, from, text[from-1])
		if escaped && end > from && text[end-1] == '\\' {
			end--
		}
		if inner, ok := cutScheme(text[from:end]); ok {
			from, schemed = end-len(inner), true
		}
	} else {
		end = g.bare(text, from)
		if s != password && end < len(text) && (text[end] == '(' || text[end] == '[') {
			return span{}, false // a call, or an index: code that reads a secret
		}
	}
	if from >= end || !s.looksLike(text[from:end]) && !(schemed && looksPassword(text[from:end])) {
		return span{}, false
	}
	return span{from, end, s.rule()}, true
}

// cutScheme cuts the scheme off an Authorization header's value.
func cutScheme(b []byte) (rest []byte, ok bool) {
	for _, scheme := range [...]string{"bearer ", "basic ", "token ", "apikey "} {
		if len(b) >= len(scheme) && foldedEqual(b[:len(scheme)], scheme) {
			return b[len(scheme):], true
		}
	}
	return b, false
}

// gap remembers where the values end that were looked at last: text that names
// secrets over and over is walked once.
type gap struct {
	bareFrom, bareEnd   int
	quoteFrom, quoteEnd int
	quoted              byte
}

// bare returns where an unquoted value ends.
func (g *gap) bare(text []byte, from int) int {
	if from >= g.bareFrom && from < g.bareEnd {
		return g.bareEnd
	}
	end := from
	for end < len(text) && !endsBare(text[end]) {
		end++
	}
	g.bareFrom, g.bareEnd = from, end
	return end
}

func endsBare(c byte) bool {
	if c <= ' ' || c == 0x7f {
		return true
	}
	switch c {
	case '"', '\'', '`', ',', ';', '&', '(', ')', '[', ']', '{', '}', '<', '>', '\\':
		return true
	}
	return false
}

// quote returns where a value in quotes ends: at the quote, or at the text's
// end.
func (g *gap) quote(text []byte, from int, quote byte) int {
	if quote == g.quoted && from >= g.quoteFrom && from <= g.quoteEnd {
		return g.quoteEnd
	}
	end := from
	for end < len(text) && text[end] != quote {
		end++
	}
	g.quoteFrom, g.quoteEnd, g.quoted = from, end, quote
	return end
}
