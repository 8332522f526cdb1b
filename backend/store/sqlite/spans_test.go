package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
)

// A ledger of schema 1 gets the spans of the events that are there, and no
// indexes that they replace; what is damaged is rebuilt.
func TestSpansOfAnOldLedger(t *testing.T) {
	for _, n := range []int64{0, 1, 510, 511, 512, 1022, 1023, 2000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ctx := context.Background()
			o := Options{Path: filepath.Join(t.TempDir(), workspace.Database)}.withDefaults()
			if err := createFile(o.Path); err != nil {
				t.Fatal(err)
			}
			if _, err := migrate(ctx, o, migrations()[:1], store.MigrateOptions{}); err != nil {
				t.Fatal(err)
			}
			c, err := openConn(ctx, noLayout, dsn(o.Path, "mode=rw"))
			if err != nil {
				t.Fatal(err)
			}
			err = c.run(ctx, `WITH RECURSIVE n (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n LIMIT $1)
				INSERT INTO events SELECT seq, seq, 't', 'p' || (seq * seq % 7), 'note', NULL, NULL, NULL, '{}', '', '' FROM n WHERE $1 > 0`, n)
			if err == nil {
				err = c.run(ctx, `INSERT INTO head (one, seq, hash, ts) SELECT 1, seq, hash, ts FROM events ORDER BY seq DESC LIMIT 1`)
			}
			if e := c.close(); err != nil || e != nil {
				t.Fatal(err, e)
			}
			s := openAt(t, o)
			wantSpans(t, s, n)
			err = s.Write(ctx, func(tx store.Tx) error {
				_, err := tx.Exec(`UPDATE event_spans SET count = 3, value = 'x' || value, span = span + 1 WHERE field = 'producer'`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			wantSpans(t, s, n)
		})
	}
}

// wantSpans compares event_spans with the first n events, in SQL alone.
func wantSpans(t *testing.T, s *Store, n int64) {
	t.Helper()
	err := s.Read(context.Background(), func(r store.Reader) error {
		var wrong, rows, indexes int64
		err := r.QueryRow(`WITH full AS (SELECT * FROM events WHERE seq < $1), want (field, value, span, count) AS (
				SELECT 'producer', producer, seq / 512, count(*) FROM full GROUP BY 2, 3 UNION ALL
				SELECT 'kind', kind, seq / 512, count(*) FROM full GROUP BY 2, 3)
			SELECT (SELECT count(*) FROM (SELECT * FROM want EXCEPT SELECT * FROM event_spans)) +
				(SELECT count(*) FROM (SELECT * FROM event_spans EXCEPT SELECT * FROM want)), (SELECT count(*) FROM event_spans),
				(SELECT count(*) FROM sqlite_schema WHERE name IN ('events_producer', 'events_kind'))`, (n+1)/512*512).Scan(&wrong, &rows, &indexes)
		if err == nil && (wrong != 0 || n > 511 && rows == 0 || indexes != 0) {
			t.Errorf("%d rows of %d are not what %d events add up to; %d of the old indexes", wrong, rows, n, indexes)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
