package sqlite

import (
	"context"
	"encoding/json"
	"testing"

	"binnacle/backend/store"
	"binnacle/model"
)

// Nothing chains on past a hole at the end, in this process or in one that
// opens the database after, and what is there can still be read.
func TestNothingIsWrittenPastAHole(t *testing.T) {
	for name, edit := range map[string]string{
		"rows deleted":  `DELETE FROM events WHERE seq > 3`,
		"all deleted":   `DELETE FROM events`,
		"head deleted":  `DELETE FROM head`,
		"head set back": `UPDATE head SET seq = 3`,
		"hash changed":  `UPDATE events SET hash = CASE substr(hash, 1, 1) WHEN 'f' THEN '0' ELSE 'f' END || substr(hash, 2) WHERE seq = 6`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			o := ledgerAt(t, 5)
			open, err := Open(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = open.Close() }()
			draft := []model.Draft{{Topic: "t", Producer: "p", Kind: model.KindNote, Payload: json.RawMessage(`{"text":"x"}`)}}
			if _, err := open.Append(ctx, draft); err != nil {
				t.Fatal(err)
			}
			c, err := openConn(ctx, noLayout, dsn(o.Path, "mode=rw", "_pragma=busy_timeout(5000)"))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.run(ctx, edit); err != nil {
				t.Fatal(err)
			}
			if err := c.close(); err != nil {
				t.Fatal(err)
			}
			later, err := Open(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = later.Close() }()
			for _, s := range []*Store{open, later} {
				if _, err := s.Append(ctx, draft); model.CodeOf(err) != model.CodeCorrupt {
					t.Errorf("it was written: %v", err)
				}
				if err := s.Read(ctx, func(r store.Reader) error { _, err := r.Counts(); return err }); err != nil {
					t.Errorf("it can't be read: %v", err)
				}
			}
		})
	}
}
