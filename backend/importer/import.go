package importer

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// Importer reads another program's store into the ledger. It only adds: it
// changes no event and no record that is there.
type Importer interface {
	// Name is the program's, in one lower-case word; the import is recorded under
	// the topic import/<name>.
	Name() string
	// Detect returns the file to read when path (a folder or a file, with every
	// symbolic link resolved) holds that program's store.
	Detect(path string) (file string, ok bool)
	// Open reads the file without changing it. The Source sees one instant of it,
	// also while the program runs.
	Open(ctx context.Context, file string) (Source, error)
}

// Source is one opened store. It can be read more than once.
type Source interface {
	// Digest identifies the content that is read: SHA-256, lower-case hex.
	Digest(ctx context.Context) (string, error)
	// Import writes everything through w.
	Import(ctx context.Context, w *Writer) error
	Close() error
}

// Options say how to import.
type Options struct {
	DryRun bool // report only
	Again  bool // import although the same source was imported before
	// Importers are tried in turn.
	Importers []Importer
}

// Adjustment is one thing that could not be taken exactly as it was.
type Adjustment struct {
	EventID  int64  `json:"event_id"` // in the source
	Seq      int64  `json:"seq"`      // here
	What     string `json:"what"`     // what was changed
	Why      string `json:"why"`
	Original string `json:"original,omitempty"` // where it is an envelope's field; of a payload the event itself keeps it
}

// Report is what an import did, or would do.
type Report struct {
	Program     string           `json:"program"`
	Source      string           `json:"source"` // the real path
	SHA256      string           `json:"sha256"` // of what was read
	DryRun      bool             `json:"dry_run,omitempty"`
	Read        int64            `json:"read"`    // entries of the source
	Written     int64            `json:"written"` // events, without those that record the import
	First       int64            `json:"first_seq,omitempty"`
	Last        int64            `json:"last_seq,omitempty"`
	Records     map[string]int64 `json:"records"` // by kind, and by kind and state: "signal", "signal pending" …
	Record      int64            `json:"record"`  // the seq of the system event that records the import
	Adjustments []Adjustment     `json:"adjustments"`
}

var errDryRun = errors.New("dry run")

// Import reads the store at path. Everything goes in in one transaction, or
// nothing does: other writers of the workspace wait meanwhile (about 20 s for a
// million events). A source that was imported before, by its path or by its
// content, is refused with what was imported when, unless Again.
func Import(ctx context.Context, l *ledger.Ledger, path string, o Options) (Report, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return Report{}, model.Errorf(model.CodeUsage, "there is nothing to import at %s: %w", clean.Line(path), err).
			WithHint("name a .changi folder or a laneq database")
	}
	for _, im := range o.Importers {
		if file, ok := im.Detect(real); ok {
			return importFrom(ctx, l, im, file, o)
		}
	}
	return Report{}, model.Errorf(model.CodeUsage, "%s holds no ledger that can be imported", clean.Line(path)).
		WithHint("name a .changi folder or a laneq database")
}

func importFrom(ctx context.Context, l *ledger.Ledger, im Importer, file string, o Options) (Report, error) {
	src, err := im.Open(ctx, file)
	if err != nil {
		return Report{}, err
	}
	defer src.Close()
	sum, err := src.Digest(ctx)
	if err != nil {
		return Report{}, err
	}
	var rep Report
	err = l.Store().Write(ctx, func(tx store.Tx) error {
		rep = Report{Program: im.Name(), Source: file, SHA256: sum, DryRun: o.DryRun, Records: map[string]int64{}}
		if !o.Again {
			if err := importedBefore(tx, im.Name(), file, sum); err != nil {
				return err
			}
		}
		w := &Writer{ledger: l, tx: tx, report: &rep}
		if err := src.Import(ctx, w); err != nil {
			return err
		}
		if err := w.record(); err != nil {
			return err
		}
		if o.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return rep, err
}

func importTopic(program string) string { return "import/" + program }

// importRecord is the payload of the system event that records an import.
type importRecord struct {
	Action      string            `json:"action"`
	Source      string            `json:"source"`
	SHA256      string            `json:"sha256"`
	Read        int64             `json:"read"`
	Written     int64             `json:"written"`
	First       int64             `json:"first_seq,omitempty"`
	Last        int64             `json:"last_seq,omitempty"`
	Records     map[string]int64  `json:"records"`
	Adjustments int               `json:"adjustments"`
	Parts       []int64           `json:"parts,omitempty"` // seqs of the events that hold the map
	Map         []json.RawMessage `json:"map,omitempty"`
	Adjusted    []json.RawMessage `json:"adjusted,omitempty"`
}

// importedBefore refuses a source that was imported already.
func importedBefore(tx store.Tx, program, file, sum string) error {
	events, err := store.SelectEvents(tx, `WHERE topic = $1 AND kind = $2 ORDER BY seq DESC LIMIT 1000`,
		importTopic(program), string(model.KindSystem))
	if err != nil {
		return err
	}
	for _, e := range events {
		var r importRecord
		if err := json.Unmarshal(e.Payload, &r); err != nil || r.Action != "import" {
			continue
		}
		if r.Source != file && r.SHA256 != sum {
			continue
		}
		return model.Errorf(model.CodeRefused, "%s was imported already: %d entries from %s, as events %d to %d",
			program, r.Read, clean.Line(r.Source), r.First, r.Last).
			WithHint("event %d records it; --again imports everything once more", e.Seq)
	}
	return nil
}

// Writer takes what a Source gives, keeps the report, and the map from the
// source's ids to ours.
type Writer struct {
	ledger *ledger.Ledger
	tx     store.Tx
	report *Report
	seqs   map[int64]int64

	rows, adjusted pages
}

// Tx is the import's transaction.
func (w *Writer) Tx() store.Tx { return w.tx }

// First is the number of the first event that this import wrote, 0 for none yet.
func (w *Writer) First() int64 { return w.report.First }

// Read counts one entry of the source.
func (w *Writer) Read() { w.report.Read++ }

// Seq returns the sequence number that an entry of the source got, 0 when it has
// none (yet).
func (w *Writer) Seq(id int64) int64 { return w.seqs[id] }

// Redact replaces the secrets in a payload of the source, which may be no JSON of
// ours, or too large. Do it before the payload is put into a form in which
// secrets can't be seen.
func (w *Writer) Redact(payload []byte) ([]byte, int) {
	if w.ledger.Redactor() == nil {
		return payload, 0
	}
	if p, err := model.Canonical(payload); err == nil && len(p) > 0 && p[0] == '{' {
		if out, n, err := w.ledger.Redactor().Apply(p); err == nil {
			if n == 0 {
				out = payload
			}
			return out, n
		}
	}
	if utf8.Valid(payload) {
		out, n := w.ledger.Redactor().RedactText(string(payload))
		return []byte(out), n
	}
	return payload, 0
}

// Append checks and appends a draft, and counts it.
func (w *Writer) Append(id int64, d model.Draft) (model.Event, error) {
	if err := w.ledger.Finish(&d); err != nil {
		return model.Event{}, model.Errorf(model.CodeOf(err), "entry %d of the source: %w", id, err)
	}
	e, err := w.tx.Append(d)
	if err != nil {
		return e, model.Errorf(model.CodeOf(err), "entry %d of the source: %w", id, err)
	}
	if w.report.First == 0 {
		w.report.First = e.Seq
	}
	w.report.Last = e.Seq
	w.report.Written++
	w.report.Records[string(e.Kind)]++
	if e.State != "" {
		w.report.Records[string(e.Kind)+" "+e.State]++
	}
	return e, nil
}

// Adjust adds a line to the report.
func (w *Writer) Adjust(a Adjustment) error {
	w.report.Adjustments = append(w.report.Adjustments, a)
	return w.adjusted.add(a)
}

// Place notes which event an entry became. fields are what the event itself does
// not say, such as the time at which the other program wrote it.
func (w *Writer) Place(id, seq int64, fields ...string) error {
	if w.seqs == nil {
		w.seqs = map[int64]int64{}
	}
	w.seqs[id] = seq
	row := make([]any, 0, 2+len(fields))
	row = append(row, id, seq)
	for _, f := range fields {
		row = append(row, f)
	}
	return w.rows.add(row)
}

// record writes the system event that says what was imported. The map of ids and
// the adjustments stand in it; what does not fit stands in system events before
// it, under import/<name>/part.
func (w *Writer) record() error {
	rep := w.report
	r := importRecord{
		Action: "import", Source: rep.Source, SHA256: rep.SHA256, Read: rep.Read, Written: rep.Written,
		First: rep.First, Last: rep.Last, Records: rep.Records, Adjustments: len(rep.Adjustments),
	}
	if w.rows.size+w.adjusted.size <= pageBytes {
		r.Map, r.Adjusted = w.rows.all(), w.adjusted.all()
	} else {
		for _, p := range append(w.rows.named("map"), w.adjusted.named("adjusted")...) {
			seq, err := w.system(importTopic(rep.Program)+"/part", map[string]any{"action": "import-part", p.name: p.rows})
			if err != nil {
				return err
			}
			r.Parts = append(r.Parts, seq)
		}
	}
	seq, err := w.system(importTopic(rep.Program), r)
	rep.Record = seq
	return err
}

func (w *Writer) system(topic string, payload any) (int64, error) {
	d, err := w.ledger.SystemDraft(topic, payload)
	if err != nil {
		return 0, err
	}
	e, err := w.tx.Append(d)
	return e.Seq, err
}

// pageBytes is how much of a payload the lists of an import fill.
const pageBytes = model.MaxPayload - (32 << 10)

// pages collects rows of JSON into lists that each fit into one payload.
type pages struct {
	full [][]json.RawMessage
	last []json.RawMessage
	fill int // bytes in last
	size int // bytes in all
}

type page struct {
	name string
	rows []json.RawMessage
}

func (p *pages) add(v any) error {
	raw, err := ledger.EncodePayload(v)
	if err != nil {
		return err
	}
	if len(raw) > pageBytes/2 {
		raw = json.RawMessage(strconv.Quote("too long to be listed"))
	}
	if p.fill+len(raw) > pageBytes {
		p.full, p.last, p.fill = append(p.full, p.last), nil, 0
	}
	p.last = append(p.last, raw)
	p.fill += len(raw) + 1
	p.size += len(raw) + 1
	return nil
}

func (p *pages) all() []json.RawMessage {
	var out []json.RawMessage
	for _, rows := range p.full {
		out = append(out, rows...)
	}
	return append(out, p.last...)
}

func (p *pages) named(name string) []page {
	var out []page
	for _, rows := range p.full {
		out = append(out, page{name, rows})
	}
	if len(p.last) > 0 {
		out = append(out, page{name, p.last})
	}
	return out
}
