package sqlite

import (
	"database/sql/driver"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// waiting returns the tables whose rows are still in memory, of all writes.
func (t *txn) waiting() touch {
	var w touch
	if len(t.pend) > 0 {
		w |= touchEvents
	}
	if !t.headSet {
		w |= touchHead
	}
	if len(t.counts) > 0 {
		w |= touchPlanes
	}
	for i := range t.records {
		if len(t.records[i].dirty) > 0 {
			w |= touchRecord(i)
		}
	}
	return w
}

// own returns the tables of which the current write has rows in memory.
func (t *txn) own() touch {
	if len(t.drafts) == 0 {
		return 0
	}
	w := touchEvents | touchHead | touchPlanes
	for i := range t.drafts {
		if of := t.c.of.Owner(t.drafts[i].Kind, t.drafts[i].Topic); of >= 0 {
			w |= touchRecord(of)
		}
	}
	return w & t.waiting()
}

// show makes the rows of the named tables visible to a statement. It opens the
// savepoint when that takes rows of the current write to the database.
func (t *txn) show(names touch) error {
	need := names & t.waiting()
	if need == 0 {
		return nil
	}
	if need&t.own() != 0 {
		if err := t.save(); err != nil {
			return err
		}
	}
	return t.flush(need & t.waiting())
}

// save opens the write's savepoint. Everything of earlier writes goes to the
// database first; what this write has appended is taken back for that and
// appended again, which gives the same events.
func (t *txn) save() error {
	if t.saved {
		return nil
	}
	var again []model.Draft
	if len(t.drafts) > 0 {
		again = append(again, t.drafts...)
		t.undo()
		t.drafts = t.drafts[:0]
	}
	if err := t.flush(touchAll); err != nil {
		return err
	}
	if err := t.c.exec(stmtSavepoint); err != nil {
		return t.failed(err)
	}
	t.saved, t.wrote = true, true
	t.setMark()
	for _, d := range again {
		if _, err := t.append(d); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the rows of the named tables.
func (t *txn) flush(names touch) error {
	if names&t.waiting() == 0 {
		return nil
	}
	t.wrote = true
	err := t.flushRows(names)
	if err != nil {
		// Memory and database may differ now: nothing can be built on it.
		t.check(err)
		return sqlitefile.Explain("write to the database", err)
	}
	return nil
}

func (t *txn) flushRows(names touch) error {
	if names&touchEvents != 0 && len(t.pend) > 0 {
		if err := t.insertEvents(); err != nil {
			return err
		}
		clear(t.pend)
		t.pend, t.bytes = t.pend[:0], 0
		t.mark.pend = 0
	}
	if names&touchHead != 0 && !t.headSet {
		if err := t.c.exec(stmtSetHead, t.head.Seq, t.head.Hash, int64(t.head.TS)); err != nil {
			return err
		}
		t.headSet = true
	}
	if names&touchPlanes != 0 && len(t.counts) > 0 {
		if err := t.addCounts(); err != nil {
			return err
		}
	}
	for i := range t.records {
		if names&touchRecord(i) != 0 {
			if err := t.records[i].flush(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *txn) addCounts() error {
	err := t.c.sql.Raw(func(d any) error {
		for of, n := range t.counts {
			if n == 0 {
				continue
			}
			args := t.c.named([]driver.Value{of.Plane, of.Name, n})
			if _, err := t.c.execOn(d, stmtAddCount, args); err != nil {
				return err
			}
		}
		return nil
	})
	clear(t.counts)
	return err
}

// insertEvents writes the pending events, many rows a statement.
func (t *txn) insertEvents() error {
	return t.c.sql.Raw(func(d any) error {
		for rest := t.pend; len(rest) > 0; {
			id, n := stmtInsertEvent, 1
			switch {
			case len(rest) >= 32:
				id, n = stmtInsertEvents32, 32
			case len(rest) >= 8:
				id, n = stmtInsertEvents8, 8
			}
			if _, err := t.c.execOn(d, id, t.eventValues(rest[:n])); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	})
}

// eventValues lays the events out as bindings. Neighbours often share their
// topic, producer and kind, and always the link: equal neighbours share the
// boxed value.
func (t *txn) eventValues(events []model.Event) []driver.NamedValue {
	need := len(events) * eventFieldCount
	for len(t.values) < need {
		t.values = append(t.values, driver.NamedValue{Ordinal: len(t.values) + 1})
	}
	v := t.values[:need]
	text := func(i int, s string) {
		if i >= eventFieldCount {
			if before, ok := v[i-eventFieldCount].Value.(string); ok && before == s {
				v[i].Value = v[i-eventFieldCount].Value
				return
			}
		}
		v[i].Value = s
	}
	for k := range events {
		e, i := &events[k], k*eventFieldCount
		v[i].Value = e.Seq
		v[i+1].Value = int64(e.TS)
		text(i+2, e.Topic)
		text(i+3, e.Producer)
		text(i+4, string(e.Kind))
		v[i+5].Value = store.NullText(e.Key)
		v[i+6].Value = store.NullText(e.State)
		v[i+7].Value = store.NullInt(e.Causation)
		v[i+8].Value = string(e.Payload)
		if k > 0 {
			v[i+9].Value = v[i-1].Value // the former event's hash
		} else {
			v[i+9].Value = e.Prev
		}
		v[i+10].Value = e.Hash
	}
	return v
}

// finish writes what is still in memory, the checks, and the spans that are full
// now.
func (t *txn) finish() error {
	if err := t.flush(touchAll); err != nil {
		return err
	}
	if len(t.sums) == 0 {
		return nil
	}
	err := t.c.exec(stmtAddChecks, t.start.Seq+1, t.sums)
	if err == nil {
		err = t.c.addSpans(store.FullSpans(t.start.Seq), store.FullSpans(t.head.Seq))
	}
	t.check(err)
	return sqlitefile.Explain("write to the database", err)
}
