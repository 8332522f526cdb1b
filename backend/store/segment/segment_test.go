package segment_test

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"binnacle/backend/store/segment"
	"binnacle/model"
)

// chain links drafts behind what a head says.
func chain(at model.Head, texts ...string) (events []model.Event) {
	for _, text := range texts {
		d := model.Draft{Topic: "build/log", Producer: "p" + text, Kind: model.KindNote, Key: text, Payload: []byte(`{"text":` + string(model.AppendString(nil, text)) + `}`)}
		e, next, _ := at.Link(d, at.TS+1, nil)
		events, at = append(events, e), next
	}
	return events
}

// What was packed comes back.
func TestWhatWasPackedComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringN(0, 20, 60), 1, 30).Draw(rt, "texts")
		at := model.Head{Seq: rapid.Int64Range(0, 1<<40).Draw(rt, "seq"), Hash: model.Genesis, TS: model.Time(rapid.Int64Range(1, 1<<50).Draw(rt, "ts"))}
		events := chain(at, texts...)
		s, file, err := segment.Pack(events)
		if err != nil || s.Events() != int64(len(events)) {
			rt.Fatalf("%+v %v", s, err)
		}
		back, err := segment.Unpack(s, file)
		if err != nil || len(back) != len(events) {
			rt.Fatal(err)
		}
		for i := range back {
			if !bytes.Equal(back[i].AppendJSON(nil), events[i].AppendJSON(nil)) {
				rt.Fatalf("%s\n%s", back[i].AppendJSON(nil), events[i].AppendJSON(nil))
			}
		}
	})
}

// A file that was made anew, with the right checksum, is held against the chain.
func TestUnpackRefuses(t *testing.T) {
	events := chain(model.Head{}, "a", "b", "c", "d")
	good, _, err := segment.Pack(events)
	if err != nil {
		t.Fatal(err)
	}
	forged := chain(model.Head{}, "a", "b", "X", "d")
	for name, some := range map[string][]model.Event{
		"another payload": forged, "one left out": {events[0], events[2], events[3]}, "the end": events[:3],
		"the beginning": events[1:], "another order": {events[1], events[0], events[2], events[3]}, "one more": append(append([]model.Event{}, events...), forged[3]),
	} {
		t.Run(name, func(t *testing.T) {
			made, file, err := segment.Pack(some)
			if err != nil {
				t.Fatal(err)
			}
			s := good
			s.Bytes, s.SHA256 = made.Bytes, made.SHA256
			if _, err := segment.Unpack(s, file); model.CodeOf(err) != model.CodeCorrupt || err == nil {
				t.Fatalf("%v", err)
			}
		})
	}
}

// FuzzUnpack: whatever is in a file, reading it ends, in bounded memory, and what
// it accepts is canonical.
func FuzzUnpack(f *testing.F) {
	events := chain(model.Head{}, "a", "b")
	s, file, err := segment.Pack(events)
	if err != nil {
		f.Fatal(err)
	}
	pack := func(text string) []byte {
		var out bytes.Buffer
		z, err := zstd.NewWriter(&out)
		if err == nil {
			_, err = z.Write([]byte(text))
		}
		if err != nil || z.Close() != nil {
			f.Fatal(err)
		}
		return out.Bytes()
	}
	line := string(events[0].AppendCanonical(nil))
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte{})
	f.Add(pack(""))
	f.Add(pack(line))
	f.Add(pack(line + "\n" + line + "\n"))
	f.Add(pack(" " + line + "\n"))
	f.Add(pack("{}\n[]\nnull\n"))
	f.Add(pack(string(bytes.Repeat([]byte{'\n'}, 12<<20))))
	f.Fuzz(func(t *testing.T, file []byte) {
		of := s
		of.Bytes, of.SHA256 = int64(len(file)), model.HashOf(file)
		got, err := segment.Unpack(of, file)
		if err != nil {
			if model.CodeOf(err) != model.CodeCorrupt {
				t.Fatal(err)
			}
			return
		}
		again, _, err := segment.Pack(got)
		if err != nil || again.Hash != of.Hash || again.First != of.First || again.Last != of.Last {
			t.Fatalf("%+v %v", again, err)
		}
	})
}
