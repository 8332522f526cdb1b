package sqlite

import (
	"database/sql/driver"
	"slices"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// txn is one BEGIN IMMEDIATE transaction, shared by many writes.
//
// What writes append is held in memory: events in pend, records as entries,
// counts as deltas. It goes to the database in bulk, at the end or as soon as
// somebody's statement names a table whose rows are still here. The invariant
// that makes a write roll back alone: whatever of the *current* write has gone
// to the database went there inside its savepoint, and everything of earlier
// writes went there before that savepoint opened. So a write that only appends
// needs no savepoint, and rolls back by undoing its entries in memory.
type txn struct {
	c     *conn
	clock model.Clock
	start model.Head // as committed before this transaction

	head    model.Head
	pend    []model.Event // appended, not yet inserted
	bytes   int           // payload bytes appended since the last insert
	sums    []byte        // checks of every event of the transaction
	counts  map[model.Counter]int64
	records []cache         // by the projection's number
	headSet bool            // the head row holds head
	wrote   bool            // something was written to the database
	notify  map[string]bool // channels to ring after the commit; also of writes that failed
	intact  bool            // it ended well: the records read so far hold as long as the head does
	scratch []byte
	values  []driver.NamedValue

	// The current write.
	clocks model.Reading // as they were at its begin
	now    model.Time
	saved  bool // its savepoint is open
	mark   mark
	drafts []model.Draft // appended by it
	broken error         // the transaction can't go on
}

// mark is what undoing a write in memory goes back to.
type mark struct {
	head    model.Head
	pend    int
	sums    int
	headSet bool
	counts  []countStep
}

type countStep struct {
	of    model.Counter
	delta int64
}

func newTxn(c *conn, clock model.Clock) *txn {
	return &txn{c: c, clock: clock, counts: map[model.Counter]int64{}, notify: map[string]bool{}, records: newCaches(c.of)}
}

// reset readies t for a new transaction whose committed head is h. When that is
// where this process left it, nobody has appended since, and by the law of the
// fold nobody has moved a record: those already read are kept.
func (t *txn) reset(h model.Head) {
	full := func(c cache) bool { return c.full() }
	if !t.intact || h != t.head || slices.ContainsFunc(t.records, full) {
		t.forgetRecords()
	}
	t.start, t.head, t.intact = h, h, false
	clear(t.pend)
	t.pend, t.sums = t.pend[:0], t.sums[:0]
	clear(t.counts)
	clear(t.notify)
	t.headSet, t.wrote, t.broken, t.bytes = true, false, nil, 0
}

func (t *txn) forgetRecords() {
	for i := range t.records {
		t.records[i].forget()
	}
}

// begin readies t for the next write.
func (t *txn) begin() {
	t.clocks = t.clock()
	t.now = max(t.clocks.Wall, t.head.TS)
	t.saved = false
	clear(t.drafts)
	t.drafts = t.drafts[:0]
	t.setMark()
}

func (t *txn) setMark() {
	t.mark = mark{
		head: t.head, pend: len(t.pend), sums: len(t.sums), headSet: t.headSet, counts: t.mark.counts[:0],
	}
	for i := range t.records {
		c := &t.records[i]
		c.undo, c.mark = c.undo[:0], c.last
	}
}

// undo takes back what the write appended and has not gone to the database.
func (t *txn) undo() {
	m := &t.mark
	for _, s := range m.counts {
		t.counts[s.of] -= s.delta
	}
	m.counts = m.counts[:0]
	for i := range t.records {
		t.records[i].rollBack()
	}
	clear(t.pend[m.pend:])
	t.pend, t.sums = t.pend[:m.pend], t.sums[:m.sums]
	t.head, t.headSet = m.head, m.headSet
}

// end finishes the write: with an error nothing of it stays.
func (t *txn) end(failed bool) {
	if t.broken != nil {
		return
	}
	if !t.saved {
		if failed {
			t.undo()
		}
		return
	}
	if !failed {
		t.check(t.c.exec(stmtRelease))
		return
	}
	// Everything of earlier writes went to the database before the savepoint, so
	// memory holds this write's leavings only.
	if t.check(t.c.exec(stmtRollbackTo)); t.broken == nil {
		t.check(t.c.exec(stmtRelease))
	}
	t.head, t.headSet = t.mark.head, t.mark.headSet
	clear(t.pend)
	t.pend, t.sums = t.pend[:0], t.sums[:t.mark.sums]
	clear(t.counts)
	t.forgetRecords()
}

// check remembers an error after which the transaction can't go on.
func (t *txn) check(err error) {
	if err != nil && t.broken == nil {
		t.broken = err
	}
}

// append links a draft onto the chain and moves its record and the counts.
func (t *txn) append(d model.Draft) (model.Event, error) {
	if d.Causation != 0 && (d.Causation < 1 || d.Causation > t.head.Seq) {
		return model.Event{}, model.Errorf(model.CodeInvalid,
			"causation %d is not an earlier event: the newest is %d", d.Causation, t.head.Seq)
	}
	given := d
	var c *cache
	if of := t.c.of.Owner(d.Kind, d.Topic); of >= 0 {
		c = &t.records[of]
	}
	if d.Key == "" && c != nil {
		if err := t.nameRecord(&d, c); err != nil {
			return model.Event{}, err
		}
	}
	e, head, scratch := t.head.Link(d, t.now, t.scratch)
	t.scratch = scratch
	if c != nil {
		if err := t.step(c, e); err != nil {
			return model.Event{}, err
		}
	}
	t.count(model.Counter{Plane: model.PlaneRecord, Name: "total"}, 1)
	t.count(model.Counter{Plane: model.PlaneRecord, Name: string(d.Kind)}, 1)
	t.pend = append(t.pend, e)
	t.sums = appendSum(t.sums, e.Payload)
	t.head, t.headSet = head, false
	t.drafts = append(t.drafts, given)
	if t.bytes += len(e.Payload); len(t.pend) >= maxPending || t.bytes >= maxPendingBytes {
		return e, t.show(touchEvents)
	}
	return e, nil
}

// Bounds of what a transaction holds back in memory.
const (
	maxPending      = 4096
	maxPendingBytes = 8 << 20
)

// failed remembers err when it ends the transaction, and explains it.
func (t *txn) failed(err error) error {
	if sqlitefile.EndsTransaction(err) {
		t.check(err)
	}
	return sqlitefile.Explain("use the database", err)
}

func (t *txn) count(of model.Counter, delta int64) {
	t.counts[of] += delta
	t.mark.counts = append(t.mark.counts, countStep{of, delta})
}

func appendSum(dst, payload []byte) []byte {
	s := store.Sum(payload)
	return append(dst, byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
}
