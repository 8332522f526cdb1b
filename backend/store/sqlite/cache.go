package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"

	"binnacle/backend/store"
	"binnacle/model"
)

// entry is a record as the transaction sees it.
type entry struct {
	key   string
	val   any // nil: there is no such record
	dirty bool
	saved any // what the database has; nil: no row
}

// cache holds one projection's records that a transaction has touched. A record
// that is known not to exist has an entry, too.
type cache struct {
	of      int // the projection's number
	p       store.Projection
	entries map[string]*entry
	dirty   []*entry // in the order in which they became dirty
	undo    []undoStep
	size    int   // bytes of the records' text, about
	last    int64 // the highest key of NameNext, -1 when not yet known
	mark    int64 // last before the current write
	row     []driver.Value
}

// Bounds of a cache that is kept from one transaction to the next.
const (
	maxCached      = 2048    // records
	maxCachedBytes = 4 << 20 // of their text
)

func (c *cache) full() bool { return len(c.entries) > maxCached || c.size > maxCachedBytes }

type undoStep struct {
	of  *entry
	old entry
}

func newCaches(s *layout) []cache {
	all := make([]cache, len(s.Records()))
	for i, p := range s.Records() {
		all[i] = cache{of: i, p: p, entries: map[string]*entry{}, last: -1}
	}
	return all
}

func (c *cache) forget() {
	clear(c.entries)
	clear(c.dirty)
	clear(c.undo)
	c.dirty, c.undo, c.size, c.last = c.dirty[:0], c.undo[:0], 0, -1
}

// absent notes that there is no such record.
func (c *cache) absent(key string) {
	if c.entries[key] == nil {
		c.entries[key] = &entry{key: key}
	}
}

// entry finds a record, reading it when the transaction has not seen it.
func (c *cache) entry(t *txn, key string) (*entry, error) {
	if e, ok := c.entries[key]; ok {
		return e, nil
	}
	rec, size, err := t.c.loadRecord(c.of, c.p, key)
	if err != nil {
		return nil, t.failed(err)
	}
	e := &entry{key: key, val: rec, saved: rec}
	c.size += size
	c.entries[key] = e
	return e, nil
}

// loadRecord reads one record, nil when there is none, and how much text it has.
func (c *conn) loadRecord(of int, p store.Projection, key string) (rec any, size int, err error) {
	err = c.query(context.Background(), stmtGet(of), func(row []driver.Value) bool {
		for _, v := range row {
			switch s := v.(type) {
			case string:
				size += len(s)
			case []byte:
				size += len(s)
			}
		}
		rec = p.Scan(row)
		return false
	}, p.Shape().Key(key))
	return rec, size, err
}

// rollBack takes back the current write's changes, newest first.
func (c *cache) rollBack() {
	for i := len(c.undo) - 1; i >= 0; i-- {
		*c.undo[i].of = c.undo[i].old
	}
	clear(c.undo)
	c.undo, c.last = c.undo[:0], c.mark
	keep := c.dirty[:0]
	for _, e := range c.dirty {
		if e.dirty {
			keep = append(keep, e)
		}
	}
	clear(c.dirty[len(keep):])
	c.dirty = keep
}

// flush writes the dirty records.
func (c *cache) flush(t *txn) error {
	if len(c.dirty) == 0 {
		return nil
	}
	err := t.c.sql.Raw(func(d any) error {
		for _, e := range c.dirty {
			if !e.dirty {
				continue
			}
			if err := t.c.save(d, c, e.saved, e.val); err != nil {
				return err
			}
			e.dirty, e.saved = false, e.val
		}
		return nil
	})
	clear(c.dirty)
	c.dirty = c.dirty[:0]
	return err
}

// save writes one record; saved is what its row holds, nil for none.
func (c *conn) save(d any, k *cache, saved, rec any) error {
	shape := k.p.Shape()
	k.row = k.p.Row(k.row[:0], rec)
	row := k.row
	id := stmtInsert(k.of)
	if saved != nil {
		key := row[0]
		n := 0
		for i := 1; i < len(row); i++ {
			if !shape.Columns[i].Fixed {
				row[n] = row[i]
				n++
			}
		}
		row[n] = key
		row, id = row[:n+1], stmtUpdate(k.of)
	}
	if _, err := c.execOn(d, id, c.named(row)); err != nil {
		return err
	}
	for i := range shape.Sides {
		if err := c.saveSide(d, k, i, saved, rec); err != nil {
			return err
		}
	}
	return nil
}

// saveSide makes the record's rows in a side table what they must be.
func (c *conn) saveSide(d any, k *cache, side int, saved, rec any) error {
	rows := k.p.Side(side, rec)
	if saved != nil {
		old := k.p.Side(side, saved)
		if slices.EqualFunc(old, rows, slices.Equal[[]driver.Value]) {
			return nil
		}
		if len(old) > 0 {
			if _, err := c.execOn(d, stmtSideDelete(k.of, side), c.named(old[0][:1])); err != nil {
				return err
			}
		}
	}
	for _, row := range rows {
		if _, err := c.execOn(d, stmtSideInsert(k.of, side), c.named(row)); err != nil {
			return err
		}
	}
	return nil
}

// step takes the event's record through the event, and moves its count.
func (t *txn) step(c *cache, e model.Event) error {
	rec, err := c.entry(t, e.Key)
	if err != nil {
		return err
	}
	next, err := c.p.Apply(rec.val, e)
	if err != nil {
		var known *model.Error
		if errors.As(err, &known) {
			return err
		}
		return model.Errorf(model.CodeInvalid, "event of kind %s: %w", e.Kind, err)
	}
	c.undo = append(c.undo, undoStep{rec, *rec})
	if rec.val != nil {
		if of, ok := c.p.Counter(rec.val); ok {
			t.count(of, -1)
		}
	}
	if of, ok := c.p.Counter(next); ok {
		t.count(of, 1)
	}
	if !rec.dirty {
		c.dirty = append(c.dirty, rec)
	}
	rec.val, rec.dirty = next, true
	c.size += len(e.Payload)
	if c.last >= 0 && c.p.Shape().Unnamed == store.NameNext {
		c.last = max(c.last, store.AsInt(c.p.Shape().Key(e.Key)))
	}
	return nil
}

// nameRecord gives a record without a key one: see Naming.
func (t *txn) nameRecord(d *model.Draft, c *cache) error {
	switch c.p.Shape().Unnamed {
	case store.NameBySeq:
		base := strconv.FormatInt(t.head.Seq+1, 10)
		d.Key = base
		for n := int64(2); ; n++ {
			e, err := c.entry(t, d.Key)
			if err != nil || e.val == nil {
				return err
			}
			d.Key = base + "." + strconv.FormatInt(n, 10)
		}
	case store.NameNext:
		if err := t.knowLast(c); err != nil {
			return err
		}
		d.Key = strconv.FormatInt(c.last+1, 10)
		c.absent(d.Key)
	case store.NameGiven:
	}
	return nil
}

// knowLast reads the highest key once; rows still in memory count, too.
func (t *txn) knowLast(c *cache) error {
	if c.last >= 0 {
		return nil
	}
	var last int64
	err := t.c.query(context.Background(), stmtLast(c.of), func(v []driver.Value) bool {
		last = store.AsInt(v[0])
		return false
	})
	if err != nil {
		return t.failed(err)
	}
	for _, e := range c.entries {
		if e.val != nil {
			last = max(last, store.AsInt(c.p.Shape().Key(e.key)))
		}
	}
	c.last = last
	return nil
}
