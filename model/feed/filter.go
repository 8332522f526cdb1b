package feed

import (
	"slices"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// Filter chooses what a reader is served. The zero value is everything.
type Filter struct {
	// Kinds are names of coordination facts (session.started), kinds of events
	// with a state (directive.taken), or the first word of either (session, note).
	Kinds []string
	// Paths choose the facts about them, about a folder above and about what lies
	// below. What has no path is not chosen.
	Paths []string
	// Session chooses what others do on a session's paths, or on its task.
	Session *Scope
}

// Scope is what of a session its reader hears others about.
type Scope struct {
	Key   string // of the session, whose own facts are left out
	Task  string // session.TaskDigest, "" for none
	Paths []string
}

// MaxKinds bounds how many kinds one reader names.
const MaxKinds = 64

// families are the first words of kinds that no kind of the ledger is.
var families = []string{"session", "ref"}

// ParseKinds reads kinds; each may be several, joined by commas.
func ParseKinds(list []string) ([]string, error) {
	var out []string
	for _, given := range list {
		for _, k := range strings.Split(given, ",") {
			if k = strings.TrimSpace(k); k == "" {
				continue
			}
			first, rest, dotted := strings.Cut(k, ".")
			known := slices.Contains(families, first) || model.Kind(first).Valid()
			if !known || dotted && (rest == "" || !isState(rest)) {
				return nil, model.Errorf(model.CodeInvalid, "%q is not a kind of the feed's events", clean.Line(model.CutBytes(k, 40))).
					WithHint("kinds look like session.started, ref.landed, note.added, directive.taken; the first word alone is all of its kind, and coord every fact")
			}
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	if len(out) > MaxKinds {
		return nil, model.Errorf(model.CodeInvalid, "%d kinds are named; at most %d are taken", len(out), MaxKinds)
	}
	return out, nil
}

// Match says whether the reader is served the event.
func (f *Filter) Match(e *Event) bool {
	if len(f.Kinds) > 0 && !slices.ContainsFunc(f.Kinds, e.is) {
		return false
	}
	if len(f.Paths) > 0 && !e.touches(f.Paths) {
		return false
	}
	s := f.Session
	if s == nil {
		return true
	}
	return e.Key != s.Key && (s.Task != "" && e.task == s.Task || e.touches(s.Paths))
}

func (e *Event) is(kind string) bool {
	if kind == string(model.KindCoord) {
		return e.Topic == "" // every other event has one
	}
	rest, ok := strings.CutPrefix(e.Kind, kind)
	return ok && (rest == "" || rest[0] == '.')
}

func (e *Event) touches(paths []string) bool {
	for _, p := range e.paths {
		for _, q := range paths {
			if session.Overlap(p, q) {
				return true
			}
		}
	}
	return false
}
