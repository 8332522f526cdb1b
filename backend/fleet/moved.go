package fleet

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"

	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
)

// rowsMark names the mark that changes with every change of the sessions' rows.
// Most of them make no event, so the ledger's head does not tell. Its value is
// never used twice, not by a restored database either.
const rowsMark = "rows"

// moved says in a write that it changed the sessions' rows.
func moved(tx store.Tx) error {
	var mark [16]byte
	_, _ = rand.Read(mark[:]) // never fails
	return putMark(tx, rowsMark, hex.EncodeToString(mark[:]))
}

// Rows are this workspace's sessions at the instant of one read, those that are
// open first, the newest report first in each. The zero value has none.
type Rows struct{ list []Session }

// keptRows are the rows as they were read last; "" is no mark.
type keptRows struct {
	mark string
	rows Rows
}

// RowsMoved makes every process read the sessions' rows again, after they were
// made anew.
func RowsMoved(ctx context.Context, s store.Store) error { return s.Write(ctx, moved) }

// ReadRows reads the sessions' rows at the reader's instant. Where nothing
// changed them since they were read last it costs a look at one mark.
func (f *Fleet) ReadRows(r store.Reader) (Rows, error) {
	var mark string
	err := r.QueryRow(`SELECT value FROM fleet_marks WHERE name = $1`, rowsMark).Scan(&mark)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Rows{}, err
	}
	f.mu.Lock()
	kept := f.rows
	f.mu.Unlock()
	if mark != "" && kept.mark == mark {
		return kept.rows, nil
	}
	f.rowReads.Add(1)
	var rows Rows
	for _, where := range []string{`s.state <> 'ended'`, `s.state = 'ended'`} {
		if err := scanSessions(r, where, &rows.list); err != nil {
			return Rows{}, err
		}
	}
	f.mu.Lock()
	f.rows = keptRows{mark, rows}
	f.mu.Unlock()
	return rows, nil
}

// RowReads counts how often the rows themselves were read.
func (f *Fleet) RowReads() int64 { return f.rowReads.Load() }

// judged are the sessions with what is known of their processes now.
func (f *Fleet) judged(rows Rows, now model.Reading) []Session {
	out := append([]Session(nil), rows.list...)
	for i := range out {
		s := &out[i]
		s.Alive = s.State != model.SessionEnded && f.judges(s, now) && process.Same(s.PID, s.start)
	}
	return out
}
