package directive

import (
	"strings"
	"testing"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/clean"

	"pgregory.net/rapid"
)

func TestLanes(t *testing.T) {
	for lane, topic := range map[string]string{
		"release":                "queue/release",
		"a b":                    "queue/base64url/YSBi",
		"größe/日本":               "queue/base64url/Z3LDtsOfZS_ml6XmnKw",
		"base64url":              "queue/base64url",
		"base64url/YSBi":         "queue/base64url/YmFzZTY0dXJsL1lTQmk",
		strings.Repeat("x", 128): "queue/" + strings.Repeat("x", 128),
		"👩‍💻":                    "queue/base64url/8J-RqeKAjfCfkrs",
		"a,\"b\"*?":              "queue/base64url/YSwiYiIqPw",
	} {
		if err := CheckLane(lane); err != nil {
			t.Errorf("%q: %v", lane, err)
		}
		if got := Topic(lane); got != topic || LaneOf(got) != lane || model.CheckTopic(got) != nil {
			t.Errorf("%q: %s, back %q, %v", lane, got, LaneOf(got), model.CheckTopic(got))
		}
	}
	for _, lane := range []string{"", strings.Repeat("x", 129), "a\nb", "a\x00", "\x1b[2J", "a\u202eb", "a\u200bb", "\xff", "a\tb"} {
		if CheckLane(lane) == nil {
			t.Errorf("%q is taken", lane)
		}
	}
}

func TestLaneTopicsAreTheirOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			s := rapid.OneOf(rapid.String(), rapid.StringMatching(`(base64url/)?[a-zA-Z0-9._/ -]{1,40}`)).Draw(t, "s")
			if s = clean.Line(model.CutBytes(s, MaxLane)); len(s) > MaxLane || !utf8.ValidString(s) || s == "" {
				s = "x"
			}
			return s
		})
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if CheckLane(a) != nil || CheckLane(b) != nil {
			t.Skip("not clean")
		}
		ta, tb := Topic(a), Topic(b)
		if model.CheckTopic(ta) != nil || LaneOf(ta) != a || (ta == tb) != (a == b) {
			t.Fatalf("%q %q: %s %s", a, b, ta, tb)
		}
		lane, p, status, ok := LaneCounter(a + "/P2/" + StatusDone)
		if !ok || lane != a || p != P2 || status != StatusDone {
			t.Fatalf("%q: %q %s %s %v", a, lane, p, status, ok)
		}
	})
}
