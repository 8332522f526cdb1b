// Package segment is the form in which sealed events lie in a file: their lines
// of JSON, compressed with zstd, one stretch of the chain a file.
//
// A line is the very bytes that the event's hash is of, so that the file proves
// itself: the SHA-256 of each line stands as prev in the next one, and that of
// the last line is the prev of whatever follows the file. `zstd -dc FILE | jq .`
// shows it.
package segment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"binnacle/backend/store"
	"binnacle/model"
)

// Bounds of a segment, so that reading one takes little memory and one that is
// made while others write is soon done.
const (
	MaxEvents = 16_384
	MaxBytes  = 8 << 20 // of lines; a single event may be larger than what is left
	maxRead   = MaxBytes + 1<<20
)

// Pack makes the file of consecutive events, and says what it holds. They must be
// at least one and within the bounds.
func Pack(events []model.Event) (store.Segment, []byte, error) {
	first, last := &events[0], &events[len(events)-1]
	s := store.Segment{
		First: first.Seq, Last: last.Seq, Prev: first.Prev, Hash: last.Hash, Begin: first.TS, End: last.TS,
	}
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return s, nil, err
	}
	var line []byte
	for i := range events {
		line = append(events[i].AppendCanonical(line[:0]), '\n')
		if _, err := z.Write(line); err != nil {
			return s, nil, err
		}
	}
	if err := z.Close(); err != nil {
		return s, nil, err
	}
	s.Bytes, s.SHA256 = int64(out.Len()), model.HashOf(out.Bytes())
	return s, out.Bytes(), nil
}

// Unpack reads the file of the segment s. It is refused, with CodeCorrupt, unless
// it holds exactly the events that were sealed: the file is the same, and its
// lines are a chain from s.Prev to s.Hash.
func Unpack(s store.Segment, file []byte) ([]model.Event, error) {
	if got := model.HashOf(file); int64(len(file)) != s.Bytes || got != s.SHA256 {
		return nil, model.Errorf(model.CodeCorrupt, "the segment %s was altered: it is not the file that was sealed", Name(s))
	}
	events, err := read(file)
	if err == nil {
		err = continues(s, events)
	}
	if err != nil {
		return nil, model.Errorf(model.CodeCorrupt, "the segment %s does not hold what was sealed: %w", Name(s), err)
	}
	return events, nil
}

// read decodes lines. Their hashes are those of their bytes.
func read(file []byte) ([]model.Event, error) {
	z, err := zstd.NewReader(bytes.NewReader(file), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRead))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	text, err := io.ReadAll(io.LimitReader(z, maxRead))
	switch {
	case err != nil:
		return nil, err
	case len(text) == maxRead:
		return nil, fmt.Errorf("it holds more than %d bytes", maxRead)
	case len(text) > 0 && text[len(text)-1] != '\n':
		return nil, fmt.Errorf("its last line has no end")
	}
	events := make([]model.Event, 0, bytes.Count(text, []byte{'\n'}))
	var again []byte
	for n := 1; len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		var e model.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if again = e.AppendCanonical(again[:0]); !bytes.Equal(again, line) {
			return nil, fmt.Errorf("line %d is not an event's in canonical form", n)
		}
		e.Hash = model.HashOf(line)
		events = append(events, e)
	}
	return events, nil
}

// continues says whether the events are the chain that was sealed.
func continues(s store.Segment, events []model.Event) error {
	at, prev := s.First, s.Prev
	for i := range events {
		e := &events[i]
		if e.Seq != at || e.Prev != prev {
			return fmt.Errorf("event %d does not follow the one before it", e.Seq)
		}
		at, prev = at+1, e.Hash
	}
	if at != s.Last+1 || prev != s.Hash {
		return fmt.Errorf("it ends with event %d", at-1)
	}
	return nil
}

// Name is the file's name: FIRST-LAST.jsonl.zst.
func Name(s store.Segment) string {
	return strconv.FormatInt(s.First, 10) + "-" + strconv.FormatInt(s.Last, 10) + ".jsonl.zst"
}

// isName says whether a file may be a segment, by its name.
func isName(name string) bool {
	numbers, ok := strings.CutSuffix(name, ".jsonl.zst")
	first, last, two := strings.Cut(numbers, "-")
	return ok && two && first != "" && last != "" && strings.Trim(first+last, "0123456789") == ""
}
