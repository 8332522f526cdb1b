package coord

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// Who is a principal: the name under which it acts, and the others under which
// its sessions may stand, as a tool's hooks write them.
type Who struct {
	Name string
	Also []string
}

// Owns says whether the session is one of the principal's own.
func (w Who) Owns(s *session.Session) bool {
	return s.Actor != "" && (s.Actor == w.Name || slices.Contains(w.Also, s.Actor))
}

// Start declares a session.
type Start struct {
	Tool  string        // the program that it is; "" is session.ToolCommand
	Task  string        // the key of what it works on; it is kept as a digest alone
	Model string        // the model behind it, or ""
	Paths []string      // what it works on, as session.DeclaredPaths reads them
	Lease time.Duration // how long it stands without a sign of life; 0 is DefaultLease
	Place Place
	By    Who
}

// Place is where a declared session works, as far as it is known.
type Place struct{ Machine, View, Change, Base string }

// Start makes a session and returns it.
func (c *Coord) Start(ctx context.Context, st Start) (Declared, error) {
	about, err := c.about(&st)
	if err != nil {
		return Declared{}, err
	}
	var out Declared
	err = c.store.Write(ctx, func(tx store.Tx) error {
		about.Boot = tx.Clocks().Boot
		var s session.Session
		fact, err := s.Begin(about)
		if err != nil {
			return err
		}
		if err := Tell(tx, &s, c.producerOr(st.By.Name), fact); err != nil {
			return err
		}
		if err := heard(tx, s.Key, "start", st.Lease); err != nil {
			return err
		}
		out, _, err = signOf(tx, s.Key)
		return err
	})
	return out, err
}

// about checks what is declared, and brings it into the form of a session.
func (c *Coord) about(st *Start) (session.Session, error) {
	none := session.Session{}
	if st.Tool == "" {
		st.Tool = session.ToolCommand
	}
	if st.Lease == 0 {
		st.Lease = DefaultLease
	}
	if err := session.CheckTool(st.Tool); err != nil {
		return none, err
	}
	if err := model.CheckName("task", st.Task, session.MaxTask); err != nil {
		return none, err
	}
	if st.Model != "" {
		if err := session.CheckModel(st.Model); err != nil {
			return none, err
		}
	}
	if st.Lease < MinLease || st.Lease > MaxLease {
		return none, model.Errorf(model.CodeInvalid, "a lease of %s is out of bounds", st.Lease).
			WithHint("leases last from one second to 30 days, e.g. 45m")
	}
	if err := model.CheckProducer(c.producerOr(st.By.Name)); err != nil {
		return none, err
	}
	paths, err := c.paths(st.Paths)
	if err != nil {
		return none, err
	}
	s := session.Session{
		Tool: st.Tool, ID: newID(), Task: session.TaskDigest(st.Task), Model: st.Model, Paths: paths,
		Machine: st.Place.Machine, View: st.Place.View, Change: st.Place.Change, Base: st.Place.Base, Actor: c.producerOr(st.By.Name),
	}
	// The chain can't be edited later.
	for _, text := range []*string{&s.Model, &s.View, &s.Actor} {
		*text, _ = c.redactor.RedactText(*text)
	}
	return s, nil
}

// newID names a session that no tool has named.
func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "s-" + hex.EncodeToString(b[:])
}

func (c *Coord) paths(list []string) ([]string, error) {
	if len(list) == 0 {
		return nil, model.Errorf(model.CodeInvalid, "a session without paths tells nobody what it works on").
			WithHint("name a path or a pattern, e.g. src/parser/; ./ is the whole tree")
	}
	// Paths are compared as they are kept.
	return session.DeclaredPaths(c.redactor.RedactTexts(list))
}

// SetPaths says that a session works on these paths and on no others, and that
// it is alive. Without paths it says the latter alone. changed says whether they
// are others than before; where they are not there is no fact.
func (c *Coord) SetPaths(ctx context.Context, name string, paths []string, by Who) (d Declared, changed bool, err error) {
	if paths != nil {
		if paths, err = c.paths(paths); err != nil {
			return d, false, err
		}
	}
	err = c.change(ctx, name, by, func(tx store.Tx, s session.Session) error {
		changed = false
		if paths == nil {
			paths = s.Paths
		}
		fact, ok, err := s.SetPaths(paths)
		if err != nil {
			return err
		}
		if ok {
			changed = true
			if err := Tell(tx, &s, c.producerOr(by.Name), fact); err != nil {
				return err
			}
		}
		was, there, err := signOf(tx, s.Key)
		if err != nil {
			return err
		}
		if !there {
			d = Declared{Session: s} // its tool reports it: that is its sign of life
			return nil
		}
		if err := heard(tx, s.Key, "paths", was.Span); err != nil {
			return err
		}
		d, _, err = signOf(tx, s.Key)
		return err
	})
	return d, changed, err
}

// End says that a session is over, and as what its work landed, a commit or a
// ref; "" where it did not, or nobody knows. already says that it was over.
func (c *Coord) End(ctx context.Context, name, landedAs string, by Who) (d Declared, already bool, err error) {
	if landedAs != "" {
		if err := checkRef(landedAs); err != nil {
			return d, false, err
		}
		landedAs, _ = c.redactor.RedactText(landedAs)
	}
	err = c.change(ctx, name, by, func(tx store.Tx, s session.Session) error {
		fact, open := s.End("command", landedAs)
		if already = !open; already {
			d = Declared{Session: s}
			return nil
		}
		if err := Tell(tx, &s, c.producerOr(by.Name), fact); err != nil {
			return err
		}
		_, there, err := signOf(tx, s.Key)
		if err == nil && there {
			if err = heard(tx, s.Key, "end", 0); err == nil {
				d, _, err = signOf(tx, s.Key)
			}
			return err
		}
		d = Declared{Session: s}
		return err
	})
	return d, already, err
}

// checkRef refuses what can't name a commit or a ref.
func checkRef(name string) error {
	if err := model.CheckName("name of what landed", name, 255); err != nil {
		return err
	}
	if strings.ContainsFunc(name, unicode.IsSpace) || strings.ContainsAny(name, "~^:?*[\\") || strings.HasPrefix(name, "-") {
		return model.Errorf(model.CodeInvalid, "%q names neither a commit nor a ref", clean.Line(name))
	}
	return nil
}

// change runs fn on one of the principal's own sessions.
func (c *Coord) change(ctx context.Context, name string, by Who, fn func(tx store.Tx, s session.Session) error) error {
	if err := model.CheckProducer(c.producerOr(by.Name)); err != nil {
		return err
	}
	by.Name = c.producerOr(by.Name)
	return c.store.Write(ctx, func(tx store.Tx) error {
		s, err := Own(tx, name, by)
		if err != nil {
			return err
		}
		return fn(tx, s)
	})
}

// Own finds a session of the principal's by its key, or by its id alone, the
// newest where several have it. Another's is not found.
func Own(r store.Reader, name string, by Who) (session.Session, error) {
	list, err := Sessions.Select(r, `WHERE key = $1`, name)
	if err == nil && len(list) == 0 && !strings.Contains(name, ":") {
		list, err = Sessions.Select(r, `WHERE id = $1 ORDER BY since DESC, key LIMIT 20`, name)
	}
	if err != nil {
		return session.Session{}, err
	}
	for _, s := range list {
		if by.Owns(&s) {
			return s, nil
		}
	}
	return session.Session{}, model.Errorf(model.CodeNotFound, "%s has no session %q", clean.Line(by.Name), clean.Line(name)).
		WithHint("binnacle session list shows the sessions; each belongs to who started it")
}

// maxListed bounds a list of sessions.
const maxListed = 1000

// List returns the sessions that are open, the newest in its state first, and
// with all those that are over behind them, at most 1,000 of either. Of those
// that their tools report, only the record is known here.
func (c *Coord) List(ctx context.Context, all bool) (out []Declared, err error) {
	states := []string{`WHERE state <> 'ended'`, `WHERE state = 'ended'`}
	if !all {
		states = states[:1]
	}
	err = c.store.Read(ctx, func(r store.Reader) error {
		out = nil
		for i, where := range states {
			list, err := Sessions.Select(r, where+` ORDER BY since DESC, key LIMIT $1`, maxListed)
			if err != nil {
				return err
			}
			declared, err := ReadDeclared(r, i == 0, maxListed)
			if err != nil {
				return err
			}
			of := map[string]Declared{}
			for _, d := range declared {
				of[d.Key] = d
			}
			for _, s := range list {
				d, ok := of[s.Key]
				if !ok {
					d = Declared{Session: s}
				}
				out = append(out, d)
			}
		}
		return nil
	})
	return out, err
}

func (c *Coord) producerOr(name string) string {
	if name != "" {
		return name
	}
	return c.producer
}
