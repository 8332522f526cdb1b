package queue

import (
	"context"
	"encoding/json"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// promoteBatch bounds how many dependants a blocker's end promotes in its own
// transaction; finish does the rest in transactions of their own.
const promoteBatch = 1_000

const (
	sqlDependants = `SELECT b.id FROM directive_blocks b JOIN directives d ON d.id = b.id` +
		` WHERE b.blocked_by = $1 AND d.status = 'deferred' AND coalesce(d.not_before, 0) <= $2` +
		` AND NOT EXISTS (SELECT 1 FROM directive_blocks o LEFT JOIN directives x ON x.id = o.blocked_by` +
		` WHERE o.id = b.id AND o.blocked_by <> $1 AND coalesce(x.status, '') NOT IN ('done', 'dropped'))` +
		` ORDER BY b.id LIMIT $3`
)

// dependants returns what waits for the directive alone, and would be due if it
// were final.
func (q *Queue) dependants(tx store.Tx, id int64) ([]int64, error) {
	if none, err := q.memo.blocksNothing(tx); err != nil || none {
		return nil, err
	}
	return idsOf(tx, sqlDependants, id, int64(tx.Clocks().Wall), promoteBatch)
}

// promote makes deferred directives pending because of the event cause, which
// may be 0.
func (q *Queue) promote(tx store.Tx, ids []int64, cause int64) error {
	for _, id := range ids {
		d, err := readOne(tx, id)
		if err != nil {
			return err
		}
		if _, err = q.write(tx, d, directive.StatusPending, &directive.Payload{Action: "promote", By: model.Self}, cause); err != nil {
			return err
		}
	}
	return nil
}

// promoteDue promotes at most limit deferrals whose time has come.
func (q *Queue) promoteDue(tx store.Tx, limit int) ([]int64, error) {
	ids, err := idsOf(tx, sqlDue, int64(tx.Clocks().Wall), limit)
	if err != nil {
		return nil, err
	}
	return ids, q.promote(tx, ids, 0)
}

// promoteLeft promotes at most limit deferrals that wait for nothing any more.
func (q *Queue) promoteLeft(tx store.Tx, limit int) ([]int64, error) {
	ids, err := idsOf(tx, sqlDueAlways, limit)
	if err != nil {
		return nil, err
	}
	return ids, q.promote(tx, ids, 0)
}

// promoteRest goes on promoting dependants of a directive that ended with more
// than one transaction's worth of them.
func (q *Queue) promoteRest(ctx context.Context, c *Change) error {
	for n := len(c.Promoted); n == promoteBatch; {
		var ids []int64
		err := q.store.Write(ctx, func(tx store.Tx) (err error) {
			if ids, err = q.dependants(tx, c.After.ID); err != nil {
				return err
			}
			return q.promote(tx, ids, c.Seq)
		})
		if err != nil {
			return err
		}
		c.Promoted = append(c.Promoted, ids...)
		n = len(ids)
	}
	return nil
}

func signalPayload(summary string) (json.RawMessage, error) {
	return json.Marshal(model.SignalPayload{Summary: summary, State: model.SignalPending})
}
