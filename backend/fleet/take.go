package fleet

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// spoolMark is how far a spool was taken in. It is committed with what was
// taken, so a process that is killed neither loses a report nor takes one twice.
type spoolMark struct {
	Name string `json:"name"`
	At   int64  `json:"at"`
	Lost int64  `json:"lost"` // of the spool's count, added to the total already
}

// notKept are totals over all spools.
type notKept struct {
	Lost    int64 `json:"lost"`    // there was no room for them
	Skipped int64 `json:"skipped"` // lines that no hook wrote whole
}

const notKeptMark = "hooks_not_kept"

// TakeSpool takes the reports that wait into the ledger, in order, and says how
// many. Several processes may do it at once: each report counts once.
func (f *book) TakeSpool(ctx context.Context) (int, error) {
	if f.opts.Store == nil || f.opts.Store.ReadOnly() {
		return 0, nil
	}
	taken, ended := 0, false
	for _, path := range f.spools() {
		for {
			n, more, err := f.takeSome(ctx, path, &ended)
			taken += n
			if err != nil {
				return taken, err
			}
			if !more {
				break
			}
		}
	}
	if taken > 0 {
		f.poke(ended)
	}
	return taken, nil
}

func (f *book) takeSome(ctx context.Context, path string, ended *bool) (taken int, more bool, err error) {
	if !statefile.Exists(path) {
		return 0, false, nil
	}
	l, err := statefile.Lock(ctx, path+".lock") // what another takes may not be all
	if err != nil {
		return 0, false, err
	}
	defer l.Unlock()
	var p hooks.SpoolPart
	moved := false
	err = f.opts.Store.Write(ctx, func(tx store.Tx) error {
		taken, moved, p = 0, false, hooks.SpoolPart{}
		var m spoolMark
		if err := loadMark(tx, "spool "+path, &m); err != nil {
			return err
		}
		var err error
		p, err = hooks.ReadSpool(path, func(name string) int64 {
			if m.Name != name {
				m = spoolMark{Name: name}
			}
			return m.At
		})
		if errors.Is(err, os.ErrNotExist) || err == nil && p.Name == "" {
			return nil
		}
		if err != nil {
			return statefile.Error(err)
		}
		if p.To == p.From && m.Lost == p.Lost {
			return nil
		}
		moved = true
		skipped := int64(0)
		for _, line := range bytes.Split(bytes.TrimSuffix(p.Text, []byte("\n")), []byte("\n")) {
			if len(line) == 0 {
				continue
			}
			var s hooks.Spooled
			if json.Unmarshal(line, &s) != nil || !s.Valid() {
				skipped++
				continue
			}
			if err := f.record(tx, s); model.CodeOf(err) == model.CodeInvalid {
				skipped++ // refused for good: what stands behind it must not wait for it
				continue
			} else if err != nil {
				return err
			}
			taken++
			*ended = *ended || s.Report.Act == session.ActEnd
		}
		var total notKept
		if err := loadMark(tx, notKeptMark, &total); err != nil {
			return err
		}
		total.Lost, total.Skipped = total.Lost+p.Lost-m.Lost, total.Skipped+skipped
		if err := saveMark(tx, notKeptMark, total); err != nil {
			return err
		}
		return saveMark(tx, "spool "+path, spoolMark{p.Name, p.To, p.Lost})
	})
	if err != nil || p.Name == "" {
		return taken, false, err
	}
	return taken, moved, statefile.Error(hooks.RemoveSpool(path, p))
}

func loadMark(r store.Reader, name string, v any) error {
	var text string
	err := r.QueryRow(`SELECT value FROM fleet_marks WHERE name = $1`, name).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = json.Unmarshal([]byte(text), v) // another version's mark counts as none
	return nil
}

func saveMark(tx store.Tx, name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return putMark(tx, name, string(raw))
}

// NotKept says how many reports found no room, and how many lines of the spools
// were none, also where they still stand in a spool.
func (f *book) NotKept(ctx context.Context) (lost, skipped int64, err error) {
	if f.opts.Store == nil {
		return 0, 0, nil
	}
	err = f.opts.Store.Read(ctx, func(r store.Reader) error {
		var total notKept
		if err := loadMark(r, notKeptMark, &total); err != nil {
			return err
		}
		lost, skipped = total.Lost, total.Skipped
		for _, path := range f.spools() {
			var m spoolMark
			if err := loadMark(r, "spool "+path, &m); err != nil {
				return err
			}
			if s, err := os.Open(path); err == nil {
				name, n, ok := hooks.ReadSpoolHead(s)
				_ = s.Close()
				if ok && name != m.Name {
					m.Lost = 0
				}
				if ok {
					lost += n - m.Lost
				}
			}
		}
		return nil
	})
	return lost, skipped, err
}

// spools are the places in which reports wait.
func (f *book) spools() hooks.Spools {
	var out hooks.Spools
	if f.opts.Spool != "" {
		out = append(out, f.opts.Spool)
	}
	return append(out, filepath.Join(f.dir, hooks.SpoolName))
}
