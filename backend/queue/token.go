package queue

import (
	"binnacle/backend/lease"
	"binnacle/model"
)

// holds says whether the token is that of d's current claim.
func holds(d model.Directive, token string) bool {
	return d.Status == model.StatusTaken && lease.Matches(token, d.TokenHash)
}
