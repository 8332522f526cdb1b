package queue

import (
	"context"
	"fmt"
	"strings"

	"binnacle/backend/store"
	"binnacle/model/directive"
)

// Fail hands a claim back whose work failed. That counts as a lapse does: the
// directive is pending at its old place, or parked when it happened too often,
// which asks for an operator.
func (q *Queue) Fail(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "fail")
		if err != nil {
			return q.already(tx, a, "fail", err)
		}
		if !q.poisoned(d) {
			return q.write(tx, d, directive.StatusPending, q.payload(a, "fail", d, forced), 0)
		}
		// The evidence follows: what is cut off must not be why it is parked.
		nth := fmt.Sprintf("its %s failure", ordinal(d.Lapses+1))
		a.Why = strings.ToValidUTF8(nth+": "+a.Why, "")
		if len(a.Why) > directive.MaxWhy {
			a.Why = strings.ToValidUTF8(a.Why[:directive.MaxWhy], "")
		}
		c, err := q.write(tx, d, directive.StatusParked, q.payload(a, "poison", d, forced), 0)
		if err != nil {
			return Change{}, err
		}
		return c, q.askOperator(tx, c)
	})
}
