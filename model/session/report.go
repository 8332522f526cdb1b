package session

import "strconv"

// Report is what a tool said of one of its sessions, brought into one form.
type Report struct {
	Tool       string
	Session    string // the tool's id, "" when the report is about none
	Parent     string // the tool's id of the session that this one serves, where it says so
	Subagent   string // the tool's id of a subagent that shares the session's id, "" for the session itself
	Event      string // the tool's own name for what happened
	Known      bool   // Event is one that this program knows
	N          int64  // the plugin's own number of it, 0 for none
	Act        Act
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

// ContextUse is how full a model's context is, in tokens; 0 is unknown.
type ContextUse struct {
	Used int64
	Max  int64
}

// maxContext bounds what counts as a number of tokens.
const maxContext = 1 << 31

// Plausible returns the use without what no context holds: more than its size, or than any.
func (c ContextUse) Plausible() ContextUse {
	if c.Max > maxContext {
		c.Max = 0
	}
	if c.Used > maxContext || c.Max > 0 && c.Used > 2*c.Max {
		return ContextUse{Max: c.Max}
	}
	return c
}
