package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"binnacle/model"
)

// TestOldClaimsGoByTheWallClock: what was claimed under the first schema knows
// no boot, and its lease ends by the clock on the wall.
func TestOldClaimsGoByTheWallClock(t *testing.T) {
	ctx := context.Background()
	o := Options{Path: filepath.Join(t.TempDir(), Database)}.withDefaults()
	if err := os.WriteFile(o.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate(ctx, o, migrations()[:1], MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	until := model.Time(1_800_000_000_000_000)
	c, err := openWriter(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`INSERT INTO directives (id, priority, lane, body, status, created_at, taken_at, taken_by, lease_until, attempt,
			requeue_count, lapses, since, first_seq, last_seq, rev)
			VALUES (1, 1, 'default', 'b', 'taken', 5, 6, 'w', 1800000000000000, 1, 0, 0, 6, 1, 2, 2)`,
		`INSERT INTO work_items (key, state, topic, executor, lease_until, lease_seconds, attempt, claimed_at, since, first_seq,
			last_seq, rev) VALUES ('job', 'claimed', 'work', 'w', 1800000000000000, 60, 1, 6, 6, 1, 1, 1)`,
	} {
		if err := c.run(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate(ctx, o, migrations(), MigrateOptions{Keep: 5}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Read(ctx, func(r Reader) error {
		d, err := r.Directive(1)
		if err != nil {
			return err
		}
		w, err := r.Work("job")
		if err != nil {
			return err
		}
		want := model.Lease{Until: until}
		if d.Term() != want || w.Term() != want {
			t.Errorf("the leases are %+v and %+v", d.Term(), w.Term())
		}
		at := model.Reading{Boot: "b", Awake: time.Hour, Wall: until - 1}
		if d.Lapsed(at) || w.Lapsed(at) {
			t.Error("they ran out before their time")
		}
		at.Wall++
		if !d.Lapsed(at) || !w.Lapsed(at) {
			t.Error("they did not run out")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
