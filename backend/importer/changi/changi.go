package changi

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"

	"binnacle/backend/importer"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// Importer imports a .changi folder's events.db. See mapper for how its
// entries become events.
type Importer struct{}

// Name is "changi".
func (Importer) Name() string { return "changi" }

// Detect takes a .changi folder, a folder that has one, or an events.db.
func (Importer) Detect(path string) (string, bool) {
	for _, p := range []string{path, filepath.Join(path, "events.db"), filepath.Join(path, ".changi", "events.db")} {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		db, err := sqlitefile.Open(p)
		if err != nil {
			continue
		}
		_, err = db.Exec(`SELECT event_id, topic, producer_id, timestamp, schema_version, payload, causation_id FROM events LIMIT 0`)
		db.Close()
		if err == nil {
			if real, err := filepath.EvalSymlinks(p); err == nil {
				p = real
			}
			return p, true
		}
	}
	return "", false
}

// Open begins to read.
func (Importer) Open(ctx context.Context, file string) (importer.Source, error) {
	db, err := sqlitefile.Open(file)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		db.Close()
		return nil, model.Errorf(model.CodeBusy, "%s can't be read: %w", clean.Line(file), err)
	}
	return &source{db: db, tx: tx}, nil
}

type source struct {
	db *sql.DB
	tx *sql.Tx // one instant of the source
}

func (s *source) Close() error {
	s.tx.Rollback()
	return s.db.Close()
}

// row is one entry, as it is in the source. Its columns may hold anything,
// for SQLite does not enforce a column's type.
type row struct {
	ID                                 int64
	Topic, Producer, Timestamp, Schema string
	Payload                            []byte
	Causation                          any // nil, int64, or nonsense
}

func (s *source) each(ctx context.Context, fn func(row) error) error {
	rows, err := s.tx.QueryContext(ctx, `SELECT event_id, CAST(topic AS BLOB), CAST(producer_id AS BLOB), CAST(timestamp AS BLOB),
		CAST(schema_version AS BLOB), CAST(payload AS BLOB), causation_id FROM events ORDER BY event_id`)
	if err != nil {
		return model.Errorf(model.CodeInternal, "the source can't be read: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		var topic, producer, timestamp, schema []byte
		if err := rows.Scan(&r.ID, &topic, &producer, &timestamp, &schema, &r.Payload, &r.Causation); err != nil {
			return model.Errorf(model.CodeInternal, "the source can't be read after entry %d: %w", r.ID, err)
		}
		r.Topic, r.Producer, r.Timestamp, r.Schema = string(topic), string(producer), string(timestamp), string(schema)
		if err := fn(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Digest is over the entries, not over the file, whose bytes change with every
// checkpoint.
func (s *source) Digest(ctx context.Context) (string, error) {
	h := sha256.New()
	var n [8]byte
	field := func(b []byte) {
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	err := s.each(ctx, func(r row) error {
		binary.BigEndian.PutUint64(n[:], uint64(r.ID))
		h.Write(n[:])
		for _, f := range []string{r.Topic, r.Producer, r.Timestamp, r.Schema} {
			field([]byte(f))
		}
		field(r.Payload)
		field([]byte(textOf(r.Causation)))
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// Import maps every entry, in the order of event_id.
func (s *source) Import(ctx context.Context, w *importer.Writer) error {
	m := mapper{w: w}
	return s.each(ctx, m.entry)
}
