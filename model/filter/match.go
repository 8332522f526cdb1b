package filter

import (
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/directive"
)

// Match says whether the event passes. It does not allocate, except for names
// with escapes in the payload and lanes whose topic is encoded.
func (f *Filter) Match(e *model.Event) bool {
	if f.HasSince && e.TS < f.Since || f.HasUntil && e.TS >= f.Until {
		return false
	}
	for i := range f.Clauses {
		c := &f.Clauses[i]
		if c.matchEvent(e) == c.Not {
			return false
		}
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		found := containsFold(e.Payload, t.JSON) || containsFold(e.Topic, t.Text) ||
			containsFold(e.Producer, t.Text) || containsFold(e.Key, t.Text)
		if found == t.Not {
			return false
		}
	}
	return true
}

func (c *Clause) matchEvent(e *model.Event) bool {
	switch c.Field {
	case FieldKind:
		return anyMatch(c.Any, string(e.Kind))
	case FieldState:
		return anyMatch(c.Any, e.State)
	case FieldTopic:
		return anyMatch(c.Any, e.Topic)
	case FieldProducer:
		return anyMatch(c.Any, e.Producer)
	case FieldKey:
		return anyMatch(c.Any, e.Key)
	case FieldLane:
		lane := ""
		if e.Kind == model.KindDirective {
			lane = directive.LaneOf(e.Topic)
		}
		return anyMatch(c.Any, lane)
	case FieldStatus:
		return e.Kind == model.KindDirective && anyMatch(c.Any, e.State)
	case FieldPriority:
		return e.Kind == model.KindDirective && anyMatch(c.Any, model.MemberString(e.Payload, "priority"))
	case FieldConsumer:
		switch e.Kind {
		case model.KindDirective, model.KindSignal:
			return anyMatch(c.Any, model.MemberString(e.Payload, "by"))
		case model.KindWork:
			return anyMatch(c.Any, model.MemberString(e.Payload, "executor"))
		}
		return anyMatch(c.Any, "")
	}
	return false
}

// subject is a record as the filter sees it.
type subject struct {
	kind                                          model.Kind
	at                                            model.Time
	state, topic, producer, key                   string
	lane, priority, status, consumer, text, text2 string
}

// MatchSignal says whether the signal passes: its state's beginning is its time,
// its holder the consumer, and words are looked for in the summary, too.
func (f *Filter) MatchSignal(s *model.Signal) bool {
	return f.match(&subject{
		kind: model.KindSignal, at: s.Since, state: s.State, topic: s.Topic, producer: s.Producer, key: s.Key,
		consumer: s.Holder, text: s.Summary, text2: s.Holder,
	})
}

// MatchWork says whether the work record passes: its state's beginning is its
// time, its executor the producer and the consumer, and words are looked for in
// the reason and the evidence, too.
func (f *Filter) MatchWork(w *model.Work) bool {
	return f.match(&subject{
		kind: model.KindWork, at: w.Since, state: w.State, topic: w.Topic, producer: w.Executor, key: w.Key,
		consumer: w.Executor, text: w.Reason, text2: string(w.Evidence),
	})
}

// MatchDirective says whether the directive passes: its status is its state,
// its status's beginning its time, who took it the consumer and the producer,
// and words are looked for in the body and the reason, too. key is the id as
// events have it.
func (f *Filter) MatchDirective(d *directive.Directive, key string) bool {
	return f.match(&subject{
		kind: model.KindDirective, at: d.Since, state: d.Status, topic: directive.Topic(d.Lane), producer: d.TakenBy, key: key,
		lane: d.Lane, priority: d.Priority.String(), status: d.Status, consumer: d.TakenBy, text: d.Body, text2: d.Reason,
	})
}

func (f *Filter) match(s *subject) bool {
	if f.HasSince && s.at < f.Since || f.HasUntil && s.at >= f.Until {
		return false
	}
	for i := range f.Clauses {
		c := &f.Clauses[i]
		if anyMatch(c.Any, s.field(c.Field)) == c.Not {
			return false
		}
	}
	for i := range f.Terms {
		t := &f.Terms[i]
		found := containsFold(s.text, t.Text) || containsFold(s.text2, t.Text) || containsFold(s.topic, t.Text) ||
			containsFold(s.producer, t.Text) || containsFold(s.key, t.Text)
		if found == t.Not {
			return false
		}
	}
	return true
}

func (s *subject) field(f Field) string {
	switch f {
	case FieldKind:
		return string(s.kind)
	case FieldState:
		return s.state
	case FieldTopic:
		return s.topic
	case FieldProducer:
		return s.producer
	case FieldKey:
		return s.key
	case FieldLane:
		return s.lane
	case FieldPriority:
		return s.priority
	case FieldStatus:
		return s.status
	case FieldConsumer:
		return s.consumer
	}
	return ""
}

func anyMatch[T ~string | ~[]byte](any []Pattern, s T) bool {
	for i := range any {
		p := &any[i]
		if !p.Glob && string(s) == p.Text || p.Glob && glob(p.Text, s) {
			return true
		}
	}
	return false
}

// Match says whether the pattern matches the whole of s.
func (p Pattern) Match(s string) bool { return anyMatch([]Pattern{p}, s) }

// glob matches with one point to go back to: the last * is the only one whose
// run ever has to grow.
func glob[T ~string | ~[]byte](pattern string, s T) bool {
	i, j := 0, 0        // in pattern, in s
	star, mark := -1, 0 // after the last *, and where its run ends so far
	for j < len(s) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			i++
			star, mark = i, j
		case i < len(pattern) && pattern[i] == '?':
			i++
			j += runeLen(s, j)
		case i < len(pattern) && pattern[i] == s[j]:
			i++
			j++
		case star >= 0:
			mark += runeLen(s, mark)
			i, j = star, mark
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

// runeLen is the number of bytes of the character at i: one where it is no
// UTF-8.
func runeLen[T ~string | ~[]byte](s T, i int) int {
	n := 1
	for i+n < len(s) && n < utf8.UTFMax && !utf8.RuneStart(s[i+n]) {
		n++
	}
	return n
}

// containsFold says whether needle, which is folded, is in hay.
func containsFold[T ~string | ~[]byte](hay T, needle string) bool {
	if needle == "" {
		return true
	}
	first := needle[0]
	for i := 0; i+len(needle) <= len(hay); i++ {
		if model.FoldByte(hay[i]) != first {
			continue
		}
		k := 1
		for k < len(needle) && model.FoldByte(hay[i+k]) == needle[k] {
			k++
		}
		if k == len(needle) {
			return true
		}
	}
	return false
}
