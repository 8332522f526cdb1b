package laneq

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
)

// Options say how to import.
type Options struct {
	DryRun bool // report only
	Again  bool // import although the same source was imported before
	// Bodies is a folder for bodies that are too large for a directive or no
	// UTF-8; it is made when needed. Without it such a body refuses the import.
	Bodies string
}

// Adjustment is one thing that could not be taken exactly as it was.
type Adjustment struct {
	From     int64  `json:"from"` // the id in laneq
	ID       int64  `json:"id"`   // the id here
	What     string `json:"what"` // what was changed
	Why      string `json:"why"`
	Original string `json:"original,omitempty"` // its beginning, where it is short
}

// Imported is what an import did, or would do.
type Imported struct {
	Program     string           `json:"program"` // "laneq"
	Source      string           `json:"source"`  // the real path
	SHA256      string           `json:"sha256"`  // of what was read
	DryRun      bool             `json:"dry_run,omitempty"`
	Read        int64            `json:"read"`
	Written     int64            `json:"written"`
	First       int64            `json:"first_seq,omitempty"`
	Last        int64            `json:"last_seq,omitempty"`
	ByStatus    map[string]int64 `json:"by_status"`
	IDs         map[int64]int64  `json:"ids,omitempty"` // laneq's id -> ours, where they differ
	Adjustments []Adjustment     `json:"adjustments"`
	Record      int64            `json:"record,omitempty"` // the seq of the event that records the import
}

const (
	importTopic     = "import/laneq"
	importListBytes = 64 << 10 // of adjustments in the record
)

const (
	restImports = `WHERE topic = $1 AND kind = 'system' ORDER BY seq DESC LIMIT 1000`
	sqlLastID   = `SELECT coalesce(max(id), 0) FROM directives`
	sqlIDsTaken = `SELECT id FROM directives WHERE id <= $1`
)

// Import reads a laneq database of any version, which it opens read-only, also
// while laneq runs. Ids are kept where they are free; statuses, leases, parents
// and dependencies are kept; what can't be taken as it is becomes a line of the
// report. It only adds, and goes in whole or not at all. A source that was
// imported before, by its path or by its content, is refused unless Again.
func Import(ctx context.Context, q *queue.Queue, path string, o Options) (Imported, error) {
	f, err := open(ctx, path)
	if err != nil {
		return Imported{}, err
	}
	defer f.db.Close() //nolint:errcheck // only read
	rows, sum, err := f.read(ctx)
	if err != nil {
		return Imported{}, err
	}
	var rep Imported
	run := func(r store.Reader, now model.Time) (*mapper, error) {
		rep = Imported{
			Program: "laneq", Source: f.path, SHA256: sum, DryRun: o.DryRun, Read: int64(len(rows)),
			ByStatus: map[string]int64{}, IDs: map[int64]int64{}, Adjustments: []Adjustment{},
		}
		if !o.Again {
			if err := importedBefore(r, f.path, sum); err != nil {
				return nil, err
			}
		}
		m, err := newMapper(r, now, rows, o)
		if err != nil {
			return nil, err
		}
		for _, p := range m.all {
			rep.ByStatus[p.d.Status]++
			if p.d.ID != p.from {
				rep.IDs[p.from] = p.d.ID
			}
			for _, a := range p.notes {
				a.ID = p.d.ID
				rep.Adjustments = append(rep.Adjustments, a)
			}
		}
		return m, nil
	}
	if o.DryRun {
		err = q.Store().Read(ctx, func(r store.Reader) error {
			_, err := run(r, 0) // the time stands in no report
			return err
		})
		return rep, err
	}
	err = q.Store().Write(ctx, func(tx store.Tx) error {
		m, err := run(tx, tx.Now())
		if err != nil {
			return err
		}
		return takeIn(tx, q, m, &rep)
	})
	if err != nil {
		return Imported{}, err
	}
	return rep, nil
}

func newMapper(r store.Reader, now model.Time, rows []row, o Options) (*mapper, error) {
	m := &mapper{now: now, ids: map[int64]int64{}}
	var last, theirs int64
	if err := r.QueryRow(sqlLastID).Scan(&last); err != nil {
		return nil, store.Explain("read the newest id", err)
	}
	for _, row := range rows {
		theirs = max(theirs, row.id)
	}
	used, err := store.SelectColumn[int64](r, sqlIDsTaken, theirs)
	if err != nil {
		return nil, store.Explain("read the queue", err)
	}
	inUse := make(map[int64]bool, len(used))
	for _, id := range used {
		inUse[id] = true
	}
	m.next = last + 1
	m.taken = func(id int64) bool { return inUse[id] }
	m.spill = func(id int64, body []byte) (string, error) { return spill(o, id, body) }
	return m, m.plan(rows)
}

// spill writes a body that no directive can hold into a file of its own.
func spill(o Options, id int64, body []byte) (string, error) {
	if o.Bodies == "" {
		return "", model.Errorf(model.CodeInvalid, "the body of #%d has %d bytes or is not valid UTF-8, and no directive can hold it", id, len(body)).
			WithHint("name a folder that such bodies are put into")
	}
	name := filepath.Join(o.Bodies, "laneq-"+strconv.FormatInt(id, 10)+"-"+model.HashOf(body)[:8]+".txt")
	if o.DryRun {
		return name, nil
	}
	if err := os.MkdirAll(o.Bodies, 0o700); err != nil {
		return "", store.Explain("make the folder for bodies", err)
	}
	// The name holds the content's hash: writing it again changes nothing.
	return name, store.Explain("keep a body", os.WriteFile(name, body, 0o600))
}

// takeIn appends what was planned, and the event that records it.
func takeIn(tx store.Tx, q *queue.Queue, m *mapper, rep *Imported) error {
	for _, p := range m.all {
		seq, redacted, err := q.Admit(tx, p.d)
		if redacted > 0 {
			rep.Adjustments = append(rep.Adjustments, Adjustment{
				From: p.from, ID: p.d.ID, What: fmt.Sprintf("%d secrets replaced", redacted), Why: "a ledger can't be edited later",
			})
		}
		if err != nil {
			return model.Errorf(model.CodeOf(err), "#%d of laneq: %w", p.from, err)
		}
		if rep.First == 0 {
			rep.First = seq
		}
		rep.Last = seq
		rep.Written++
	}
	return recordImport(tx, q.Producer(), rep)
}

// importRecord is the payload of the event that records an import. Adjustments
// beyond importListBytes are counted only.
type importRecord struct {
	Action      string           `json:"action"`
	Source      string           `json:"source"`
	SHA256      string           `json:"sha256"`
	Read        int64            `json:"read"`
	Written     int64            `json:"written"`
	First       int64            `json:"first_seq,omitempty"`
	Last        int64            `json:"last_seq,omitempty"`
	Records     map[string]int64 `json:"records"`
	Adjustments int              `json:"adjustments"`
	Adjusted    []Adjustment     `json:"adjusted,omitempty"`
}

func recordImport(tx store.Tx, producer string, rep *Imported) error {
	r := importRecord{
		Action: "import", Source: rep.Source, SHA256: rep.SHA256, Read: rep.Read, Written: rep.Written, First: rep.First,
		Last: rep.Last, Records: rep.ByStatus, Adjustments: len(rep.Adjustments),
	}
	size := 0
	for _, a := range rep.Adjustments {
		// Six bytes are the most that JSON makes of one.
		if size += 6*(len(a.What)+len(a.Why)+len(a.Original)) + 100; size > importListBytes {
			break
		}
		r.Adjusted = append(r.Adjusted, a)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return store.Explain("record the import", err)
	}
	d := model.Draft{Topic: importTopic, Producer: producer, Kind: model.KindSystem, Payload: raw}
	if err := d.Check(); err != nil {
		return err
	}
	e, err := tx.Append(d)
	rep.Record = e.Seq
	return err
}

// importedBefore refuses a source that was imported already.
func importedBefore(r store.Reader, file, sum string) error {
	events, err := store.SelectEvents(r, restImports, importTopic)
	for _, e := range events {
		var rec importRecord
		if json.Unmarshal(e.Payload, &rec) != nil || rec.Action != "import" || rec.Source != file && rec.SHA256 != sum {
			continue
		}
		return model.Errorf(model.CodeRefused, "laneq was imported already: %d directives from %s, as events %d to %d",
			rec.Read, clean.Line(rec.Source), rec.First, rec.Last).
			WithHint("event %d records it; --again imports everything once more", e.Seq)
	}
	return store.Explain("read the queue", err)
}
