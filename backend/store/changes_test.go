package store

import (
	"context"
	"testing"
	"time"
)

// A change without an event counts as one, also when it is the first after the
// log was emptied, for which the poll takes a new connection.
func TestAQuietChangeIsCounted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := ledgerAt(t, 3)
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	edit := func(text string) {
		t.Helper()
		c, err := openConn(ctx, dsn(o.Path, "mode=rw", "_pragma=busy_timeout(5000)"))
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
	waits := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s", what)
			}
		}
	}
	edit(`PRAGMA wal_checkpoint(TRUNCATE)`)
	heads := s.Watch(ctx)
	<-heads
	// The poll has its connection once it sees an edit.
	edit(`UPDATE planes SET count = count`)
	waits("the first edit", func() bool { return s.Changes().All > 0 })
	edit(`PRAGMA wal_checkpoint(TRUNCATE)`)
	before := s.Changes()
	edit(`UPDATE planes SET count = count`)
	waits("the second edit", func() bool { return s.Changes().Quiet > before.Quiet })
}
