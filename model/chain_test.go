package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"binnacle/model/clean"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// anyDraft draws a draft that Check takes, and checks it.
func anyDraft() *rapid.Generator[Draft] {
	name := rapid.Map(rapid.OneOf(rapid.SampledFrom([]string{"ci", "disk", "a\"b\\c", "é😀", "\u202e", "\u2028"}), rapid.StringN(1, 20, 60)), func(s string) string {
		s = strings.Map(func(r rune) rune {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffd {
				return 'x'
			}
			return r
		}, strings.ToValidUTF8(s, "x"))
		if s == "" {
			return "x"
		}
		return s
	})
	return rapid.Custom(func(t *rapid.T) Draft {
		d := Draft{
			Topic:    rapid.StringMatching(`[A-Za-z0-9._-]{1,9}(/[a-z0-9]{1,5}){0,2}`).Draw(t, "topic"),
			Producer: name.Draw(t, "producer"),
			Kind:     rapid.SampledFrom(Kinds()).Draw(t, "kind"),
			Payload:  loosely(t, jsonObject(2).Draw(t, "payload")),
		}
		if rapid.Bool().Draw(t, "has a key") {
			d.Key = name.Draw(t, "key")
			d.State = rapid.SampledFrom([]string{"", "pending", "done"}).Draw(t, "state")
		}
		d.Causation = rapid.Int64Range(0, MaxExact).Draw(t, "causation")
		if err := d.Check(); err != nil {
			t.Fatalf("%+v: %v", d, err)
		}
		return d
	})
}

func TestChainProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var head Head
		var buf []byte
		prev, last := Genesis, Time(0)
		for i := range rapid.IntRange(1, 4).Draw(t, "events") {
			d := anyDraft().Draw(t, "draft")
			now := noon + Time(rapid.Int64Range(-1e9, 1e9).Draw(t, "now"))
			var e Event
			e, head, buf = head.Link(d, now, buf)
			if e.Seq != int64(i+1) || e.Prev != prev || e.TS < last || e.TS < now || e.TS != max(now, last) {
				t.Fatalf("event %d at %d after %d (now %d), prev %s after %s", e.Seq, e.TS, last, now, e.Prev, prev)
			}
			if head != (Head{Seq: e.Seq, Hash: e.Hash, TS: e.TS}) || head.Prev() != e.Hash {
				t.Fatalf("the head is %+v", head)
			}
			prev, last = e.Hash, e.TS
			checkExported(t, e)
		}
	})
}

// checkExported verifies an exported line as somebody else would: drop hash,
// canonicalise, hash.
func checkExported(t tester, e Event) {
	line := e.AppendJSON(nil)
	canonical := jsontext.Value(append([]byte(nil), line...))
	if err := canonical.Canonicalize(); err != nil || string(canonical) != string(line) {
		t.Fatalf("the line is not canonical (%v):\n%s\n%s", err, line, canonical)
	}
	members, ok := decode(t, line).(map[string]any)
	if !ok {
		t.Fatalf("no object: %s", line)
	}
	hash, _ := members["hash"].(string)
	delete(members, "hash")
	sum := sha256.Sum256([]byte(referenceJSON(members)))
	if hex.EncodeToString(sum[:]) != hash || hash != e.Hash {
		t.Fatalf("the hash of %s is not %s", referenceJSON(members), hash)
	}
	if got := string(e.AppendCanonical(nil)); got != referenceJSON(members) {
		t.Fatalf("\n got %s\nwant %s", got, referenceJSON(members))
	}
	var back Event
	if err := json.Unmarshal(line, &back); err != nil || !reflect.DeepEqual(back, e) {
		t.Fatalf("read back (%v):\n got %+v\nwant %+v", err, back, e)
	}
	marshalled, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !reflect.DeepEqual(decode(t, marshalled), decode(t, line)) {
		t.Fatalf("Marshal writes %s, not %s", marshalled, line)
	}
	if safe := clean.AppendJSON(nil, line); !reflect.DeepEqual(decode(t, safe), decode(t, line)) {
		t.Fatalf("made safe, the line means something else: %s", safe)
	}
}

func TestLinkVector(t *testing.T) {
	d := Draft{Topic: "build/log", Producer: "ci", Kind: KindNote, Payload: []byte(`{"text":"hi"}`)}
	e, head, _ := Head{}.Link(d, noon, nil)
	const canonical = `{"kind":"note","payload":{"text":"hi"},"prev":"` + Genesis + `","producer":"ci","seq":1,"topic":"build/log","ts":"2026-06-20T12:00:00.000000Z"}`
	if got := string(e.AppendCanonical(nil)); got != canonical {
		t.Errorf("got %s", got)
	}
	if e.Hash != HashOf([]byte(canonical)) {
		t.Errorf("hash %s", e.Hash)
	}
	d.Key, d.State, d.Causation, d.Kind = "disk", "pending", 1, KindSignal
	e, _, _ = head.Link(d, noon-1, nil)
	want := `{"causation":1,"hash":"` + e.Hash + `","key":"disk","kind":"signal","payload":{"text":"hi"},"prev":"` + head.Hash +
		`","producer":"ci","seq":2,"state":"pending","topic":"build/log","ts":"2026-06-20T12:00:00.000000Z"}`
	if got := string(e.AppendJSON(nil)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestMarshalRefusesAnEventWithoutPayload(t *testing.T) {
	if b, err := json.Marshal(Event{Seq: 3}); err == nil {
		t.Errorf("%s", b)
	}
}

func TestUnmarshalEventRefuses(t *testing.T) {
	for _, s := range []string{`[]`, `{"seq":"1"}`, `{"ts":"yesterday"}`, `{"ts":5}`} {
		var e Event
		if err := json.Unmarshal([]byte(s), &e); err == nil {
			t.Errorf("%s is read as %+v", s, e)
		}
	}
}
