package queue

import (
	"context"

	"binnacle/backend/queue/receipt"
	"binnacle/backend/store"
	"binnacle/model/directive"
)

// Receipts are those of the claims whose answers are on their way out.
func (q *Queue) Receipts() receipt.Folder { return q.receipts }

// Delivered says that the claim's answer is out. It is for claims of
// Next{Receipt: true}; for others it does nothing.
func (c *Claim) Delivered() error {
	r := c.receipt
	c.receipt = nil
	return r.Close()
}

// GiveBack ends a claim whose answer could not be delivered: the directive is
// pending at its old place, and the attempt is not counted. It needs the claim's
// token, as every step of a holder does.
func (q *Queue) GiveBack(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "give-back")
		if err != nil {
			return q.already(tx, a, "give-back", err)
		}
		return q.write(tx, d, directive.StatusPending, q.payload(a, "give-back", d, forced), 0)
	})
}

const sqlTakenByHash = `SELECT id FROM directives WHERE status = 'taken' AND token_hash = $1`

// Undelivered gives back, uncounted, every claim whose process died before its
// answer was out.
func (q *Queue) Undelivered(ctx context.Context) ([]Reclaimed, error) {
	all := q.receipts.Abandoned()
	if len(all) == 0 {
		return nil, nil
	}
	var out []Reclaimed
	err := q.store.Write(ctx, func(tx store.Tx) error {
		out = nil
		for _, r := range all {
			ids, err := idsOf(tx, sqlTakenByHash, r.Hash())
			if err != nil {
				return err
			}
			for _, id := range ids {
				d, err := readOne(tx, id)
				if err != nil {
					return err
				}
				out = append(out, Reclaimed{ID: id, Lane: d.Lane, TakenBy: d.TakenBy, TakenAt: d.TakenAt, LeaseUntil: d.LeaseUntil, Undelivered: true})
				_, err = q.write(tx, d, directive.StatusPending, &directive.Payload{
					Action: "give-back", Why: "the process of " + holder(d) + " ended before its answer was out",
				}, 0)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, r := range all {
		if err != nil {
			r.Abandon() // it stays for whoever comes next
			continue
		}
		err = r.Close()
	}
	return out, err
}
