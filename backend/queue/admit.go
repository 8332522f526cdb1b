package queue

import (
	"binnacle/backend/store"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Admit takes in a directive that another program had, in an import's
// transaction, as it stood there: with its id, which nobody may have here, its
// status, claim, times and links. It is for the importer to see that the whole
// makes sense. Secrets in its body and its reason are replaced; redacted is how
// many. seq is the event's.
func (q *Queue) Admit(tx store.Tx, d directive.Directive) (seq, redacted int64, err error) {
	p := &directive.Payload{
		Action: "push", Reconstructed: true, Why: d.Reason, Priority: &d.Priority, Lane: d.Lane, Parent: d.Parent,
		TokenHash: d.TokenHash, TakenAt: d.TakenAt, TakenBy: d.TakenBy, CreatedAt: d.CreatedAt, DoneAt: d.DoneAt,
		Attempt: d.Attempt, RequeueCount: d.RequeueCount,
	}
	if d.Importance != 0 {
		p.Importance = &d.Importance
	}
	if d.Deadline != 0 {
		p.Deadline = &d.Deadline
	}
	if d.LeaseUntil != 0 {
		p.LeaseUntil = &d.LeaseUntil
	}
	p.NotBefore, p.BlockedBy = deferral(d.NotBefore, d.BlockedBy)
	q.clean(p, d.Body, redact.SecretsRedact)
	c, err := q.write(tx, directive.Directive{ID: d.ID, Lane: d.Lane}, d.Status, p, 0)
	return c.Seq, p.Redacted, err
}

// Store is the store that the queue was opened on.
func (q *Queue) Store() store.Store { return q.store }

// Producer is who writes where a request names nobody.
func (q *Queue) Producer() string { return q.producer }
