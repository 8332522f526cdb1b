package fleetmap

import (
	"sort"
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// Bounds of a summary (live.json).
const (
	LiveSchema   = "bay.live/1"
	MaxLiveBytes = 32768
	MaxLiveRows  = 64
	MaxLiveDepth = 16
	MaxLivePaths = 64  // paths a row carries at most
	maxLiveText  = 256 // bytes of one text in a row that this program writes
)

// Live is what one machine tells the others: one row per live session. It is
// the content of live.json at refs/bay/live/<machine>.
type Live struct {
	Repo      string     // what the summary is about, see RepoName
	Machine   string     // must be the ref's name
	Agent     string     // the registry's name whose key signs, "" without one
	Boot      string     // the writer's boot
	Seq       int64      // grows with each summary
	WrittenAt model.Time // by the writer's clock; for display only
	Dropped   int64      // live sessions that did not fit
	Ledger    LedgerHead
	Rows      []LiveRow // the newest first
}

// LedgerHead is the head of a machine's ledger, which its summary carries so
// that other machines are witnesses of it. Seq 0 is none.
type LedgerHead struct {
	Seq   int64  `json:"seq"`
	Hash  string `json:"hash"`
	Epoch string `json:"epoch,omitempty"` // the ledger's incarnation: a restore is told from a forgery
}

// LiveRow is one session. Ages are the writer's, at the time of writing.
type LiveRow struct {
	Session   string        // the tool's id for it
	Actor     string        // the person or role the work is for
	Agent     string        // the tool
	Change    string        // the change it works on, "" for none
	Base      string        // the commit it started from, "" when unknown
	State     string        // starting, idle, working, waiting, background, ended
	Event     string        // the last event, in the tool's words
	EventSeq  int64         // how many events the session had
	Age       time.Duration // since the last event
	Alive     bool          // its process was seen to run, AliveAge ago: then that counts in place of Age
	AliveAge  time.Duration
	Ctx       session.ContextUse // of the model's context window
	LastWrite string             // the path it wrote last, "" for none
	WriteAge  time.Duration      // since then; 0 when there was none
	Paths     []string           // what it works on
	View      string             // the work tree it is in
	Title     string             // what it is about, and what it asks: shared only where the writer's
	Asks      string             // configuration says so
}

// Encode writes the summary as live.json: at most MaxLiveRows rows, the newest
// first, in at most MaxLiveBytes. What does not fit is counted in dropped:
// first the lists of paths are cut, then the oldest rows go. l is not changed.
func (l Live) Encode() []byte {
	rows := append([]LiveRow(nil), l.Rows...)
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Age != rows[j].Age {
			return rows[i].Age < rows[j].Age
		}
		return rows[i].Session < rows[j].Session
	})
	all := int64(len(rows)) + l.Dropped
	if len(rows) > MaxLiveRows {
		rows = rows[:MaxLiveRows]
	}
	var out []byte
	for _, paths := range []int{MaxLivePaths, 16, 4, 1, 0} {
		l.Rows, l.Dropped = rows, all-int64(len(rows))
		if out = l.AppendTo(out[:0], paths); len(out) <= MaxLiveBytes {
			return out
		}
	}
	// A row without paths is bounded, so this ends: the head alone fits.
	for len(rows) > 0 {
		rows = rows[:len(rows)-1]
		l.Rows, l.Dropped = rows, all-int64(len(rows))
		if out = l.AppendTo(out[:0], 0); len(out) <= MaxLiveBytes {
			return out
		}
	}
	return out
}

func (l *Live) AppendTo(b []byte, paths int) []byte {
	b = append(b, `{"schema":"`+LiveSchema+`","repo":`...)
	b = model.AppendString(b, model.CutText(l.Repo, 1024))
	b = append(b, `,"machine":`...)
	b = model.AppendString(b, l.Machine)
	b = append(b, `,"agent":`...)
	b = appendOptional(b, l.Agent)
	b = append(b, `,"boot":`...)
	b = model.AppendString(b, model.CutText(l.Boot, maxLiveText))
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, l.Seq, 10)
	b = append(b, `,"written_at":`...)
	b = model.AppendString(b, l.WrittenAt.String())
	b = append(b, `,"dropped":`...)
	b = strconv.AppendInt(b, l.Dropped, 10)
	b = append(b, `,"ledger":{"seq":`...)
	b = strconv.AppendInt(b, l.Ledger.Seq, 10)
	b = append(b, `,"hash":`...)
	b = appendOptional(b, l.Ledger.Hash)
	if l.Ledger.Epoch != "" {
		b = append(b, `,"epoch":`...)
		b = model.AppendString(b, model.CutText(l.Ledger.Epoch, maxLiveText))
	}
	b = append(b, `},"rows":[`...)
	for i := range l.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.Rows[i].AppendTo(b, paths)
	}
	return append(b, "]}\n"...)
}

func (r *LiveRow) AppendTo(b []byte, paths int) []byte {
	b = append(b, `{"session":`...)
	b = model.AppendString(b, model.CutText(r.Session, maxLiveText))
	b = append(b, `,"actor":`...)
	b = model.AppendString(b, model.CutText(r.Actor, maxLiveText))
	b = append(b, `,"agent":`...)
	b = model.AppendString(b, model.CutText(r.Agent, maxLiveText))
	b = append(b, `,"change":`...)
	b = appendOptional(b, r.Change)
	b = append(b, `,"base":`...)
	b = appendOptional(b, r.Base)
	b = append(b, `,"state":`...)
	b = model.AppendString(b, r.State)
	b = append(b, `,"event":`...)
	b = model.AppendString(b, model.CutText(r.Event, maxLiveText))
	b = append(b, `,"event_seq":`...)
	b = strconv.AppendInt(b, r.EventSeq, 10)
	b = append(b, `,"age_ms":`...)
	b = strconv.AppendInt(b, max(0, r.Age.Milliseconds()), 10)
	if r.Alive {
		b = append(b, `,"alive_ms":`...)
		b = strconv.AppendInt(b, max(0, r.AliveAge.Milliseconds()), 10)
	}
	b = append(b, `,"ctx":{"used":`...)
	b = appendKnown(b, r.Ctx.Used)
	b = append(b, `,"max":`...)
	b = appendKnown(b, r.Ctx.Max)
	b = append(b, `},"last_write":`...)
	b = appendOptional(b, r.LastWrite)
	b = append(b, `,"write_age_ms":`...)
	if r.LastWrite == "" {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, max(0, r.WriteAge.Milliseconds()), 10)
	}
	b = append(b, `,"paths":[`...)
	for i, p := range r.Paths {
		if i == paths {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = model.AppendString(b, model.CutText(p, maxLiveText))
	}
	b = append(b, `],"view":`...)
	b = appendOptional(b, r.View)
	if r.Title != "" {
		b = append(b, `,"title":`...)
		b = appendOptional(b, r.Title)
	}
	if r.Asks != "" {
		b = append(b, `,"asks":`...)
		b = appendOptional(b, r.Asks)
	}
	return append(b, '}')
}

func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return model.AppendString(b, model.CutText(s, maxLiveText))
}

func appendKnown(b []byte, n int64) []byte {
	if n <= 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n, 10)
}

// Cleaned returns the summary with every text fit for display.
func (l Live) Cleaned() Live {
	l.Repo, l.Agent, l.Boot = clean.Line(l.Repo), clean.Line(l.Agent), clean.Line(l.Boot)
	rows := make([]LiveRow, len(l.Rows))
	for i, r := range l.Rows {
		r.Session, r.Actor, r.Agent = clean.Line(r.Session), clean.Line(r.Actor), clean.Line(r.Agent)
		r.Change, r.Event = clean.Line(r.Change), clean.Line(r.Event)
		r.LastWrite, r.View = clean.Line(r.LastWrite), clean.Line(r.View)
		r.Title, r.Asks = clean.Line(r.Title), clean.Line(r.Asks)
		if len(r.Paths) > 0 {
			paths := make([]string, len(r.Paths))
			for j, p := range r.Paths {
				paths[j] = clean.Line(p)
			}
			r.Paths = paths
		}
		rows[i] = r
	}
	l.Rows = rows
	return l
}
