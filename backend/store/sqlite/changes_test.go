package sqlite

import (
	"context"
	"testing"
	"time"

	"binnacle/backend/store"
)

// A change without an event counts as one, also when it is the first after the
// log was emptied, for which the poll takes a new connection.
func TestAQuietChangeIsCounted(t *testing.T) {
	ctx := context.Background()
	o := ledgerAt(t, 3)
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	edit := func(text string) {
		t.Helper()
		c, err := openConn(ctx, noLayout, dsn(o.Path, "mode=rw", "_pragma=busy_timeout(5000)"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.run(ctx, text); err != nil {
			t.Fatal(err)
		}
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
	}
	p := poller{hub: s.hub}
	defer p.drop()
	polls := func(when string, ok func(store.Changes) bool) {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			p.once(ctx)
			if ok(s.Changes()) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %+v", when, s.Changes())
			}
		}
	}
	polls("at first", func(c store.Changes) bool { return c == store.Changes{} && p.looked })
	edit(`UPDATE planes SET count = count + 1`)
	polls("after an edit", func(c store.Changes) bool { return c.Quiet == 1 })
	edit(`PRAGMA wal_checkpoint(TRUNCATE)`)
	polls("after a checkpoint", func(store.Changes) bool { return p.log.size == 0 })
	before := s.Changes()
	edit(`UPDATE planes SET count = count + 1`)
	polls("after an edit on an empty log", func(c store.Changes) bool { return c.Quiet > before.Quiet })
	before = s.Changes()
	edit(`UPDATE head SET seq = 4, hash = 'x'`)
	polls("after the head moved", func(c store.Changes) bool { return c.All > before.All })
	if got := s.Changes().Quiet; got != before.Quiet {
		t.Errorf("a newer head counts as quiet: %d, then %d", before.Quiet, got)
	}
}
