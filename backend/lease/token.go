package lease

import (
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"binnacle/backend/store"
	"binnacle/model"
)

// Tokens makes claim tokens of 128 bits. Only their hashes are kept.
type Tokens struct {
	Random io.Reader // nil: the system's
	mu     sync.Mutex
}

// New makes a token: 32 hexadecimal digits.
func (t *Tokens) New() (string, error) {
	random := t.Random
	if random == nil {
		random = rand.Reader
	}
	var b [16]byte
	t.mu.Lock()
	_, err := io.ReadFull(random, b[:])
	t.mu.Unlock()
	if err != nil {
		return "", model.Errorf(model.CodeInternal, "no random claim token could be made: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// Hash is what the database keeps of a token: SHA-256, in hex.
func Hash(token string) string { return model.HashOf([]byte(token)) }

// Matches compares a token with a hash in a time that tells nothing about it. An
// absent hash or token matches nothing.
func Matches(token, hash string) bool {
	return token != "" && hash != "" && subtle.ConstantTimeCompare([]byte(Hash(token)), []byte(hash)) == 1
}

// Ended finds how the claim of the token on a record ended: the first event
// behind the claim's that is none of the actions that a claim survives. ok is
// false where there was no such claim, or it did not end. A holder whose answer
// was lost asks again, and is told by it what its step did then.
func Ended(r store.Reader, kind model.Kind, key, token string, survives ...string) (seq int64, ok bool, err error) {
	var claim int64
	err = r.QueryRow(`SELECT coalesce(max(seq), 0) FROM events WHERE key = $1 AND kind = $2 AND replace(payload, $3, '') <> payload`,
		key, string(kind), `"token_hash":"`+Hash(token)+`"`).Scan(&claim)
	if err != nil || claim == 0 {
		return 0, false, store.Explain("look for the claim", err)
	}
	var query strings.Builder
	query.WriteString(`SELECT seq FROM events WHERE key = $1 AND kind = $2 AND seq > $3`)
	args := []any{key, string(kind), claim}
	for _, action := range survives {
		// A payload is canonical, so its action stands at its beginning.
		begin := `{"action":"` + action + `"`
		args = append(args, begin)
		query.WriteString(` AND substr(payload, 1, ` + strconv.Itoa(len(begin)) + `) <> $` + strconv.Itoa(len(args)))
	}
	query.WriteString(` ORDER BY seq LIMIT 1`)
	err = r.QueryRow(query.String(), args...).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return seq, err == nil, store.Explain("look how the claim ended", err)
}
