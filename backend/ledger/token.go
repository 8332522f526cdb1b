package ledger

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"io"

	"binnacle/model"
)

// tokenBytes is a claim token's length: 128 bits.
const tokenBytes = 16

// newToken makes a claim token, 32 hex digits. Only its hash is stored.
func (l *Ledger) newToken() (string, error) {
	var b [tokenBytes]byte
	if l.random == nil {
		rand.Read(b[:]) // never fails
		return hex.EncodeToString(b[:]), nil
	}
	l.randomMu.Lock()
	defer l.randomMu.Unlock()
	if _, err := io.ReadFull(l.random, b[:]); err != nil {
		return "", model.Errorf(model.CodeInternal, "no randomness for a claim token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// tokenMatches compares in constant time.
func tokenMatches(token, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(model.HashOf([]byte(token))), []byte(hash)) == 1
}
