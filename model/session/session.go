package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// The states of a session. Untracked, unknown and seen are no session's own state:
// the fleet map shows them for a held change that no session accounts for.
const (
	Starting   = "starting"
	Idle       = "idle"
	Working    = "working"
	Waiting    = "waiting"
	Background = "background" // its turn is over, and tasks of it run on
	Ended      = "ended"
	Untracked  = "untracked"
	Unknown    = "unknown"
	// Seen is no session: an agent program runs, and none of its hooks was
	// heard.
	Seen = "seen"
)

// The topics of a session's facts in the ledger (kind coord, key the
// session's, state the session's after the fact).
const (
	TopicStarted   = "session.started"
	TopicState     = "session.state"
	TopicPaths     = "session.paths"
	TopicEnded     = "session.ended"
	TopicRefLanded = "ref.landed"
)

// Act is what a fact does to a session.
type Act string

// The acts.
const (
	ActSpawn      Act = "spawn"      // it was asked for; its tool has not reported yet
	ActStart      Act = "start"      // the tool is there
	ActPrompt     Act = "prompt"     // somebody gave it work
	ActTool       Act = "tool"       // it uses a tool
	ActAsk        Act = "ask"        // it notifies or asks for a permission
	ActStop       Act = "stop"       // it finished its turn
	ActBackground Act = "background" // it finished its turn, and left tasks running
	ActEnd        Act = "end"        // it is over
	ActOther      Act = "other"      // says only that it is alive
)

// Machine is how sessions live. A session may be first seen by any act
// but its end, for tools lose their first reports; and one that ended may come
// back under the same name, as another incarnation.
func Machine() model.Machine {
	m := model.Machine{Noun: "session", Steps: []model.Step{model.Arrow("", string(ActSpawn), Starting)}}
	to := []struct {
		act   Act
		state string
	}{
		{ActStart, Idle},
		{ActPrompt, Working},
		{ActTool, Working},
		{ActAsk, Waiting},
		{ActStop, Idle},
		{ActBackground, Background},
		{ActEnd, Ended},
	}
	for _, from := range []string{"", Starting, Idle, Working, Waiting, Background, Ended} {
		for _, t := range to {
			if t.act == ActEnd && (from == "" || from == Ended) {
				continue
			}
			if from == Ended && (t.act == ActAsk || t.act == ActStop || t.act == ActBackground) {
				continue
			}
			m.Steps = append(m.Steps, model.Arrow(from, string(t.act), t.state))
		}
	}
	m.Steps = append(m.Steps, model.Arrow(Ended, string(ActSpawn), Starting))
	return m
}

// Session is one run of an agent's tool, as its facts in the ledger add up.
// What is only telemetry (when it was last seen, how full its context is) is
// no part of it.
type Session struct {
	Key         string // of its facts: Key
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
	Task        string // TaskDigest of what it works on, "" where nobody said
	Model       string // the model behind it, as whoever started it said
	State       string
	Reason      string     // why it ended
	LandedAs    string     // the commit or ref that its work landed as, "" where that is not known
	Started     model.Time // this incarnation
	Since       model.Time // in State
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

// Key names a session in the ledger: the tool and the tool's id.
func Key(tool, id string) string { return tool + ":" + id }

// sessionPayload is what a session's facts carry. Ids, states and enum words
// only; paths stand under untrusted.
type sessionPayload struct {
	Act         Act              `json:"act,omitempty"`
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
	Task        string           `json:"task,omitempty"`
	Reason      string           `json:"reason,omitempty"`
	LandedAs    string           `json:"landed_as,omitempty"` // a commit; a ref's name is somebody's text
	Untrusted   *sessionOutsides `json:"untrusted,omitempty"`
}

type sessionOutsides struct {
	View     string   `json:"view,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	Model    string   `json:"model,omitempty"`
	Actor    string   `json:"actor,omitempty"` // one that could be a text
	LandedAs string   `json:"landed_as,omitempty"`
}

// outsides is what the fact holds of somebody's text.
func (p *sessionPayload) outsides() *sessionOutsides {
	if p.Untrusted == nil {
		p.Untrusted = &sessionOutsides{}
	}
	return p.Untrusted
}

// by says who the session is for: a name that is one word among the ids, any
// other among what is somebody's text.
func (p *sessionPayload) by(actor string) {
	if actor == "" || model.IsWord(actor) {
		p.Actor = actor
	} else {
		p.outsides().Actor = actor
	}
}

// Apply takes the session through one of its facts. A fact that the state
// machine does not have is refused and leaves the session as it was.
func (s *Session) Apply(e model.Event) error {
	var p sessionPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return model.Errorf(model.CodeCorrupt, "the session fact %d can't be read: %s", e.Seq, model.JSONFault(nil, err))
	}
	n := *s
	switch e.Topic {
	case TopicStarted:
		to, ok := Machine().To(s.State, string(p.Act))
		if !ok || to != e.State || s.State != "" && s.State != Ended {
			return Machine().Refuse(e.Key, s.State, string(p.Act))
		}
		n = Session{
			Key: e.Key, Tool: p.Tool, ID: p.Session, Machine: p.Machine, Boot: p.Boot,
			Incarnation: s.Incarnation + 1, Parent: p.Parent, Actor: p.Actor, Change: p.Change,
			Base: p.Base, Task: p.Task, Started: e.TS, Since: e.TS, Rev: s.Rev, FirstSeq: cmp.Or(s.FirstSeq, e.Seq),
		}
		if p.Untrusted != nil {
			n.View, n.Paths, n.Model = p.Untrusted.View, p.Untrusted.Paths, p.Untrusted.Model
			n.Actor = cmp.Or(p.Actor, p.Untrusted.Actor)
		}
	case TopicState, TopicEnded:
		to, ok := Machine().To(s.State, string(p.Act))
		if !ok || to != e.State || (to == Ended) != (e.Topic == TopicEnded) {
			return Machine().Refuse(e.Key, s.State, string(p.Act))
		}
		n.Reason = p.Reason
		if n.State != to {
			n.Since = e.TS
		}
		if p.Change != "" {
			n.Change, n.Base = p.Change, p.Base
		}
		if p.Untrusted != nil && p.Untrusted.View != "" {
			n.View = p.Untrusted.View
		}
		if to == Ended {
			n.LandedAs = p.LandedAs
			if p.Untrusted != nil {
				n.LandedAs = cmp.Or(p.LandedAs, p.Untrusted.LandedAs)
			}
		}
	case TopicPaths:
		if s.State == "" || s.State == Ended {
			return Machine().Refuse(e.Key, s.State, "give paths")
		}
		n.Paths = nil
		if p.Untrusted != nil {
			n.Paths = p.Untrusted.Paths
		}
	default:
		return model.Errorf(model.CodeInvalid, "%s is not a fact of a session", clean.Line(e.Topic))
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
func (s Session) Next(about Session, r Report, now model.Time) []model.Draft {
	if r.Subagent != "" || r.Act == ActOther {
		return s.pathFacts(about, r)
	}
	to, ok := Machine().To(s.State, string(r.Act))
	if !ok {
		return nil
	}
	if s.State == Ended && r.Act == ActTool && (now-s.Since < LateTool || s.Reason == ReasonSuperseded) {
		return nil
	}
	key := Key(about.Tool, about.ID)
	if s.State == "" || s.State == Ended {
		paths := MergePaths(nil, r.Paths)
		p := sessionPayload{
			Act: r.Act, Tool: about.Tool, Session: about.ID, Machine: about.Machine, Boot: about.Boot,
			Incarnation: s.Incarnation + 1, Parent: about.Parent, Change: about.Change, Base: about.Base,
			Untrusted: outsides(about.View, paths),
		}
		p.by(about.Actor)
		return []model.Draft{sessionDraft(TopicStarted, key, to, p)}
	}
	facts := s.pathFacts(about, r)
	// A session may move on to another work tree, or its work tree to another
	// change.
	moved := about.View != "" && about.View != s.View
	bound := about.Change != "" && about.Change != s.Change
	if to == s.State && !moved && !bound {
		return facts
	}
	p := sessionPayload{Act: r.Act, Was: s.State, Incarnation: s.Incarnation, Task: s.Task}
	if bound {
		p.Change, p.Base = about.Change, about.Base
	}
	if moved {
		p.Untrusted = outsides(about.View, nil)
	}
	if to == Ended {
		s.Paths = MergePaths(s.Paths, r.Paths)
		return append(facts, s.ended(p, r.Reason, about.LandedAs))
	}
	return append(facts, sessionDraft(TopicState, key, to, p))
}

func (s Session) pathFacts(about Session, r Report) []model.Draft {
	if s.State == "" || s.State == Ended || len(r.Paths) == 0 {
		return nil
	}
	paths := MergePaths(s.Paths, r.Paths)
	if slices.Equal(paths, s.Paths) {
		return nil
	}
	key := Key(about.Tool, about.ID)
	p := sessionPayload{Incarnation: s.Incarnation, Task: s.Task, Untrusted: outsides("", paths)}
	return []model.Draft{sessionDraft(TopicPaths, key, s.State, p)}
}

// End is the fact that the session is over for a reason that no report gave
// (its process is gone); ok is false when it is over already. landedAs is the
// commit or ref that its work landed as, "" where that is not known.
func (s Session) End(reason, landedAs string) (d model.Draft, ok bool) {
	if s.State == "" || s.State == Ended {
		return model.Draft{}, false
	}
	p := sessionPayload{Act: ActEnd, Was: s.State, Incarnation: s.Incarnation, Task: s.Task}
	return s.ended(p, reason, landedAs), true
}

// ended completes the fact that s is over: whoever works on its paths learns
// from it that they are free.
func (s Session) ended(p sessionPayload, reason, landedAs string) model.Draft {
	view := ""
	if p.Untrusted != nil {
		view = p.Untrusted.View
	}
	p.Reason, p.Untrusted = enumWord(reason), outsides(view, s.Paths)
	if isCommit(landedAs) {
		p.LandedAs = landedAs
	} else if landedAs != "" {
		p.outsides().LandedAs = landedAs
	}
	return sessionDraft(TopicEnded, s.Key, Ended, p)
}

// isCommit says whether s is a commit's id, of which nothing need be doubted.
func isCommit(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

func sessionDraft(topic, key, state string, p sessionPayload) model.Draft {
	raw, err := json.Marshal(p)
	if err != nil {
		raw = []byte(`{}`) // strings and integers only: it can't fail
	}
	return model.Draft{Topic: topic, Kind: model.KindCoord, Key: key, State: state, Payload: raw}
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
