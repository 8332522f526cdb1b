package feed_test

import (
	"encoding/json"
	"testing"

	"binnacle/model"
	"binnacle/model/feed"
	"binnacle/model/note"
	"binnacle/model/session"
)

func TestSays(t *testing.T) {
	for name, c := range map[string]struct{ topic, payload, want string }{
		"started":       {"session.started", `{"incarnation":1,"act":"prompt","task":"0123456789abcdef","untrusted":{"paths":["a/","b"],"model":"m"}}`, "k started on a/ b"},
		"started bare":  {"session.started", `{"incarnation":1,"act":"start"}`, "k started"},
		"came back":     {"session.started", `{"incarnation":2,"act":"prompt","untrusted":{"paths":["a"]}}`, "k came back on a"},
		"many paths":    {"session.paths", `{"incarnation":1,"untrusted":{"paths":["1","2","3","4","5","6","7"]}}`, "k is on 1 2 3 4 5 and 2 more"},
		"no paths":      {"session.paths", `{"incarnation":1}`, "k is on no paths now"},
		"state":         {"session.state", `{"incarnation":1,"act":"stop","was":"working"}`, "k was working"},
		"bound":         {"session.state", `{"incarnation":1,"act":"tool","was":"working","change":"c-9"}`, "k was working, is on the change c-9"},
		"ended":         {"session.ended", `{"incarnation":1,"act":"end","was":"idle","reason":"silent","untrusted":{"paths":["a"]}}`, "k ended: silent"},
		"landed":        {"session.ended", `{"incarnation":1,"act":"end","reason":"command","untrusted":{"landed_as":"refs/heads/main"}}`, "k ended, landed as refs/heads/main: command"},
		"landed commit": {"session.ended", `{"incarnation":1,"act":"end","landed_as":"c642ed8e1edb5412ea459a53f7997501fb70b15c"}`, "k ended, landed as c642ed8e"},
		"added":         {"note.added", `{"trust":"agent","at":"c642","untrusted":{"path":"a/b"}}`, "added note k on a/b"},
		"in place":      {"note.added", `{"trust":"agent","supersedes":"7","untrusted":{"path":"a/b"}}`, "added note k on a/b in place of 7"},
		"superseded":    {"note.superseded", `{"by":"9","untrusted":{"path":"a/b"}}`, "superseded note k on a/b by note 9"},
		"endorsed":      {"note.endorsed", `{"untrusted":{"path":"a/b"}}`, "endorsed note k on a/b"},
		"retracted":     {"note.retracted", `{"untrusted":{"path":"a/b"}}`, "retracted note k on a/b"},
		"reported":      {"note.reported", `{"untrusted":{"path":"a/b"}}`, "reported note k on a/b"},
		"unreported":    {"note.unreported", `{"untrusted":{"path":"a/b"}}`, "unreported note k on a/b"},
		"another topic": {"note.eaten", `{"untrusted":{"path":"a/b"}}`, ""},
		"a landing":     {"ref.landed", `{"commit":"c642","untrusted":{"paths":["a"]}}`, ""},
		"no fact":       {"session.started", `{"agent":"claude-code"}`, ""},
		"no object":     {"note.added", `[]`, ""},
		"damaged":       {"note.added", `{"untrusted":{"pa`, ""},
		"another type":  {"session.paths", `{"incarnation":"1"}`, ""},
	} {
		e := model.Event{Kind: model.KindCoord, Topic: c.topic, Key: "k", Payload: json.RawMessage(c.payload)}
		if got := feed.Says(&e); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if e.Kind = model.KindNote; feed.Says(&e) != "" {
			t.Errorf("%s is said of an event that is no fact", name)
		}
	}
}

// What the machines of sessions and notes write has words: no fact of theirs is
// shown by its members.
func TestFactsOfTheMachinesHaveWords(t *testing.T) {
	about := session.Session{Tool: "t", ID: "1", Actor: "ada"}
	s, facts := session.Session{}, 0
	for i, act := range []session.Act{session.ActSpawn, session.ActStart, session.ActTool, session.ActAsk, session.ActStop, session.ActEnd, session.ActStart} {
		for _, d := range s.Next(about, session.Report{Act: act, Paths: []string{"a/" + string(act)}}, model.Time(i)*session.LateTool*9) {
			e := model.Event{Seq: int64(i + 1), TS: model.Time(i) * session.LateTool * 9, Kind: d.Kind, Topic: d.Topic, Key: d.Key, State: d.State, Producer: "ada", Payload: d.Payload}
			if feed.Says(&e) == "" {
				t.Errorf("no words for %s %s", d.Topic, d.Payload)
			}
			if err := s.Apply(e); err != nil {
				t.Fatal(err)
			}
			facts++
		}
	}
	if facts < 8 {
		t.Errorf("only %d facts", facts)
	}
	for topic, p := range map[string]any{
		note.TopicAdded: note.Added{Untrusted: note.Outsides{Path: "a"}}, note.TopicSuperseded: note.Changed{By: "9", Untrusted: note.Outsides{Path: "a"}},
		note.TopicUnreported: note.Changed{Untrusted: note.Outsides{Path: "a"}},
	} {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if feed.Says(&model.Event{Kind: model.KindCoord, Topic: topic, Key: "7", Payload: raw}) == "" {
			t.Errorf("no words for %s %s", topic, raw)
		}
	}
}
