package coord

import (
	"context"
	"strings"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// This file is what is heard of declared sessions. They have no process that
// could be looked for: each sign of life begins their lease anew, and one whose
// lease runs out is ended.

// Bounds of a declared session's lease.
const (
	DefaultLease = time.Hour
	MinLease     = time.Second
	MaxLease     = 30 * 24 * time.Hour
)

// reasonSilent is why a session ended of which nothing was heard for its lease.
const reasonSilent = "silent"

// Declared is a session that somebody declared, with what was heard of it.
type Declared struct {
	session.Session
	Seen  model.Reading // the last sign of life
	Act   string        // which one
	Acts  int64         // how many there were
	Span  time.Duration // of its lease; 0 once it is over
	Lease model.Lease
}

const signColumns = `t.boot, t.up, t.wall, t.act, t.acts, t.span, t.lease_until, coalesce(t.lease_boot, ''), coalesce(t.lease_awake, 0)`

func (d *Declared) dest() []any {
	return []any{&d.Seen.Boot, &d.Seen.Up, &d.Seen.Wall, &d.Act, &d.Acts, &d.Span, &d.Lease.Until, &d.Lease.Boot, &d.Lease.Awake}
}

// readDeclared reads the declared sessions that the rest of the statement
// chooses, of coord_signs as t and sessions as s.
func readDeclared(r store.Reader, rest string, args ...any) ([]Declared, error) {
	columns := signColumns + ", s." + strings.ReplaceAll(Sessions.Columns(), ", ", ", s.")
	rows, err := r.Query(`SELECT `+columns+` FROM coord_signs t JOIN sessions s ON s.key = t.key `+rest, args...)
	if err != nil {
		return nil, store.Explain("read the sessions", err)
	}
	defer func() { _ = rows.Close() }()
	var out []Declared
	for rows.Next() {
		var d Declared
		d.Session, err = Sessions.ScanRow(scanFunc(func(dest ...any) error { return rows.Scan(append(d.dest(), dest...)...) }))
		if err != nil {
			return nil, store.Explain("read the sessions", err)
		}
		out = append(out, d)
	}
	return out, store.Explain("read the sessions", rows.Err())
}

// ReadDeclared reads the declared sessions, those that are open or those that
// are over, the newest of them first, at most limit.
func ReadDeclared(r store.Reader, open bool, limit int) ([]Declared, error) {
	if open {
		return readDeclared(r, `WHERE s.state <> 'ended' ORDER BY s.since DESC, s.key LIMIT $1`, limit)
	}
	return readDeclared(r, `WHERE s.state = 'ended' ORDER BY s.since DESC, s.key LIMIT $1`, limit)
}

// heard takes a sign of life in.
func heard(tx store.Tx, key, act string, span time.Duration) error {
	now := tx.Clocks()
	l := model.NewLease(now, span)
	if span == 0 {
		l = model.Lease{}
	}
	_, err := tx.Exec(`INSERT INTO coord_signs (key, boot, up, wall, act, acts, span, lease_until, lease_boot, lease_awake)
		VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9)
		ON CONFLICT (key) DO UPDATE SET boot = excluded.boot, up = excluded.up, wall = excluded.wall, act = excluded.act,
		acts = coord_signs.acts + 1, span = excluded.span, lease_until = excluded.lease_until, lease_boot = excluded.lease_boot,
		lease_awake = excluded.lease_awake`,
		key, now.Boot, int64(now.Up), int64(now.Wall), act, int64(span), int64(l.Until), store.NullText(l.Boot), store.NullInt(l.Awake))
	if err != nil {
		return store.Explain("note the sign of life", err)
	}
	return Moved(tx)
}

// signOf reads what was heard of one session; there is false where it was not
// declared.
func signOf(r store.Reader, key string) (d Declared, there bool, err error) {
	list, err := readDeclared(r, `WHERE t.key = $1`, key)
	if err != nil || len(list) == 0 {
		return Declared{}, false, err
	}
	return list[0], true, nil
}

// claims are the declared sessions that are under a lease.
var claims = lease.Of("coord_signs", "key", "span > 0")

// NextDue is how long it is until the lease of a declared session runs out; 0 or
// less when one has, and none when none will.
func NextDue(r store.Reader, now model.Reading) (left time.Duration, none bool, err error) {
	return lease.First(r, claims.Left, lease.Clocks(now)...)
}

// reapMost bounds the sessions that one transaction ends.
const reapMost = 200

// Reap ends the declared sessions of which nothing was heard for their lease,
// and says how many. It looks first in a read, so that it writes nothing when
// nothing is due; each is looked at again in the write, so that a sign in between
// wins.
func (c *Coord) Reap(ctx context.Context) (ended int, err error) {
	var keys []string
	err = c.store.Read(ctx, func(r store.Reader) error {
		keys, err = store.SelectColumn[string](r, claims.Lapsed, append(lease.Clocks(c.clock()), reapMost)...)
		return err
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	err = c.store.Write(ctx, func(tx store.Tx) error {
		ended = 0
		for _, key := range keys {
			d, there, err := signOf(tx, key)
			if err != nil {
				return err
			}
			if there && (d.Span == 0 || !d.Lease.Over(tx.Clocks())) {
				continue
			}
			if fact, open := d.End(reasonSilent, ""); open {
				ended++
				if err := Tell(tx, &d.Session, model.Self, fact); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(`UPDATE coord_signs SET span = 0 WHERE key = $1`, key); err != nil {
				return store.Explain("end a lease", err)
			}
		}
		return Moved(tx)
	})
	return ended, err
}

// scanFunc lets one scanner take its columns out of another's row.
type scanFunc func(dest ...any) error

func (s scanFunc) Scan(dest ...any) error { return s(dest...) }
