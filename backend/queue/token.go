package queue

import (
	"crypto/subtle"
	"encoding/hex"
	"io"

	"binnacle/model"
)

// tokenBytes is a claim token's strength: 128 bits.
const tokenBytes = 16

// newToken makes a claim token: 32 hexadecimal digits.
func (q *Queue) newToken() (string, error) {
	var b [tokenBytes]byte
	q.randomLock.Lock()
	_, err := io.ReadFull(q.random, b[:])
	q.randomLock.Unlock()
	if err != nil {
		return "", model.Errorf(model.CodeInternal, "no random token could be had: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// HashToken is what the database keeps of a claim token: SHA-256, in hex.
func HashToken(token string) string { return model.HashOf([]byte(token)) }

// holds says whether the token is that of d's current claim, in a time that
// tells nothing about the hash.
func holds(d model.Directive, token string) bool {
	if d.Status != model.StatusTaken || d.TokenHash == "" || token == "" {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(HashToken(token)), []byte(d.TokenHash)) == 1
}
