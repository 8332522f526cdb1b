package verify

import (
	"fmt"

	"binnacle/backend/store"
	"binnacle/model"
)

// diagnose says in plain words what is wrong with the event after w. It may
// scan the table once: it runs once, after something was found.
func (w *walker) diagnose(r store.Reader, t *trouble) (*Finding, error) {
	n := t.seq
	if t.odd != "" {
		return &Finding{
			Seq: n, What: WhatEnvelope,
			Message: fmt.Sprintf("event %d was changed in %s: it holds the value in another form than this program writes ('' or 0 in the place of NULL, or another type)", n, t.odd),
		}, nil
	}
	if t.history != nil {
		e, err := r.Event(n)
		if err != nil {
			return nil, err
		}
		return &Finding{
			Seq: n, What: WhatHistory, Kind: e.Kind, Key: e.Key,
			Message: fmt.Sprintf("event %d is a step that can't be: %s", n, t.history),
		}, nil
	}
	e, err := r.Event(n)
	if err != nil && model.CodeOf(err) != model.CodeNotFound {
		return nil, err
	}
	if err != nil {
		return w.absent(r, n)
	}
	if f, err := w.displaced(r, e); f != nil || err != nil {
		return f, err
	}
	var h hasher
	if !h.ok(&e) {
		return w.changed(r, e)
	}
	if e.Prev != w.hash {
		return w.unlinked(r, e)
	}
	return &Finding{Seq: n, What: WhatOrder, Message: fmt.Sprintf("event %d says it is older than event %d", n, n-1)}, nil
}

// absent: there is no row n.
func (w *walker) absent(r store.Reader, n int64) (*Finding, error) {
	if f, err := w.elsewhere(r, n); f != nil || err != nil {
		return f, err
	}
	next, err := r.Events(n, 1)
	if err != nil {
		return nil, err
	}
	if len(next) > 0 {
		return &Finding{Seq: n, What: WhatMissing, Message: fmt.Sprintf("%s missing: the next there is event %d", areMissing(n, next[0].Seq-1), next[0].Seq)}, nil
	}
	last := n
	if head, err := r.Head(); err == nil {
		last = max(last, head.Seq)
	}
	if end, err := checksEnd(r); err == nil {
		last = max(last, end)
	}
	return &Finding{Seq: n, What: WhatMissing, Message: areMissing(n, last) + " missing: the end of the ledger was cut off"}, nil
}

func areMissing(from, to int64) string {
	if from == to {
		return span(from, to) + " is"
	}
	return span(from, to) + " are"
}

// elsewhere finds the true event n under another number.
func (w *walker) elsewhere(r store.Reader, n int64) (*Finding, error) {
	found, err := store.SelectEvents(r, `WHERE prev = $1 AND seq <> $2 ORDER BY seq LIMIT 10`, w.hash, n)
	if err != nil {
		return nil, err
	}
	var h hasher
	for _, c := range found {
		stands := c.Seq
		if c.Seq = n; h.ok(&c) {
			return &Finding{Seq: n, What: WhatOrder, Message: fmt.Sprintf("the order was changed: event %d stands as event %d", n, stands)}, nil
		}
	}
	return nil, nil
}

// displaced: another event stands as event n.
func (w *walker) displaced(r store.Reader, e model.Event) (*Finding, error) {
	var h hasher
	n := e.Seq
	if h.ok(&e) {
		return nil, nil
	}
	if f, err := w.elsewhere(r, n); f != nil || err != nil {
		return f, err
	}
	const window = 1000
	for d := int64(1); d <= window; d++ {
		for _, m := range [2]int64{n + d, n - d} {
			if e.Seq = m; m > 0 && h.ok(&e) {
				return &Finding{Seq: n, What: WhatMissing, Message: fmt.Sprintf("event %d is missing: event %d stands in its place", n, m)}, nil
			}
		}
	}
	return nil, nil
}

// changed: the event's bytes are not those that were hashed.
func (w *walker) changed(r store.Reader, e model.Event) (*Finding, error) {
	n := e.Seq
	var h hasher
	if e.Prev != w.hash {
		good := e
		good.Prev = w.hash
		if h.ok(&good) {
			return &Finding{Seq: n, What: WhatLink, Message: fmt.Sprintf("the link of event %d to event %d was changed (prev)", n, n-1)}, nil
		}
	}
	sum, known, err := checkSum(r, n)
	if err != nil {
		return nil, err
	}
	if known && sum != store.Sum(e.Payload) {
		return &Finding{Seq: n, What: WhatPayload, Message: fmt.Sprintf("the payload of event %d was changed", n)}, nil
	}
	// What follows tells the true hash: if the bytes give it, the hash was edited.
	next, err := r.Events(n, 1)
	if err != nil {
		return nil, err
	}
	if len(next) > 0 && next[0].Seq == n+1 && next[0].Prev == model.HashOf(e.AppendCanonical(nil)) {
		return &Finding{Seq: n, What: WhatEnvelope, Message: fmt.Sprintf("the hash of event %d was changed", n)}, nil
	}
	if !known {
		return &Finding{Seq: n, What: WhatPayload, Message: fmt.Sprintf("the payload or the envelope of event %d was changed", n)}, nil
	}
	return &Finding{Seq: n, What: WhatEnvelope, Message: fmt.Sprintf("the envelope of event %d was changed (topic, producer, kind, key, state, causation or time)", n)}, nil
}

// unlinked: the event is whole, but does not continue the one before it.
func (w *walker) unlinked(r store.Reader, e model.Event) (*Finding, error) {
	n := e.Seq
	if n > 1 {
		before, err := r.Event(n - 1)
		if err == nil {
			sum, known, err := checkSum(r, n-1)
			if err != nil {
				return nil, err
			}
			if known && sum != store.Sum(before.Payload) {
				return &Finding{Seq: n - 1, What: WhatPayload, Message: fmt.Sprintf("the payload of event %d was changed and hashed again: event %d does not continue it", n-1, n)}, nil
			}
		}
	}
	sum, known, err := checkSum(r, n)
	if err != nil {
		return nil, err
	}
	if known && sum != store.Sum(e.Payload) {
		return &Finding{Seq: n, What: WhatPayload, Message: fmt.Sprintf("the payload of event %d was changed and hashed again", n)}, nil
	}
	return &Finding{Seq: n, What: WhatLink, Message: fmt.Sprintf("event %d does not continue event %d: one of them was replaced", n, n-1)}, nil
}

// checkSum returns the checksum of an event's payload that was kept when it was
// committed; known is false when there is none.
func checkSum(r store.Reader, seq int64) (sum uint32, known bool, err error) {
	rows, err := r.Query(`SELECT first, sums FROM checks WHERE first <= $1 ORDER BY first DESC LIMIT 1`, seq)
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, false, rows.Err()
	}
	var first int64
	var sums []byte
	if err := rows.Scan(&first, &sums); err != nil {
		return 0, false, err
	}
	i := 4 * (seq - first)
	if i < 0 || i+4 > int64(len(sums)) {
		return 0, false, nil
	}
	b := sums[i : i+4]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]), true, nil
}

// checksEnd returns the last event that a checksum was kept for, 0 for none.
func checksEnd(r store.Reader) (int64, error) {
	rows, err := r.Query(`SELECT first + length(sums) / 4 - 1 FROM checks ORDER BY first DESC LIMIT 1`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var end int64
	if rows.Next() {
		err = rows.Scan(&end)
	}
	if err == nil {
		err = rows.Err()
	}
	return end, err
}
