package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
)

// The states of a session. Untracked, unknown and seen are no session's own state:
// the fleet map shows them for a held change that no session accounts for.
const (
	SessionStarting   = "starting"
	SessionIdle       = "idle"
	SessionWorking    = "working"
	SessionWaiting    = "waiting"
	SessionBackground = "background" // its turn is over, and tasks of it run on
	SessionEnded      = "ended"
	SessionUntracked  = "untracked"
	SessionUnknown    = "unknown"
	// SessionSeen is no session: an agent program runs, and none of its hooks was
	// heard.
	SessionSeen = "seen"
)

// The topics of a session's facts in the ledger (kind coord, key the
// session's, state the session's after the fact).
const (
	TopicSessionStarted = "session.started"
	TopicSessionState   = "session.state"
	TopicSessionPaths   = "session.paths"
	TopicSessionEnded   = "session.ended"
	TopicRefLanded      = "ref.landed"
)

// SessionAct is what a fact does to a session.
type SessionAct string

// The acts.
const (
	ActSpawn      SessionAct = "spawn"      // it was asked for; its tool has not reported yet
	ActStart      SessionAct = "start"      // the tool is there
	ActPrompt     SessionAct = "prompt"     // somebody gave it work
	ActTool       SessionAct = "tool"       // it uses a tool
	ActAsk        SessionAct = "ask"        // it notifies or asks for a permission
	ActStop       SessionAct = "stop"       // it finished its turn
	ActBackground SessionAct = "background" // it finished its turn, and left tasks running
	ActEnd        SessionAct = "end"        // it is over
	ActOther      SessionAct = "other"      // says only that it is alive
)

// SessionMachine is how sessions live. A session may be first seen by any act
// but its end, for tools lose their first reports; and one that ended may come
// back under the same name, as another incarnation.
func SessionMachine() Machine {
	m := Machine{Noun: "session", Steps: []Step{{"", string(ActSpawn), SessionStarting}}}
	to := []struct {
		act   SessionAct
		state string
	}{
		{ActStart, SessionIdle},
		{ActPrompt, SessionWorking},
		{ActTool, SessionWorking},
		{ActAsk, SessionWaiting},
		{ActStop, SessionIdle},
		{ActBackground, SessionBackground},
		{ActEnd, SessionEnded},
	}
	for _, from := range []string{"", SessionStarting, SessionIdle, SessionWorking, SessionWaiting, SessionBackground, SessionEnded} {
		for _, t := range to {
			if t.act == ActEnd && (from == "" || from == SessionEnded) {
				continue
			}
			if from == SessionEnded && (t.act == ActAsk || t.act == ActStop || t.act == ActBackground) {
				continue
			}
			m.Steps = append(m.Steps, Step{from, string(t.act), t.state})
		}
	}
	m.Steps = append(m.Steps, Step{SessionEnded, string(ActSpawn), SessionStarting})
	return m
}

// Session is one run of an agent's tool, as its facts in the ledger add up.
// What is only telemetry (when it was last seen, how full its context is) is
// no part of it.
type Session struct {
	Key         string // of its facts: SessionKey
	Tool        string // claude-code, codex, gemini, opencode, or another's name
	ID          string // the tool's name for it
	Machine     string
	Boot        string // the machine's boot in which this incarnation began
	Incarnation int64  // 1, 2 … under the same key
	Parent      string // key of the session that it serves, "" for none
	Actor       string
	Change      string
	Base        string // the commit it started from
	View        string // the work tree
	State       string
	Reason      string // why it ended
	Started     Time   // this incarnation
	Since       Time   // in State
	Paths       []string
	Rev         int64
	FirstSeq    int64
	LastSeq     int64
}

// HashedName stands for a session's id that can't be used as it is.
func HashedName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "x-" + hex.EncodeToString(sum[:12])
}

// SessionKey names a session in the ledger: the tool and the tool's id.
func SessionKey(tool, id string) string { return tool + ":" + id }

// sessionPayload is what a session's facts carry. Ids, states and enum words
// only; paths stand under untrusted.
type sessionPayload struct {
	Act         SessionAct       `json:"act,omitempty"`
	Was         string           `json:"was,omitempty"`
	Tool        string           `json:"tool,omitempty"`
	Session     string           `json:"session,omitempty"`
	Machine     string           `json:"machine,omitempty"`
	Boot        string           `json:"boot,omitempty"`
	Incarnation int64            `json:"incarnation,omitempty"`
	Parent      string           `json:"parent,omitempty"`
	Actor       string           `json:"actor,omitempty"`
	Change      string           `json:"change,omitempty"`
	Base        string           `json:"base,omitempty"`
	Reason      string           `json:"reason,omitempty"`
	Untrusted   *sessionOutsides `json:"untrusted,omitempty"`
}

type sessionOutsides struct {
	View  string   `json:"view,omitempty"`
	Paths []string `json:"paths,omitempty"`
}

// Apply takes the session through one of its facts. A fact that the state
// machine does not have is refused and leaves the session as it was.
func (s *Session) Apply(e Event) error {
	var p sessionPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Errorf(CodeCorrupt, "the session fact %d can't be read: %s", e.Seq, JSONFault(nil, err))
	}
	n := *s
	switch e.Topic {
	case TopicSessionStarted:
		to, ok := SessionMachine().To(s.State, string(p.Act))
		if !ok || to != e.State || s.State != "" && s.State != SessionEnded {
			return SessionMachine().Refuse(e.Key, s.State, string(p.Act))
		}
		n = Session{
			Key: e.Key, Tool: p.Tool, ID: p.Session, Machine: p.Machine, Boot: p.Boot,
			Incarnation: s.Incarnation + 1, Parent: p.Parent, Actor: p.Actor, Change: p.Change,
			Base: p.Base, Started: e.TS, Since: e.TS, Rev: s.Rev, FirstSeq: cmp.Or(s.FirstSeq, e.Seq),
		}
		if p.Untrusted != nil {
			n.View, n.Paths = p.Untrusted.View, p.Untrusted.Paths
		}
	case TopicSessionState, TopicSessionEnded:
		to, ok := SessionMachine().To(s.State, string(p.Act))
		if !ok || to != e.State || (to == SessionEnded) != (e.Topic == TopicSessionEnded) {
			return SessionMachine().Refuse(e.Key, s.State, string(p.Act))
		}
		n.Reason = p.Reason
		if n.State != to {
			n.Since = e.TS
		}
		if p.Change != "" {
			n.Change, n.Base = p.Change, p.Base
		}
		if p.Untrusted != nil {
			n.View = p.Untrusted.View
		}
	case TopicSessionPaths:
		if s.State == "" || s.State == SessionEnded {
			return SessionMachine().Refuse(e.Key, s.State, "give paths")
		}
		n.Paths = nil
		if p.Untrusted != nil {
			n.Paths = p.Untrusted.Paths
		}
	default:
		return Errorf(CodeInvalid, "%s is no fact of a session", Clean(e.Topic))
	}
	n.State, n.LastSeq, n.Rev = e.State, e.Seq, n.Rev+1
	*s = n
	return nil
}

// ReasonSuperseded is why a session ended whose process went on under another
// id: only a prompt brings it back.
const ReasonSuperseded = "superseded"

// LateTool is how long after a session's end a report of a tool's use is taken
// for a straggler; later ones say that the session is back.
const LateTool = 10 * 1000 * 1000 // microseconds, as Time counts

// Next is the one rule for what a report does: the facts to append for it, in
// order, none when nothing changed. The caller applies them (Apply). about
// fills what a first fact says of the session (Tool, ID, Machine, Boot, Actor,
// Change, Base, View, Parent).
func (s Session) Next(about Session, r Report, now Time) []Draft {
	if r.Subagent != "" || r.Act == ActOther {
		return s.pathFacts(about, r)
	}
	to, ok := SessionMachine().To(s.State, string(r.Act))
	if !ok {
		return nil
	}
	if s.State == SessionEnded && r.Act == ActTool && (now-s.Since < LateTool || s.Reason == ReasonSuperseded) {
		return nil
	}
	key := SessionKey(about.Tool, about.ID)
	if s.State == "" || s.State == SessionEnded {
		paths := MergePaths(nil, r.Paths)
		p := sessionPayload{
			Act: r.Act, Tool: about.Tool, Session: about.ID, Machine: about.Machine, Boot: about.Boot,
			Incarnation: s.Incarnation + 1, Parent: about.Parent, Actor: about.Actor, Change: about.Change, Base: about.Base,
			Untrusted: outsides(about.View, paths),
		}
		return []Draft{sessionDraft(TopicSessionStarted, key, to, p)}
	}
	facts := s.pathFacts(about, r)
	// A session may move on to another work tree, or its work tree to another
	// change.
	moved := about.View != "" && about.View != s.View
	bound := about.Change != "" && about.Change != s.Change
	if to == s.State && !moved && !bound {
		return facts
	}
	topic := TopicSessionState
	p := sessionPayload{Act: r.Act, Was: s.State, Incarnation: s.Incarnation}
	if bound {
		p.Change, p.Base = about.Change, about.Base
	}
	if moved {
		p.Untrusted = outsides(about.View, nil)
	}
	if to == SessionEnded {
		topic, p.Reason = TopicSessionEnded, enumWord(r.Reason)
	}
	return append(facts, sessionDraft(topic, key, to, p))
}

func (s Session) pathFacts(about Session, r Report) []Draft {
	if s.State == "" || s.State == SessionEnded || len(r.Paths) == 0 {
		return nil
	}
	paths := MergePaths(s.Paths, r.Paths)
	if equalStrings(paths, s.Paths) {
		return nil
	}
	key := SessionKey(about.Tool, about.ID)
	p := sessionPayload{Incarnation: s.Incarnation, Untrusted: outsides("", paths)}
	return []Draft{sessionDraft(TopicSessionPaths, key, s.State, p)}
}

// End is the fact that the session is over for a reason that no report gave
// (its process is gone); ok is false when it is over already.
func (s Session) End(reason string) (d Draft, ok bool) {
	if s.State == "" || s.State == SessionEnded {
		return Draft{}, false
	}
	p := sessionPayload{Act: ActEnd, Was: s.State, Incarnation: s.Incarnation, Reason: enumWord(reason)}
	return sessionDraft(TopicSessionEnded, s.Key, SessionEnded, p), true
}

func sessionDraft(topic, key, state string, p sessionPayload) Draft {
	raw, err := json.Marshal(p)
	if err != nil {
		raw = []byte(`{}`) // strings and integers only: it can't fail
	}
	return Draft{Topic: topic, Kind: KindCoord, Key: key, State: state, Payload: raw}
}

func outsides(view string, paths []string) *sessionOutsides {
	if view == "" && len(paths) == 0 {
		return nil
	}
	return &sessionOutsides{View: view, Paths: paths}
}

// enumWord reduces a tool's reason to an enum word, for facts hold no prose.
func enumWord(s string) string {
	b := make([]byte, 0, 32)
	for i := 0; i < len(s) && len(b) < 32; i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-':
			b = append(b, c)
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, '_')
		}
	}
	return string(b)
}

// MaxSessionPaths is how many paths a session's set holds before files are
// summed up as their folders.
const MaxSessionPaths = 32

// MergePaths adds paths (slash separated, relative to the work tree) to a
// session's sorted set. "a/b/" is a folder and stands for all in it. A set that
// grows past MaxSessionPaths is folded: the deepest level becomes folders,
// until it fits.
func MergePaths(set, more []string) []string {
	all := map[string]bool{}
	for _, list := range [][]string{set, more} {
		for _, p := range list {
			if p != "" && len(p) <= 1024 {
				all[p] = true
			}
		}
	}
	for fold := 0; ; fold++ {
		dropCovered(all)
		if len(all) <= MaxSessionPaths || fold > 64 {
			break
		}
		foldDeepest(all)
	}
	out := make([]string, 0, len(all))
	for p := range all {
		out = append(out, p)
	}
	sort.Strings(out)
	if len(out) > MaxSessionPaths {
		return []string{"./"} // too many names at the top level: the whole tree
	}
	return out
}

func dropCovered(all map[string]bool) {
	if all["./"] {
		clear(all)
		all["./"] = true
		return
	}
	for p := range all {
		for i := 0; i < len(p)-1; i++ {
			if p[i] == '/' && all[p[:i+1]] {
				delete(all, p)
				break
			}
		}
	}
}

func foldDeepest(all map[string]bool) {
	deepest := 0
	for p := range all {
		deepest = max(deepest, strings.Count(strings.TrimSuffix(p, "/"), "/"))
	}
	for p := range all {
		q := strings.TrimSuffix(p, "/")
		if strings.Count(q, "/") != deepest || deepest == 0 {
			continue
		}
		delete(all, p)
		all[q[:strings.LastIndexByte(q, '/')+1]] = true
	}
}

func equalStrings(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Report is what a tool said of one of its sessions, brought into one form.
type Report struct {
	Tool       string
	Session    string // the tool's id, "" when the report is about none
	Parent     string // the tool's id of the session that this one serves, where it says so
	Subagent   string // the tool's id of a subagent that shares the session's id, "" for the session itself
	Event      string // the tool's own name for what happened
	Known      bool   // Event is one that this program knows
	N          int64  // the plugin's own number of it, 0 for none
	Act        SessionAct
	Reason     string
	Cwd        string   // where the session is; may move
	Writes     []string // paths written, as the tool gave them
	Paths      []string // Writes, relative to the work tree; those outside left out
	Ctx        ContextUse
	Transcript string   // a file in which the context use may stand
	Title      string   // what it is about: the newest prompt's first line, or the tool's own title
	Asks       string   // of ActAsk: what it asks
	Members    []string // the names of an unknown event's members
}

// Text says in a few words what the report is, for logs.
func (r Report) Text() string {
	return r.Tool + " " + strconv.Quote(r.Event) + " of " + strconv.Quote(r.Session) + ": " + string(r.Act)
}
