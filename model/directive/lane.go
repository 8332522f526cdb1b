package directive

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/clean"
)

// A lane's name is text; a topic's segments are not, see CheckTopic. So the
// topic of a lane's events is queue/LANE where the name may stand there as it
// is, and queue/base64url/… otherwise: the name in RFC 4648's alphabet for URLs,
// without padding. The record keeps the name itself. No name stands for two
// topics, and none for another's.

// MaxLane bounds a lane's name, in bytes. In base64 it fits into a topic.
const MaxLane = 128

const (
	lanePrefix  = "queue/" // begins the topic of every directive's events
	laneEncoded = lanePrefix + "base64url/"
)

// CheckLane refuses what is not 1 to MaxLane bytes of clean text: what Clean
// would change can't be told from something else.
func CheckLane(lane string) error {
	bad := func(why string) error {
		return model.Errorf(model.CodeInvalid, "the lane %q %s", clean.Line(model.CutBytes(lane, 80)), why).
			WithHint("a lane is any text of 1 to %d bytes without control characters, e.g. release", MaxLane)
	}
	switch {
	case lane == "":
		return bad("is empty")
	case len(lane) > MaxLane:
		return bad("is longer than 128 bytes")
	case !utf8.ValidString(lane):
		return bad("is not valid UTF-8")
	case clean.Line(lane) != lane:
		return bad("has a character that can't be shown")
	}
	return nil
}

// Topic is the topic of a lane's events.
func Topic(lane string) string {
	for i := 0; i < len(lane); i++ {
		if !model.IsTopicByte(lane[i]) {
			return laneEncoded + base64.RawURLEncoding.EncodeToString([]byte(lane))
		}
	}
	return lanePrefix + lane
}

// LaneOf is the lane whose events have the topic. A topic that is no lane's is
// returned as it is. It allocates only for names that are encoded.
func LaneOf(topic string) string {
	if code, ok := strings.CutPrefix(topic, laneEncoded); ok {
		if name, err := base64.RawURLEncoding.DecodeString(code); err == nil {
			return string(name)
		}
	}
	return strings.TrimPrefix(topic, lanePrefix)
}

// LaneCounter takes the name of a counter of PlaneQueue apart: the lane, the
// priority and the status. ok is false where it is none.
func LaneCounter(name string) (lane string, p Priority, status string, ok bool) {
	end := strings.LastIndexByte(name, '/')
	if end < 0 {
		return "", 0, "", false
	}
	middle := strings.LastIndexByte(name[:end], '/')
	if middle < 0 {
		return "", 0, "", false
	}
	p, err := ParsePriority(name[middle+1 : end])
	return name[:middle], p, name[end+1:], err == nil
}

// Counter is the count that the directive stands in.
func Counter(d Directive) model.Counter {
	return model.Counter{Plane: model.PlaneQueue, Name: d.Lane + "/" + d.Priority.String() + "/" + d.Status}
}
