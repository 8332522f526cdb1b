package note

import (
	"encoding/json"

	"binnacle/model"
	"binnacle/model/clean"
)

// Trust says who wrote a note, as far as that is known.
type Trust string

// The trusts.
const (
	Human Trust = "human"
	Agent Trust = "agent"
)

// Note is a note as its facts add up, without its text.
type Note struct {
	ID           string // of its facts, as their key
	State        string
	Path         string // see CheckPath
	Writer       string
	Trust        Trust
	At           string // the commit that the work tree stood on, or that was named; "" is none
	Blob         string // what stood at the path then, as Git names it; "" is not known
	Supersedes   string // the note in whose place it stands, "" for none
	SupersededBy string
	EndorsedBy   string // "" for nobody; it holds while the note is not stale
	EndorsedAt   model.Time
	ReportedBy   string // who hides it, "" while nobody does
	WhySeq       int64  // the event that says why it was reported, 0 for none
	Reports      []Report
	Added        model.Time
	Since        model.Time // in State
	Rev          int64
	FirstSeq     int64
	LastSeq      int64
}

// Report is one that was made of a note. A note keeps those of the hour before
// its newest, by which reporters are held to their cap.
type Report struct {
	Seq int64      `json:"seq"`
	By  string     `json:"by"`
	At  model.Time `json:"at"`
}

// Added is what the fact of a new note says.
type Added struct {
	Trust      Trust    `json:"trust"`
	At         string   `json:"at,omitempty"`
	Blob       string   `json:"at_blob,omitempty"`
	Supersedes string   `json:"supersedes,omitempty"`
	Untrusted  Outsides `json:"untrusted"`
}

// Outsides is what a fact holds of the world outside.
type Outsides struct {
	Path string `json:"path"`
}

// Changed is what every later fact says.
type Changed struct {
	By        string   `json:"by,omitempty"` // of a note that was superseded: what stands in its place
	Untrusted Outsides `json:"untrusted"`
}

// Apply takes the note through one of its facts. One that the machine does not
// have is refused and leaves the note as it was.
func (n *Note) Apply(e model.Event) error {
	action, known := actionOf[e.Topic]
	if !known {
		return model.Errorf(model.CodeInvalid, "%s is not a fact of a note", clean.Line(e.Topic))
	}
	if to, ok := Machine().To(n.State, action); !ok {
		return Machine().Refuse(e.Key, n.State, action)
	} else if to != e.State {
		return model.Errorf(model.CodeCorrupt, "note %q: %s leads to %s, not to %s", clean.Line(e.Key), action, to, clean.Line(e.State))
	}
	next := *n
	switch action {
	case ActAdd:
		var p Added
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return unreadable(e, err)
		}
		if p.Trust != Human && p.Trust != Agent || p.Untrusted.Path == "" {
			return model.Errorf(model.CodeCorrupt, "note %q: its fact lacks the path or who wrote it", clean.Line(e.Key))
		}
		next = Note{
			ID: e.Key, Path: p.Untrusted.Path, Writer: e.Producer, Trust: p.Trust, At: p.At, Blob: p.Blob,
			Supersedes: p.Supersedes, Added: e.TS, FirstSeq: e.Seq,
		}
	case ActSupersede:
		var p Changed
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			return unreadable(e, err)
		}
		next.SupersededBy = p.By
	case ActEndorse:
		next.EndorsedBy, next.EndorsedAt = e.Producer, e.TS
	case ActReport:
		next.ReportedBy, next.WhySeq = e.Producer, e.Causation
		next.Reports = nil
		for _, r := range n.Reports {
			if e.TS-r.At < CapHour {
				next.Reports = append(next.Reports, r)
			}
		}
		next.Reports = append(next.Reports, Report{Seq: e.Seq, By: e.Producer, At: e.TS})
	}
	if action != ActReport {
		next.ReportedBy, next.WhySeq = "", 0
	}
	if next.State != e.State {
		next.State, next.Since = e.State, e.TS
	}
	next.LastSeq, next.Rev = e.Seq, n.Rev+1
	*n = next
	return nil
}

func unreadable(e model.Event, err error) error {
	return model.Errorf(model.CodeCorrupt, "note %q: event %d can't be read: %s", clean.Line(e.Key), e.Seq, model.JSONFault(nil, err))
}

// The caps of one principal, counted back from now.
const (
	CapHour       = model.Time(3600 * 1000 * 1000)
	CapDay        = 24 * CapHour
	HourlyNotes   = 30
	DailyNotes    = 100
	HourlyReports = 30
)
