package note

import "binnacle/model"

// The states of a note.
const (
	Open       = "open"
	Superseded = "superseded" // another note stands in its place
	Retracted  = "retracted"  // its writer took it back
	Reported   = "reported"   // somebody reported it: hidden until the report is taken back
)

// The topics of a note's facts (kind coord, key the note's id, state the note's
// after the fact). The producer is who did it.
const (
	TopicAdded      = "note.added"
	TopicSuperseded = "note.superseded"
	TopicEndorsed   = "note.endorsed"
	TopicRetracted  = "note.retracted"
	TopicReported   = "note.reported"
	TopicUnreported = "note.unreported"
)

// TopicText is the topic of what is written about notes: their own texts, and
// why one was reported (kind note, key the note's id).
const TopicText = "note.text"

// The actions, as they are typed.
const (
	ActAdd       = "add"
	ActSupersede = "supersede"
	ActEndorse   = "endorse"
	ActRetract   = "retract"
	ActReport    = "report"
	ActUnreport  = "unreport"
)

// actionOf is the action that a fact tells of.
var actionOf = map[string]string{
	TopicAdded: ActAdd, TopicSuperseded: ActSupersede, TopicEndorsed: ActEndorse,
	TopicRetracted: ActRetract, TopicReported: ActReport, TopicUnreported: ActUnreport,
}

// Machine is how notes live. An endorsement is no state: it stands on a note that
// is open, and lapses for as long as the note is stale.
func Machine() model.Machine {
	return model.Machine{Noun: "note", Steps: []model.Step{
		model.Arrow("", ActAdd, Open),
		model.Arrow(Open, ActEndorse, Open),
		model.Arrow(Open, ActSupersede, Superseded),
		model.Arrow(Open, ActRetract, Retracted),
		model.Arrow(Open, ActReport, Reported),
		model.Arrow(Reported, ActUnreport, Open),
		model.Arrow(Reported, ActRetract, Retracted),
	}}
}
