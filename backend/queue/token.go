package queue

import (
	"binnacle/backend/lease"
	"binnacle/model/directive"
)

// holds says whether the token is that of d's current claim.
func holds(d directive.Directive, token string) bool {
	return d.Status == directive.StatusTaken && lease.Matches(token, d.TokenHash)
}
