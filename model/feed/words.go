package feed

import (
	"encoding/json"
	"fmt"
	"strings"

	"binnacle/model"
	"binnacle/model/note"
	"binnacle/model/session"
)

// saidPaths is how many paths a sentence names; the others are counted.
const saidPaths = 5

// Says is what a fact about a session or a note says, as one sentence without
// its subject: who wrote the event stands elsewhere. It is "" for every other
// event, and for one whose payload is not such a fact's. It is not cleaned: it
// has paths and names in it as somebody wrote them.
func Says(e *model.Event) string {
	if e.Kind != model.KindCoord {
		return ""
	}
	var f fact
	if json.Unmarshal(e.Payload, &f) != nil {
		return ""
	}
	switch {
	case f.Incarnation > 0:
		return f.ofSession(e.Topic, e.Key)
	case f.Untrusted.Path != "":
		return f.ofNote(e.Topic, e.Key)
	}
	return ""
}

// fact is what of a payload is said.
type fact struct {
	Incarnation int64  `json:"incarnation"` // every fact about a session has one
	Was         string `json:"was"`
	Change      string `json:"change"`
	Reason      string `json:"reason"`
	LandedAs    string `json:"landed_as"`
	Supersedes  string `json:"supersedes"`
	By          string `json:"by"` // the note that stands in the place of one
	Untrusted   struct {
		Path     string   `json:"path"` // every fact about a note has one
		Paths    []string `json:"paths"`
		LandedAs string   `json:"landed_as"`
	} `json:"untrusted"`
}

func (f *fact) ofSession(topic, key string) string {
	switch topic {
	case session.TopicStarted:
		verb := " started"
		if f.Incarnation > 1 {
			verb = " came back"
		}
		return key + verb + f.on()
	case session.TopicPaths:
		if len(f.Untrusted.Paths) == 0 {
			return key + " is on no paths now"
		}
		return key + " is" + f.on()
	case session.TopicState:
		s := key + " was " + f.Was
		if f.Change != "" {
			s += ", is on the change " + f.Change
		}
		return s
	case session.TopicEnded:
		s := key + " ended"
		switch {
		case f.LandedAs != "":
			s += ", landed as " + f.LandedAs[:min(len(f.LandedAs), 8)]
		case f.Untrusted.LandedAs != "":
			s += ", landed as " + f.Untrusted.LandedAs
		}
		if f.Reason != "" {
			s += ": " + f.Reason
		}
		return s
	}
	return ""
}

// on names the first of the paths.
func (f *fact) on() string {
	paths := f.Untrusted.Paths
	switch n := len(paths); {
	case n == 0:
		return ""
	case n > saidPaths:
		return fmt.Sprintf(" on %s and %d more", strings.Join(paths[:saidPaths], " "), n-saidPaths)
	}
	return " on " + strings.Join(paths, " ")
}

// noteVerbs say what was done to a note.
var noteVerbs = map[string]string{
	note.TopicAdded: "added", note.TopicSuperseded: "superseded", note.TopicEndorsed: "endorsed",
	note.TopicRetracted: "retracted", note.TopicReported: "reported", note.TopicUnreported: "unreported",
}

func (f *fact) ofNote(topic, key string) string {
	verb := noteVerbs[topic]
	if verb == "" {
		return ""
	}
	s := verb + " note " + key + " on " + f.Untrusted.Path
	switch {
	case f.Supersedes != "":
		s += " in place of " + f.Supersedes
	case f.By != "":
		s += " by note " + f.By
	}
	return s
}
