// Package redact finds secrets in text, and takes them out or refuses the text.
package redact

import (
	"regexp"
	"sort"
	"strconv"

	"binnacle/model"
	"binnacle/model/clean"
)

// A chain can't be edited later, so secrets are replaced before they are hashed.
// What is found:
//   - tokens by their shape (redact_shapes.go, also split: redact_split.go): GitHub, GitLab, AWS, Slack, OpenAI,
//     Anthropic, Google, npm, Stripe … keys, JSON Web Tokens, private-key blocks,
//     bearer tokens, passwords in URLs;
//   - values under names that speak of secrets (redact_names.go), where they look
//     random enough: members of the payload, and NAME=value, name: value and --name
//     value inside of text;
//   - what the workspace's own patterns match.
//
// Each becomes [redacted:RULE]. What has been replaced is not found again.

// Bounds of the workspace's own patterns.
const (
	MaxRules       = 64
	MaxRulePattern = 1000 // bytes
)

// Rule is a pattern of the workspace's own. Name is 1 to 40 of [a-z0-9-];
// Pattern is RE2. Where the pattern has a group, only the first group is
// replaced, else the whole match.
type Rule struct {
	Name    string
	Pattern string
}

// Redactor replaces secrets. It is safe for concurrent use; a nil Redactor is
// one that is turned off.
type Redactor struct {
	shapes [256][]shape // by the prefix's first byte
	pairs  [256][4]uint64
	custom []custom
}

// A pair of bytes is marked in pairs when something that the built-in rules
// find can begin with it: one look at a bit spares most of a text the rest.

func (r *Redactor) markPair(a, b byte) { r.pairs[a][b>>6] |= 1 << (b & 63) }

func (r *Redactor) hasPair(a, b byte) bool { return r.pairs[a][b>>6]>>(b&63)&1 != 0 }

type custom struct {
	name string
	re   *regexp.Regexp
}

// New makes a redactor with the rules that are always on and the
// workspace's own.
func New(own []Rule) (*Redactor, error) {
	if len(own) > MaxRules {
		return nil, model.Errorf(model.CodeInvalid, "there are %d redaction patterns; at most %d may be", len(own), MaxRules)
	}
	r := &Redactor{}
	for _, s := range knownShapes() {
		r.shapes[s.prefix[0]] = append(r.shapes[s.prefix[0]], s)
		r.markPair(s.prefix[0], s.prefix[1])
	}
	r.pairs['='] = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)} // what follows is anything
	r.pairs[':'] = r.pairs['=']
	for _, pair := range [...]string{"be", "bE", "Be", "BE", "--", "cu"} {
		r.markPair(pair[0], pair[1])
	}
	for i, rule := range own {
		if !ruleName(rule.Name) {
			return nil, model.Errorf(model.CodeInvalid, "the name %q of redaction pattern %d must be 1 to 40 of a-z, 0-9 and dash", clean.Line(model.CutBytes(rule.Name, 40)), i+1)
		}
		if len(rule.Pattern) > MaxRulePattern {
			return nil, model.Errorf(model.CodeInvalid, "the redaction pattern %s has %d bytes; at most %d fit", rule.Name, len(rule.Pattern), MaxRulePattern)
		}
		re, err := regexp.Compile(rule.Pattern)
		if err != nil {
			return nil, model.Errorf(model.CodeInvalid, "the redaction pattern %s can't be read: %s", rule.Name, clean.Line(err.Error())).
				WithHint("patterns are RE2: no look-around, no back-references")
		}
		if re.MatchString("") {
			return nil, model.Errorf(model.CodeInvalid, "the redaction pattern %s matches the empty text", rule.Name)
		}
		r.custom = append(r.custom, custom{rule.Name, re})
	}
	return r, nil
}

func ruleName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 40
}

// RedactText replaces the secrets in a text and says how many there were. Text
// without any comes back as it was.
func (r *Redactor) RedactText(s string) (string, int) {
	if r == nil {
		return s, 0
	}
	b := []byte(s)
	spans := r.find(b)
	if len(spans) == 0 {
		return s, 0
	}
	return string(replace(nil, b, spans)), len(spans)
}

// RedactTexts is RedactText for each of a list, which is not changed.
func (r *Redactor) RedactTexts(list []string) []string {
	if r == nil || len(list) == 0 {
		return list
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i], _ = r.RedactText(s)
	}
	return out
}

// span is a secret's place in a text.
type span struct {
	from, to int
	rule     string
}

// find returns the secrets in text, in order, none overlapping.
func (r *Redactor) find(text []byte) []span {
	spans := r.findKnown(text)
	for _, c := range r.custom {
		for _, m := range c.re.FindAllSubmatchIndex(text, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 {
				from, to = m[2], m[3]
			}
			if from < to { // a group that took no part has no place
				spans = append(spans, span{from, to, c.name})
			}
		}
	}
	return merge(spans)
}

// merge orders the spans and joins those that overlap, under the name of the
// one that begins first.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.from < last.to {
			last.to = max(last.to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}

const (
	markStart = "[redacted:"
	markEnd   = "]"
)

func replace(dst, text []byte, spans []span) []byte {
	done := 0
	for _, s := range spans {
		dst = append(dst, text[done:s.from]...)
		dst = append(dst, markStart...)
		dst = append(dst, s.rule...)
		dst = append(dst, markEnd...)
		done = s.to
	}
	return append(dst, text[done:]...)
}

// Apply replaces the secrets in a payload: canonical JSON, in string values and
// in member names. It returns the payload's new canonical form and how many
// values were replaced. Where there were any, an object says so in a member
// "redacted" that holds the number; if it has a member of that name already,
// the new one is "_redacted", or has as many underscores as it takes. A payload
// without secrets comes back as it was, without allocating.
//
// It fails where the payload is no valid JSON, or has grown past MaxPayload by
// marks that are longer than what they replace.
func (r *Redactor) Apply(payload []byte) ([]byte, int, error) {
	out, w, err := r.apply(payload)
	return out, w.n, err
}

func (r *Redactor) apply(payload []byte) ([]byte, walk, error) {
	if r == nil {
		return payload, walk{}, nil
	}
	w := walk{r: r, in: payload}
	if err := w.run(); err != nil {
		return nil, walk{}, err
	}
	if w.n == 0 {
		return payload, walk{}, nil
	}
	out := append(w.out, payload[w.done:]...)
	if !hasPrefix(out, "{") || out[len(out)-1] != '}' {
		out, err := model.Canonical(out)
		if err != nil {
			return nil, walk{}, err
		}
		return out, w, nil
	}
	name := []byte("redacted")
	for model.Member(out, string(name)) != nil {
		name = append([]byte{'_'}, name...)
	}
	out = append(out[:len(out)-1], `,"`...)
	out = append(out, name...)
	out = append(out, `":`...)
	out = strconv.AppendInt(out, int64(w.n), 10)
	out, err := model.CanonicalObject(append(out, '}'))
	if err != nil {
		return nil, walk{}, err
	}
	return out, w, nil
}
