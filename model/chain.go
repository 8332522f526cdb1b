package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// Genesis is the prev of the first event: 64 zeros.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// Head is the newest link of a chain. The zero Head is an empty ledger's.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
	TS   Time   `json:"ts"`
}

// Prev returns what the next event's prev must be.
func (h Head) Prev() string {
	if h.Seq == 0 {
		return Genesis
	}
	return h.Hash
}

// Link gives a checked draft its place after h: the next sequence number, a
// timestamp that never decreases, prev and hash. It returns the event and the
// new head. buf is scratch space that is returned for reuse.
func (h Head) Link(d Draft, now Time, buf []byte) (Event, Head, []byte) {
	e := Event{
		Seq: h.Seq + 1, TS: max(now, h.TS), Topic: d.Topic, Producer: d.Producer, Kind: d.Kind,
		Key: d.Key, State: d.State, Causation: d.Causation, Payload: d.Payload, Prev: h.Prev(),
	}
	buf = e.AppendCanonical(buf[:0])
	e.Hash = HashOf(buf)
	return e, Head{Seq: e.Seq, Hash: e.Hash, TS: e.TS}, buf
}

// HashOf returns the lower-case hex SHA-256 of b.
func HashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// AppendCanonical appends the bytes that are hashed: the RFC 8785 form of the
// envelope without hash. Absent fields (no key, state or causation) are left
// out.
func (e *Event) AppendCanonical(dst []byte) []byte { return e.append(dst, false) }

// AppendJSON appends the event as one line of JSON (no newline): canonical, as
// it is exported. Dropping "hash" from it gives AppendCanonical's bytes.
func (e *Event) AppendJSON(dst []byte) []byte { return e.append(dst, true) }

func (e *Event) append(dst []byte, withHash bool) []byte {
	dst = append(dst, '{')
	if e.Causation != 0 {
		dst = append(dst, `"causation":`...)
		dst = strconv.AppendInt(dst, e.Causation, 10)
		dst = append(dst, ',')
	}
	if withHash {
		dst = append(dst, `"hash":`...)
		dst = AppendString(dst, e.Hash)
		dst = append(dst, ',')
	}
	if e.Key != "" {
		dst = append(dst, `"key":`...)
		dst = AppendString(dst, e.Key)
		dst = append(dst, ',')
	}
	dst = append(dst, `"kind":`...)
	dst = AppendString(dst, string(e.Kind))
	dst = append(dst, `,"payload":`...)
	dst = append(dst, e.Payload...)
	dst = append(dst, `,"prev":`...)
	dst = AppendString(dst, e.Prev)
	dst = append(dst, `,"producer":`...)
	dst = AppendString(dst, e.Producer)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendInt(dst, e.Seq, 10)
	if e.State != "" {
		dst = append(dst, `,"state":`...)
		dst = AppendString(dst, e.State)
	}
	dst = append(dst, `,"topic":`...)
	dst = AppendString(dst, e.Topic)
	dst = append(dst, `,"ts":"`...)
	dst = e.TS.AppendTo(dst)
	return append(dst, `"}`...)
}

// MarshalJSON writes AppendJSON's line.
func (e Event) MarshalJSON() ([]byte, error) {
	if len(e.Payload) == 0 {
		return nil, fmt.Errorf("event %d has no payload", e.Seq)
	}
	return e.AppendJSON(make([]byte, 0, len(e.Payload)+320)), nil
}

// UnmarshalJSON reads an exported line. It does not verify the hash.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w struct {
		Seq       int64           `json:"seq"`
		TS        Time            `json:"ts"`
		Topic     string          `json:"topic"`
		Producer  string          `json:"producer"`
		Kind      Kind            `json:"kind"`
		Key       string          `json:"key"`
		State     string          `json:"state"`
		Causation int64           `json:"causation"`
		Payload   json.RawMessage `json:"payload"`
		Prev      string          `json:"prev"`
		Hash      string          `json:"hash"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*e = Event{
		Seq: w.Seq, TS: w.TS, Topic: w.Topic, Producer: w.Producer, Kind: w.Kind, Key: w.Key,
		State: w.State, Causation: w.Causation, Payload: w.Payload, Prev: w.Prev, Hash: w.Hash,
	}
	return nil
}
