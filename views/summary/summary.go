// Package summary says what an event says in one line, by its kind. It reads
// payloads that are whole, cut or damaged, and never fails.
package summary

import (
	"encoding/json"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/feed"
	"binnacle/model/session"
	"binnacle/views/text"
)

// Of says in one line what an event says, by its kind. It is clean text.
func Of(e model.Event) string {
	return clean.Line(text.Clip(says(e), text.MaxShown))
}

func says(e model.Event) string {
	p := e.Payload
	switch e.Kind {
	case model.KindNote:
		return str(p, "text")
	case model.KindMetric:
		return spaced(str(p, "name"), str(p, "value"), str(p, "unit"))
	case model.KindSignal:
		return signalSays(e)
	case model.KindWork:
		s := spaced(e.Key, str(p, "action"))
		if who := str(p, "executor"); who != "" {
			s = spaced(s, "by", who)
		}
		return because(s, str(p, "reason"))
	case model.KindDirective:
		return directiveSays(e)
	case model.KindSystem:
		return spaced(str(p, "action"), pairs(p, "action"))
	default:
		if e.Topic == session.TopicRefLanded {
			return landingSays(p)
		}
		if s := feed.Says(&e); s != "" {
			return s
		}
		if s := str(p, "text"); s != "" && e.Kind == model.KindCoord {
			return spaced(e.Key, s)
		}
		return spaced(e.Key, pairs(p, ""))
	}
}

// landingSays is the commit, the change it belongs to, and what it touched.
func landingSays(p []byte) string {
	commit := str(p, "commit")
	s := spaced(commit[:min(len(commit), 8)], str(p, "change"))
	var l struct {
		Untrusted struct {
			Paths []string `json:"paths"`
		} `json:"untrusted"`
	}
	if json.Unmarshal(p, &l) != nil {
		return s
	}
	paths := l.Untrusted.Paths
	return spaced(s, strings.Join(paths[:min(len(paths), 5)], " "))
}

func signalSays(e model.Event) string {
	s := e.Key
	if what := str(e.Payload, "summary"); what != "" {
		s = spaced(s, what)
	}
	if by := str(e.Payload, "by"); by != "" {
		s = spaced(s, "by", by)
	}
	return because(s, str(e.Payload, "reason"))
}

// directiveSays puts what people look for first: the id, then what was done
// to it where the state does not say that already, then the body.
func directiveSays(e model.Event) string {
	p := e.Payload
	s := "#" + e.Key
	switch action := str(p, "action"); action {
	case "push", "push-deferred", "take", "":
	case "reprioritize":
		s = spaced(s, "now", str(p, "priority"))
	default:
		s = spaced(s, action)
	}
	if by := str(p, "by"); by != "" && by != e.Producer {
		s = spaced(s, "by", by)
	}
	if body := str(p, "body"); body != "" {
		s = spaced(s, text.FirstLine(body))
	}
	return because(s, str(p, "why"))
}

// pairs writes an object's members as name=value, but the one named.
func pairs(p []byte, but string) string {
	var b strings.Builder
	members(p, func(key string, value []byte) bool {
		if key == but {
			return true
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(key)
		b.WriteByte('=')
		b.WriteString(shown(value))
		return b.Len() < text.MaxShown
	})
	return b.String()
}

// spaced joins what is not empty with spaces.
func spaced(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return b.String()
}

func because(s, why string) string {
	if why == "" {
		return s
	}
	return s + ": " + why
}
