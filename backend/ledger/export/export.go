package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"binnacle/backend/ledger/query"
	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// Format is how events are exported.
type Format string

// The formats. In JSONL and JSON each event is its canonical form with what is
// unsafe on a terminal escaped: parse it, drop "hash", canonicalise, and its
// SHA-256 is the hash. CSV has a header, quotes as RFC 4180 says, and puts an
// apostrophe before what a spreadsheet would take for a formula; controls and
// bidirectional marks are made visible there as on a terminal (clean.Line).
const (
	JSONL Format = "jsonl"
	JSON  Format = "json"
	CSV   Format = "csv"
)

// ParseFormat reads a format's name.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case JSONL, JSON, CSV:
		return f, nil
	}
	return "", model.Errorf(model.CodeUsage, "%q is not an export format", clean.Line(s)).
		WithHint("the formats are json, jsonl and csv")
}

// Write writes what matches to w and says how many events that were. It reads
// in short steps, however slow w is.
func Write(ctx context.Context, s store.Store, q query.Query, f Format, w io.Writer) (int64, error) {
	bw := bufio.NewWriterSize(w, 64<<10)
	var n int64
	var write func(*model.Event) error
	end := func() error { return nil }
	switch f {
	case CSV:
		c := csv.NewWriter(bw)
		if err := c.Write(csvHeader()); err != nil {
			return 0, err
		}
		write = func(e *model.Event) error { return c.Write(csvRow(e)) }
		end = func() error { c.Flush(); return c.Error() }
	case JSON:
		var line, raw []byte
		write = func(e *model.Event) error {
			sep := ",\n"
			if n == 0 {
				sep = "[\n"
			}
			raw = e.AppendJSON(raw[:0])
			line = clean.AppendJSON(append(line[:0], sep...), raw)
			_, err := bw.Write(line)
			return err
		}
		end = func() error {
			if n == 0 {
				_, err := bw.WriteString("[]\n")
				return err
			}
			_, err := bw.WriteString("\n]\n")
			return err
		}
	case JSONL:
		var line, raw []byte
		write = func(e *model.Event) error {
			raw = e.AppendJSON(raw[:0])
			line = append(clean.AppendJSON(line[:0], raw), '\n')
			_, err := bw.Write(line)
			return err
		}
	default:
		_, err := ParseFormat(string(f))
		return 0, err
	}
	err := query.Each(ctx, s, q, func(e *model.Event) error {
		if err := write(e); err != nil {
			return err
		}
		n++
		return nil
	})
	if err == nil {
		err = end()
	}
	if e := bw.Flush(); err == nil {
		err = e
	}
	return n, err
}

// Writable refuses a path where no file can be put, before any work is done for
// it: a folder, a name in none, or what no file can be called.
func Writable(path string) error {
	info, wrong := os.Stat(path)
	if wrong == nil && info.IsDir() {
		return model.Errorf(model.CodeUsage, "%s can't be written: it is a folder", clean.Line(path)).WithHint("name a file in it")
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return model.Errorf(model.CodeUsage, "%s can't be written: there is no folder %s", clean.Line(path), clean.Line(filepath.Dir(path)))
	}
	if wrong != nil && !errors.Is(wrong, fs.ErrNotExist) {
		return model.Errorf(model.CodeUsage, "%s can't be written: %w", clean.Line(path), wrong)
	}
	return nil
}

// WriteFile writes to a new file beside path and gives it the name when it is
// whole and durable, so that path never holds half an export. Its mode is 0600.
func WriteFile(ctx context.Context, s store.Store, q query.Query, f Format, path string) (n int64, err error) {
	if err := Writable(path); err != nil {
		return 0, err
	}
	tmp, err := scratch.NewFile(filepath.Dir(path), "export")
	if err != nil {
		return 0, model.Errorf(model.CodeUsage, "%s can't be written: %w", clean.Line(path), err)
	}
	defer tmp.Discard()
	if n, err = Write(ctx, s, q, f, tmp); err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = tmp.Replace(path)
	}
	var known *model.Error
	if err != nil && !errors.As(err, &known) && ctx.Err() == nil {
		err = model.Errorf(model.CodeUsage, "%s can't be written: %w", clean.Line(path), err)
	}
	return n, err
}

func csvHeader() []string {
	return []string{"seq", "ts", "topic", "producer", "kind", "key", "state", "causation", "payload", "prev", "hash"}
}

func csvRow(e *model.Event) []string {
	causation := ""
	if e.Causation != 0 {
		causation = strconv.FormatInt(e.Causation, 10)
	}
	return []string{
		strconv.FormatInt(e.Seq, 10), e.TS.String(), cell(e.Topic), cell(e.Producer), string(e.Kind), cell(e.Key),
		cell(e.State), causation, string(clean.AppendJSON(nil, e.Payload)), e.Prev, e.Hash,
	}
}

// cell is a text as every surface shows it: what would reorder or hide the rest
// of a line is made visible, and nothing is computed.
func cell(s string) string { return defuse(clean.Line(s)) }

// defuse keeps a spreadsheet from computing what somebody wrote.
func defuse(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + s
	}
	return s
}
