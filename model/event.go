package model

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"binnacle/model/clean"
)

// Kind says what sort of fact an event is.
type Kind string

// The kinds, in the order in which they are shown.
const (
	KindNote      Kind = "note"
	KindSignal    Kind = "signal"
	KindMetric    Kind = "metric"
	KindWork      Kind = "work"
	KindGeneric   Kind = "generic"
	KindDirective Kind = "directive"
	KindCoord     Kind = "coord"
	KindSystem    Kind = "system"
)

// Kinds lists every kind, in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{KindNote, KindSignal, KindMetric, KindWork, KindGeneric, KindDirective, KindCoord, KindSystem}
}

// Valid says whether k is one of Kinds.
func (k Kind) Valid() bool {
	for _, x := range Kinds() {
		if x == k {
			return true
		}
	}
	return false
}

// Bounds of an envelope's fields, in bytes.
const (
	MaxTopic    = 255
	MaxProducer = 128
	MaxKey      = 255
	MaxState    = 32
)

// Event is one line of the ledger: the envelope and the payload, as they were
// hashed. The payload is canonical JSON (an object). Causation 0 is none.
type Event struct {
	Seq       int64
	TS        Time
	Topic     string
	Producer  string
	Kind      Kind
	Key       string
	State     string
	Causation int64
	Payload   json.RawMessage
	Prev      string
	Hash      string
}

// Draft is an event before it has a place in the chain. Payload may be any
// JSON; Check makes it canonical.
type Draft struct {
	Topic     string
	Producer  string
	Kind      Kind
	Key       string
	State     string
	Causation int64
	Payload   json.RawMessage
}

// Check validates the envelope's fields and brings the payload into canonical
// form. It does not check the kind's contract (CheckEmit does) nor the record's
// state machine (the reducers do).
func (d *Draft) Check() error {
	if err := CheckTopic(d.Topic); err != nil {
		return err
	}
	if err := CheckProducer(d.Producer); err != nil {
		return err
	}
	if !d.Kind.Valid() {
		return Errorf(CodeInvalid, "%q is not a kind", clean.Line(string(d.Kind))).
			WithHint("the kinds are note, signal, metric and generic; binnacle ledger kinds prints them")
	}
	if d.Key != "" {
		if err := CheckName("key", d.Key, MaxKey); err != nil {
			return err
		}
	}
	if len(d.State) > MaxState {
		return Errorf(CodeInvalid, "the state has %d bytes; at most %d fit", len(d.State), MaxState)
	}
	if d.State != "" {
		if err := CheckName("state", d.State, MaxState); err != nil {
			return err
		}
	}
	if d.Causation < 0 {
		return Errorf(CodeInvalid, "causation must be the sequence number of an earlier event, not %d", d.Causation)
	}
	p, err := CanonicalObject(d.Payload)
	if err != nil {
		return err
	}
	d.Payload = p
	return nil
}

// CheckTopic refuses what is not 1 to 255 bytes of segments of [A-Za-z0-9._-]
// joined by single slashes.
func CheckTopic(s string) error {
	bad := func(why string) error {
		return Errorf(CodeInvalid, "the topic %q %s", clean.Line(CutBytes(s, 80)), why).
			WithHint("write segments of letters, digits, dot, underscore and dash, joined by slashes, e.g. build/log")
	}
	switch {
	case s == "":
		return bad("is empty")
	case len(s) > MaxTopic:
		return bad("is longer than 255 bytes")
	case s[0] == '/' || s[len(s)-1] == '/' || strings.Contains(s, "//"):
		return bad("has an empty segment")
	}
	for i := 0; i < len(s); i++ {
		if !IsTopicByte(s[i]) && s[i] != '/' {
			return bad("has a character that topics can't have")
		}
	}
	return nil
}

// IsTopicByte says whether c may stand in a topic's segment.
func IsTopicByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
}

// Self is the name under which Binnacle itself writes what nobody asked for:
// leases that ran out, deferrals whose time has come, signals that expired.
const Self = "binnacle"

// CheckProducer refuses what is not 1 to 128 bytes of UTF-8 without controls.
func CheckProducer(s string) error {
	return CheckName("producer", s, MaxProducer)
}

// CheckName refuses what is not 1 to most bytes of UTF-8 without controls;
// field names it in the refusal.
func CheckName(field, s string, most int) error {
	switch {
	case s == "":
		return Errorf(CodeInvalid, "the %s is empty", field)
	case len(s) > most:
		return Errorf(CodeInvalid, "the %s has %d bytes; at most %d fit", field, len(s), most)
	case !utf8.ValidString(s):
		return Errorf(CodeInvalid, "the %s is not valid UTF-8", field)
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return Errorf(CodeInvalid, "the %s has a control character", field)
		}
	}
	return nil
}

// IsWord says whether s is one word of letters, digits and ._:/@+-, such as an id
// or a name, with which nothing can be said to whoever reads it.
func IsWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if !IsTopicByte(s[i]) && strings.IndexByte(":/@+", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

func CutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// CutText bounds a text and makes it valid UTF-8, so that what is written can
// always be read.
func CutText(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return CutBytes(s, most-len("…"))
}
