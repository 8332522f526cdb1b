package cli

import (
	"encoding/json"
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/feed"
	"binnacle/views/text"
)

// EventLine is one event as people read it: sequence number, local time, kind, state,
// producer, topic, key, and what it says. It is not cleaned.
func (r *Run) EventLine(e model.Event) string {
	kind := string(e.Kind)
	if e.State != "" {
		kind += " " + e.State
	}
	cells := []string{
		text.PadLeft("#"+Itoa(e.Seq), 7), e.TS.In(r.Env.Zone), text.Pad(kind, 18),
		text.Pad(clean.Line(e.Producer), 12), text.Pad(clean.Line(e.Topic), 18),
	}
	said := feed.Says(&e) // with the key
	if said == "" {
		if e.Key != "" && e.Key != Itoa(e.Seq) {
			cells = append(cells, "["+e.Key+"]")
		}
		said = says(e)
	}
	return strings.TrimRight(strings.Join(append(cells, said), " "), " ")
}

// says is the part of the payload that a person wants to see: the text, the
// summary, the metric, the action; else the payload itself.
func says(e model.Event) string {
	var p struct {
		Text     string          `json:"text"`
		Summary  string          `json:"summary"`
		Name     string          `json:"name"`
		Value    json.RawMessage `json:"value"`
		Unit     string          `json:"unit"`
		Action   string          `json:"action"`
		Executor string          `json:"executor"`
		By       string          `json:"by"`
		Why      string          `json:"why"`
		Reason   string          `json:"reason"`
		Body     string          `json:"body"`
	}
	if json.Unmarshal(e.Payload, &p) != nil {
		return string(e.Payload)
	}
	words := func(all ...string) string {
		var out []string
		for _, w := range all {
			if w != "" {
				out = append(out, w)
			}
		}
		return strings.Join(out, " ")
	}
	switch e.Kind {
	case model.KindNote:
		return p.Text
	case model.KindSignal:
		by := ""
		if p.By != "" {
			by = "by " + p.By
		}
		return words(p.Summary, by, p.Reason)
	case model.KindMetric:
		return words(p.Name, "=", number64(p.Value), p.Unit)
	case model.KindWork:
		return words(p.Action, p.Executor, p.Reason)
	case model.KindDirective:
		return words(p.Action, p.By, p.Why, p.Body)
	}
	return string(e.Payload)
}

// number64 is a JSON number as it is written, without the trailing form that
// only machines want.
func number64(raw json.RawMessage) string {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return string(raw)
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}

// Event prints one event: a line of JSON, or a line for people.
func (r *Run) Event(e model.Event) error {
	if r.JSON {
		return r.WriteEvent(e)
	}
	return r.Say(r.EventLine(e))
}

// WriteEvent writes one event as a line of JSON: as it is exported, with what
// is unsafe to print raw escaped.
func (r *Run) WriteEvent(e model.Event) error {
	line := e.AppendJSON(make([]byte, 0, len(e.Payload)+320))
	line = clean.AppendJSON(make([]byte, 0, len(line)+16), line)
	_, err := r.Out.Write(append(line, '\n'))
	return err
}
