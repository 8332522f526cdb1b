package store

import (
	"context"
	"errors"

	"binnacle/model"
)

// entry is a record as the transaction sees it.
type entry[T any] struct {
	val    T
	exists bool // there is such a record
	dirty  bool // val is not yet in the database
	inDB   bool // the database has a row for it, holding saved
	saved  T
}

// cache holds one kind's records that a transaction has touched. A record that
// is known not to exist has an entry, too.
type cache[T any] struct {
	kind    kindOfRecord[T]
	entries map[string]*entry[T]
	dirty   []*entry[T] // in the order in which they became dirty
	undo    []undoStep[T]
	size    int // bytes of the records' long text, about
}

// Bounds of a cache that is kept from one transaction to the next.
const (
	maxCached      = 2048    // records
	maxCachedBytes = 4 << 20 // of their text
)

func (c *cache[T]) full() bool { return len(c.entries) > maxCached || c.size > maxCachedBytes }

type undoStep[T any] struct {
	of  *entry[T]
	old entry[T]
}

func newCache[T any](k kindOfRecord[T]) cache[T] {
	return cache[T]{kind: k, entries: map[string]*entry[T]{}}
}

func (c *cache[T]) forget() {
	clear(c.entries)
	clear(c.dirty)
	clear(c.undo)
	c.dirty, c.undo, c.size = c.dirty[:0], c.undo[:0], 0
}

// absent notes that there is no such record.
func (c *cache[T]) absent(key string) {
	if c.entries[key] == nil {
		c.entries[key] = &entry[T]{}
	}
}

// entry finds a record, reading it when the transaction has not seen it.
func (c *cache[T]) entry(t *txn, key string) (*entry[T], error) {
	if e, ok := c.entries[key]; ok {
		return e, nil
	}
	v, found, err := loadRecord(context.Background(), t.c, c.kind, key)
	if err != nil {
		return nil, t.failed(err)
	}
	e := &entry[T]{val: v, exists: found, inDB: found, saved: v}
	c.size += c.kind.weigh(&v)
	c.entries[key] = e
	return e, nil
}

// rollBack takes back the current write's changes, newest first.
func (c *cache[T]) rollBack() {
	for i := len(c.undo) - 1; i >= 0; i-- {
		*c.undo[i].of = c.undo[i].old
	}
	clear(c.undo)
	c.undo = c.undo[:0]
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
func (c *cache[T]) flush(t *txn) error {
	if len(c.dirty) == 0 {
		return nil
	}
	err := t.c.sql.Raw(func(d any) error {
		for _, e := range c.dirty {
			if !e.dirty {
				continue
			}
			var err error
			if e.inDB {
				err = c.kind.update(t.c, d, &e.val, &e.saved)
			} else {
				err = c.kind.insert(t.c, d, &e.val)
			}
			if err != nil {
				return err
			}
			e.dirty, e.inDB, e.saved = false, true, e.val
		}
		return nil
	})
	clear(c.dirty)
	c.dirty = c.dirty[:0]
	return err
}

// reducer is a record that moves through events.
type reducer[T any] interface {
	*T
	Apply(model.Event) error
}

// step takes the event's record through the event, and moves the count.
func step[T any, P reducer[T]](t *txn, c *cache[T], e model.Event, counter func(T) model.Counter) error {
	rec, err := c.entry(t, e.Key)
	if err != nil {
		return err
	}
	next := rec.val
	if err := P(&next).Apply(e); err != nil {
		var known *model.Error
		if errors.As(err, &known) {
			return err
		}
		return model.Errorf(model.CodeInvalid, "event of kind %s: %w", e.Kind, err)
	}
	c.undo = append(c.undo, undoStep[T]{rec, *rec})
	if rec.exists {
		t.count(counter(rec.val), -1)
	}
	t.count(counter(next), 1)
	if !rec.dirty {
		c.dirty = append(c.dirty, rec)
	}
	rec.val, rec.exists, rec.dirty = next, true, true
	c.size += len(e.Payload)
	return nil
}
