package queue

import (
	"context"
	"database/sql"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/queue/receipt"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// Next asks for one directive.
type Next struct {
	Lane     string        // "" is the default lane
	Consumer string        // who asks; "" is "-"
	Lease    time.Duration // 0 is the queue's default
	// Stale not 0: claims older than this are taken back first, whatever their
	// leases say.
	Stale time.Duration
	// Receipt: the claim's answer is on its way out until Claim.Delivered. When
	// the process dies before, the claim is given back, see package receipt. It
	// needs Options.Receipts.
	Receipt bool
}

// Claim is a directive that was taken, with the token that proves it. The
// token is nowhere else.
type Claim struct {
	Directive directive.Directive `json:"directive"`
	Token     string              `json:"claim_token"`
	Seq       int64               `json:"seq"` // of the event

	receipt *receipt.Receipt
}

// ErrEmpty is the code of a lane that has nothing to give: model.CodeEmpty.
func errEmpty(lane string) error {
	return model.Errorf(model.CodeEmpty, "lane %s has nothing pending", lane)
}

// Next takes the first directive of the lane: exactly one caller gets it. An
// empty lane is CodeEmpty. What is due is brought about first: leases that ran
// out are taken back, deferrals whose time has come are promoted.
func (q *Queue) Next(ctx context.Context, n Next) (Claim, error) {
	if err := q.checkNext(&n); err != nil {
		return Claim{}, err
	}
	token, err := q.tokens.New()
	if err != nil {
		return Claim{}, err
	}
	hash := lease.Hash(token)
	var r *receipt.Receipt
	promise := func() (err error) {
		if n.Receipt && r == nil {
			r, err = q.receipts.Make(hash)
		}
		return err
	}
	if n.Receipt {
		if _, err := q.Undelivered(ctx); err != nil {
			return Claim{}, err
		}
	}
	var c Change
	err = q.store.Write(ctx, func(tx store.Tx) (err error) {
		c, err = q.claim(tx, n, hash, promise)
		return err
	})
	if err == nil && c.After.ID == 0 {
		err = errEmpty(n.Lane)
	}
	if err != nil {
		// What became of a commit whose answer is an error is not known, and the
		// receipt's deletion would leave the claim to its lease: let it go unlocked.
		r.Abandon()
		return Claim{}, err
	}
	return Claim{Directive: c.After, Token: token, Seq: c.Seq, receipt: r}, nil
}

func (q *Queue) checkNext(n *Next) (err error) {
	if n.Lane, err = laneOr(n.Lane); err != nil {
		return err
	}
	if n.Consumer == "" {
		n.Consumer = "-"
	}
	if err := model.CheckName("consumer", n.Consumer, model.MaxProducer); err != nil {
		return err
	}
	if err := q.redactor.CheckText("the consumer", n.Consumer); err != nil {
		return err
	}
	if n.Lease == 0 {
		n.Lease = q.lease
	}
	if n.Receipt && q.receipts == "" {
		return model.Errorf(model.CodeInternal, "there is no place for receipts")
	}
	if n.Stale < 0 {
		return model.Errorf(model.CodeInvalid, "the age of a stale claim is negative")
	}
	return checkLease(n.Lease)
}

// claim is Next inside of a transaction. The zero Change is: nothing there.
// That is no error, for what settling did has to stay. promise is called before
// the claim is written.
func (q *Queue) claim(tx store.Tx, n Next, hash string, promise func() error) (Change, error) {
	if n.Stale > 0 {
		if _, err := q.reapStale(tx, n.Stale, settleBatch); err != nil {
			return Change{}, err
		}
	}
	if err := q.settle(tx); err != nil {
		return Change{}, err
	}
	id, err := q.frontOf(tx, n.Lane)
	if err == nil && id == 0 {
		// Before saying that nothing is there, look without any shortcut.
		if err = q.settleAll(tx); err == nil {
			id, err = q.first(tx, n.Lane, tx.Now())
		}
	}
	if err != nil || id == 0 {
		return Change{}, err
	}
	d, err := readOne(tx, id)
	if err != nil {
		return Change{}, err
	}
	if err := promise(); err != nil {
		return Change{}, err
	}
	p := &directive.Payload{Action: "take", By: n.Consumer, TokenHash: hash}
	p.SetLease(model.NewLease(tx.Clocks(), n.Lease))
	if p.LeaseBoot != "" {
		p.TakenAwake = tx.Clocks().Awake.Microseconds()
	}
	return q.write(tx, d, directive.StatusTaken, p, 0)
}

const (
	sqlFirst = `SELECT priority, id FROM directives WHERE lane = $1 AND status = 'pending' ORDER BY priority, id LIMIT $2`
	sqlLine  = `SELECT id, priority, since, coalesce(importance, 0), coalesce(deadline, 0) FROM directives` +
		` WHERE lane = $1 AND status = 'pending' AND priority = $2 ORDER BY id LIMIT $3`
)

// frontOf is first for claims: it remembers the line from one to the next.
func (q *Queue) frontOf(tx store.Tx, lane string) (int64, error) {
	if q.ageing.On() {
		return q.first(tx, lane, tx.Now())
	}
	return q.memo.front(tx, lane)
}

// first returns the id of what next takes from the lane, or 0. Only pending
// directives count: what is due is not yet one.
func (v *view) first(r store.Reader, lane string, now model.Time) (int64, error) {
	if v.ageing.On() {
		line, _, err := v.line(r, lane)
		if err != nil || len(line) == 0 {
			return 0, err
		}
		best := line[0]
		for _, d := range line[1:] {
			if v.ageing.Compare(d, best, now) < 0 {
				best = d
			}
		}
		return best.ID, nil
	}
	line, err := readPlaces(r, lane, 1)
	if err != nil || len(line) == 0 {
		return 0, err
	}
	return line[0].id, nil
}

// readPlaces returns the first places of the lane, in order.
func readPlaces(r store.Reader, lane string, limit int) (line []place, err error) {
	err = each(r, func(rows *sql.Rows) error {
		var p place
		err := rows.Scan(&p.priority, &p.id)
		line = append(line, p)
		return err
	}, sqlFirst, lane, limit)
	return line, err
}

// line returns the lane's pending directives as far as AgeingWindow reaches,
// with the fields that the order needs; whole is false when there are more.
func (v *view) line(r store.Reader, lane string) (line []directive.Directive, whole bool, err error) {
	whole = true
	for p := directive.P0; p <= directive.P2; p++ {
		before := len(line)
		err = each(r, func(rows *sql.Rows) error {
			d := directive.Directive{Status: directive.StatusPending, Lane: lane}
			line = append(line, d)
			x := &line[len(line)-1]
			return rows.Scan(&x.ID, &x.Priority, &x.Since, &x.Importance, &x.Deadline)
		}, sqlLine, lane, int64(p), AgeingWindow)
		if err != nil {
			return nil, false, err
		}
		whole = whole && len(line)-before < AgeingWindow
	}
	return line, whole, nil
}
