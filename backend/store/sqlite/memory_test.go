package sqlite

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// pagesHeld is how many KiB a connection's page cache holds.
func pagesHeld(t *testing.T, c *conn) (kib int) {
	t.Helper()
	err := c.sql.Raw(func(d any) error {
		n, _, err := d.(sqlite.DBStatus).Status(sqlite.DBStatusCacheUsed, false)
		kib = n >> 10
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// A database many times as large as the page caches leaves no more than their
// bounds in memory, taken together: the driver's caches take pages from each
// other.
func TestPageCachesAreBounded(t *testing.T) {
	ctx := context.Background()
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), workspace.Database)})
	drafts := make([]model.Draft, 100)
	for i := range drafts {
		drafts[i] = noteDraft(strings.Repeat("x", 4000))[0]
	}
	for range 40 {
		if _, err := s.Append(ctx, drafts); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Read(ctx, func(r store.Reader) error {
		events, err := r.Events(0, 4000)
		if err == nil && len(events) != 4000 {
			t.Errorf("%d events were read", len(events))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	err = s.commits.alone(ctx, func(c *conn) error {
		held = pagesHeld(t, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := s.readers.pop()
	held += pagesHeld(t, c)
	s.readers.push(c)
	// A page's own header counts, too.
	if bound := (writerCache + readerCache) * 5 / 4; held < bound/2 || held > bound {
		t.Errorf("%d KiB of pages are held, the bound is %d", held, bound)
	}
}

// What only a rush of reads needed is closed once it has rested, one connection
// at a time; the one in use stays.
func TestIdleReadersAreClosed(t *testing.T) {
	ctx := context.Background()
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), workspace.Database)})
	at := time.Now()
	s.readers.now = func() time.Time { return at }
	var all []*conn
	for range maxReaders {
		c, err := s.readers.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		s.readers.put(c, true)
	}
	read := func() {
		t.Helper()
		if err := s.Read(ctx, func(r store.Reader) error { _, err := r.Head(); return err }); err != nil {
			t.Fatal(err)
		}
	}
	at = at.Add(maxRest)
	read()
	if n := len(s.readers.idle); n != maxReaders {
		t.Errorf("%d connections are left before they have rested too long", n)
	}
	at = at.Add(time.Second)
	for range maxReaders {
		read()
	}
	if n := len(s.readers.idle); n != 1 || s.readers.idle[0].conn != all[maxReaders-1] {
		t.Errorf("%d connections are left; wanted is the one that was used last", n)
	}
}
