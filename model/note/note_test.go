package note

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"binnacle/model"

	"pgregory.net/rapid"
)

// noon is the present in these tests.
const noon = model.Time(1781956800000000) // 2026-06-20T12:00:00Z

func fact(t *rapid.T, seq int64, topic, state, who string, payload any) model.Event {
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	return model.Event{
		Seq: seq, TS: noon + model.Time(seq)*20*60_000_000, Topic: topic, Producer: who, Kind: model.KindCoord, Key: "7", State: state,
		Causation: seq - 1, Payload: raw,
	}
}

// TestNoteWalk sends random facts through the reducer: only the table's arrows
// are taken, a refusal changes nothing, and what has no meaning in a state is not
// there.
func TestNoteWalk(t *testing.T) {
	m := Machine()
	topics := []string{TopicAdded, TopicSuperseded, TopicEndorsed, TopicRetracted, TopicReported, TopicUnreported}
	rapid.Check(t, func(t *rapid.T) {
		var n Note
		for seq := int64(1); seq < 30; seq++ {
			topic := rapid.SampledFrom(topics).Draw(t, "topic")
			if n.State == "" && rapid.Bool().Draw(t, "begin") {
				topic = TopicAdded
			}
			who := rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "who")
			to, legal := m.To(n.State, actionOf[topic])
			state := to
			if !legal || rapid.IntRange(0, 9).Draw(t, "lie") == 0 {
				state = rapid.SampledFrom(m.States()).Draw(t, "state")
			}
			var p any = struct{}{}
			switch topic {
			case TopicAdded:
				p = Added{Trust: Agent, Untrusted: Outsides{Path: "a/b"}}
			case TopicSuperseded:
				p = Changed{By: "9"}
			}
			e := fact(t, seq, topic, state, who, p)
			before := fmt.Sprintf("%+v", n)
			was := n
			err := n.Apply(e)
			if good := legal && state == to; good != (err == nil) {
				t.Fatalf("%s from %q to %q: %v", topic, was.State, state, err)
			}
			if err != nil {
				if before != fmt.Sprintf("%+v", n) {
					t.Fatalf("a refusal changed %s to %+v", before, n)
				}
				continue
			}
			if n.Rev != was.Rev+1 || n.LastSeq != seq || n.FirstSeq > seq {
				t.Fatalf("rev %d -> %d, %+v", was.Rev, n.Rev, n)
			}
			if (n.State != was.State) != (n.Since == e.TS) && topic != TopicAdded {
				t.Fatalf("since %v", n)
			}
			if hidden := n.State == Reported; (n.ReportedBy != "") != hidden || (n.WhySeq != 0) && !hidden {
				t.Fatalf("%s is reported by %q", n.State, n.ReportedBy)
			}
			if (n.SupersededBy != "") != (n.State == Superseded) {
				t.Fatalf("%s is superseded by %q", n.State, n.SupersededBy)
			}
			if (n.EndorsedBy != "") != (n.EndorsedAt != 0) {
				t.Fatalf("%+v", n)
			}
			for _, r := range n.Reports {
				if n.Reports[len(n.Reports)-1].At-r.At >= CapHour {
					t.Fatalf("an old report is kept: %v", n.Reports)
				}
			}
			if topic == TopicReported && n.Reports[len(n.Reports)-1] != (Report{Seq: seq, By: who, At: e.TS}) {
				t.Fatalf("the report is not counted: %v", n.Reports)
			}
			if m.Final(n.State) != (n.State == Superseded || n.State == Retracted) {
				t.Fatalf("%s is final", n.State)
			}
		}
	})
}

func TestAFactThatLacksWhatItNeeds(t *testing.T) {
	for name, payload := range map[string]string{
		"no path": `{"trust":"human","untrusted":{}}`, "no trust": `{"untrusted":{"path":"a"}}`,
		"another trust": `{"trust":"root","untrusted":{"path":"a"}}`, "no object": `[]`,
	} {
		var n Note
		err := n.Apply(model.Event{Seq: 1, Topic: TopicAdded, Producer: "p", Key: "7", State: Open, Payload: json.RawMessage(payload)})
		if model.CodeOf(err) != model.CodeCorrupt || n.State != "" {
			t.Errorf("%s: %v, %+v", name, err, n)
		}
	}
	var n Note
	if err := n.Apply(model.Event{Seq: 1, Topic: "note.eaten", State: Open, Payload: json.RawMessage(`{}`)}); model.CodeOf(err) != model.CodeInvalid {
		t.Error(err)
	}
}

func TestTextComesBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[a-zé][a-z é,.]{0,30}[a-z]`)
		in := Text{Title: line.Draw(t, "title"), Anchor: "f()", Model: "m-1"}
		if rapid.Bool().Draw(t, "body") {
			in.Body = strings.Join(rapid.SliceOfN(line, 1, 5).Draw(t, "lines"), "\n\n")
		}
		if err := in.Check(); err != nil {
			t.Fatal(err)
		}
		e := fact(t, 3, TopicText, "", "p", in.Payload())
		var out Text
		if err := out.Apply(e); err != nil {
			t.Fatal(err)
		}
		in.ID, in.State, in.FirstSeq, in.LastSeq = "7", Written, 3, 3
		if in != out {
			t.Fatalf("%+v came back as %+v", in, out)
		}
		if err := out.Apply(e); model.CodeOf(err) != model.CodeRefused || in != out {
			t.Fatalf("a second text: %v", err)
		}
		if err := out.Apply(fact(t, 5, TopicText, "", "p", TextPayload{Text: "wrong", Report: true})); err != nil {
			t.Fatal(err)
		}
		if out.Why != "wrong" || out.WhySeq != 5 || out.Title != in.Title || out.Body != in.Body {
			t.Fatalf("%+v", out)
		}
	})
	var none Text
	if err := none.Apply(model.Event{Seq: 1, Key: "7", Payload: json.RawMessage(`{"text":"x","report":true}`)}); err == nil {
		t.Error("a report of a note without a text")
	}
}

func TestPaths(t *testing.T) {
	long := strings.Repeat("a/", 127) + "aa"
	for _, p := range []string{".", "a", "a/b.go", "ä ö/ü", "..a/b..", long} {
		if err := CheckPath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{
		"", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.", long + "a", "a\nb", "a\tb", "a\u200bb", "a\u202eb", "a\xff", "a\U000e0041",
	} {
		if err := CheckPath(p); model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("%q: %v", p, err)
		}
	}
	if got := Above("a/b/c"); !slices.Equal(got, []string{"a/b/c", "a/b", "a", "."}) {
		t.Error(got)
	}
	if got := Above("."); !slices.Equal(got, []string{"."}) {
		t.Error(got)
	}
}

// TestTextRule: what can't be seen is refused in each field, and nothing is cut out.
func TestTextRule(t *testing.T) {
	hidden := []string{"\x00", "\x1b", "\u0085", "\u202e", "\u2066", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\ufeff", "\ufff9", "\U000e0041", "\u2060", "\xff"}
	ok := Text{Title: "t", Body: "b\nb\tb", Anchor: "a", Model: "m", Why: "w\nw"}
	if err := ok.Check(); err != nil {
		t.Fatal(err)
	}
	fields := map[string]func(*Text) *string{
		"title":  func(t *Text) *string { return &t.Title },
		"body":   func(t *Text) *string { return &t.Body },
		"anchor": func(t *Text) *string { return &t.Anchor },
		"model":  func(t *Text) *string { return &t.Model },
		"reason": func(t *Text) *string { return &t.Why },
	}
	most := map[string]int{"title": MaxTitle, "body": MaxBody, "anchor": MaxAnchor, "model": MaxModel, "reason": MaxWhy}
	for name, field := range fields {
		bad := append([]string{"  ", "x" + strings.Repeat("y", most[name])}, hidden...)
		if name != "body" && name != "reason" {
			bad = append(bad, "a\nb", "a\tb")
		}
		for _, s := range bad {
			x := ok
			*field(&x) = "a" + s
			if len(s) > 100 || s == "  " {
				*field(&x) = s
			}
			err := x.Check()
			if model.CodeOf(err) != model.CodeInvalid || !strings.Contains(err.Error(), "the "+name) {
				t.Errorf("%s %q: %v", name, s[:min(len(s), 9)], err)
			}
		}
		x := ok
		if *field(&x) = strings.Repeat("y", most[name]); x.Check() != nil {
			t.Errorf("a %s of %d bytes: %v", name, most[name], x.Check())
		}
	}
	if err := (Text{}).Check(); err == nil {
		t.Error("no title")
	}
}

func TestFreshness(t *testing.T) {
	for _, c := range []struct {
		then, now string
		read      bool
		want      Freshness
	}{
		{"a", "a", true, Fresh},
		{"a", "b", true, Stale},
		{"a", "", true, Stale},
		{"a", "", false, Unknown},
		{"", "a", true, Unknown},
		{"", "", true, Unknown},
	} {
		if got := FreshnessOf(c.then, c.now, c.read); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestOrder: endorsed, human, agent; fresh before stale; the nearest; the newest.
func TestOrder(t *testing.T) {
	type row struct {
		n Note
		f Freshness
	}
	endorsed := func(p string, trust Trust, seq int64) Note {
		return Note{Path: p, Trust: trust, FirstSeq: seq, EndorsedBy: "o"}
	}
	want := []row{
		{endorsed("a/b", Agent, 1), Fresh},
		{endorsed("a", Agent, 9), Fresh},
		{endorsed("a/b", Agent, 9), Unknown},
		{Note{Path: "a/b", Trust: Human, FirstSeq: 3}, Fresh},
		{Note{Path: "a/b", Trust: Human, FirstSeq: 2}, Fresh},
		{Note{Path: ".", Trust: Human, FirstSeq: 8}, Fresh},
		{endorsed("a/b", Human, 1), Stale}, // lapsed
		{Note{Path: "a/b", Trust: Agent, FirstSeq: 4}, Fresh},
		{Note{Path: "a/b", Trust: Agent, FirstSeq: 4}, Unknown},
		{endorsed("a/b", Agent, 5), Stale}, // lapsed
		{Note{Path: "a", Trust: Agent, FirstSeq: 7}, Stale},
	}
	for i := range want {
		for k := range want {
			a, b := want[i], want[k]
			got := Compare(&a.n, &b.n, a.f, b.f, true)
			if i < k && got >= 0 || i == k && got != 0 || i > k && got <= 0 {
				t.Errorf("%d against %d: %d", i, k, got)
			}
		}
	}
	old, far := Note{Path: "a/b", FirstSeq: 1}, Note{Path: "a", FirstSeq: 2}
	if Compare(&old, &far, Fresh, Fresh, false) < 0 {
		t.Error("where no path was asked for, none is nearer")
	}
}
