package parts_test

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// boat is a kind of record that the program does not have.
type boat struct {
	Key, State        string
	Crew              []string
	FirstSeq, LastSeq int64
}

func (b *boat) apply(e model.Event) error {
	var p struct{ Crew []string }
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return model.Errorf(model.CodeInvalid, "no boat: %w", err)
	}
	if b.State == "sunk" {
		return model.Errorf(model.CodeRefused, "boat %s is sunk", e.Key)
	}
	if b.FirstSeq == 0 {
		b.Key, b.FirstSeq = e.Key, e.Seq
	}
	b.State, b.LastSeq, b.Crew = e.State, e.Seq, p.Crew
	return nil
}

func (b *boat) crew() [][]driver.Value {
	var rows [][]driver.Value
	for _, name := range b.Crew {
		rows = append(rows, []driver.Value{b.Key, name})
	}
	return rows
}

// boats declares them; columns may have one more.
func boats(form int, more ...store.Field[boat]) *store.Records[boat] {
	return store.NewRecords(store.Definition[boat]{
		Noun: "boat", Kind: model.KindGeneric, Topic: "boat/", Table: "boats", Form: form,
		Fields: append([]store.Field[boat]{
			store.Text("key", func(b *boat) *string { return &b.Key }),
			store.Text("state", func(b *boat) *string { return &b.State }),
			store.Int("first_seq", func(b *boat) *int64 { return &b.FirstSeq }).Fixed(),
			store.Int("last_seq", func(b *boat) *int64 { return &b.LastSeq }),
		}, more...),
		Sides: []store.SideOf[boat]{{
			SideForm: store.SideForm{Table: "boat_crew", Columns: []store.Column{
				{Name: "boat", Type: "TEXT NOT NULL"}, {Name: "sailor", Type: "TEXT NOT NULL"},
			}},
			Rows: (*boat).crew,
		}},
		Apply:   (*boat).apply,
		Counter: func(b boat) model.Counter { return model.Counter{Plane: "boats", Name: b.State} },
	})
}

func openWith(t *testing.T, path string, p ...store.Projection) store.Store {
	t.Helper()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: store.NewParts(ledger.Part(), store.Part{Records: p})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func sail(t *testing.T, s store.Store, key, state, crew string) error {
	t.Helper()
	_, err := s.Append(context.Background(), []model.Draft{{
		Topic: "boat/sail", Producer: "test", Kind: model.KindGeneric, Key: key, State: state, Payload: json.RawMessage(`{"crew":[` + crew + `]}`),
	}})
	return err
}

func tell(t *testing.T, s store.Store, text string) {
	t.Helper()
	err := s.Write(context.Background(), func(tx store.Tx) error {
		_, err := tx.Exec(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wantVerify fails unless verify's finding has the words; "" is none.
func wantVerify(t *testing.T, l *ledger.Ledger, words string) {
	t.Helper()
	v, err := verify.Run(context.Background(), l.Store(), verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(v.Finding); words == "" && !v.OK || !strings.Contains(said, words) {
		t.Fatalf("verify says %s, want %q", said, words)
	}
}

// TestANewKindOfRecord: declaring a kind gives verify, the counts, rebuild,
// backup and migration, and no other package knows of it.
func TestANewKindOfRecord(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)

	// The kind comes to a ledger that has its events already.
	s := openWith(t, path)
	for _, state := range []string{"sailing", "moored"} {
		if err := sail(t, s, "ann", state, `"joe","sue"`); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	kind := boats(1)
	s = openWith(t, path, kind)
	l := ledger.Open(s, ledger.Options{})
	wantVerify(t, l, "")

	// It counts, and its machine refuses.
	if err := sail(t, s, "bob", "sunk", ""); err != nil {
		t.Fatal(err)
	}
	if err := sail(t, s, "bob", "sailing", ""); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("a sunk boat sails: %v", err)
	}
	look := func(s store.Store) {
		t.Helper()
		err := s.Read(ctx, func(r store.Reader) error {
			ann, err := kind.Get(r, "ann")
			if err != nil || ann.State != "moored" || fmt.Sprint(ann.FirstSeq, ann.LastSeq) != "1 2" {
				t.Errorf("ann is %+v, %v", ann, err)
			}
			c, err := r.Counts()
			if c.Get("boats", "moored") != 1 || c.Get("boats", "sunk") != 1 || c.Get("boats", "sailing") != 0 {
				t.Errorf("the counts are %v", c)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look(s)

	// Verify names what a hand changed, and rebuild mends it.
	for text, words := range map[string]string{
		`UPDATE boats SET state = 'sailing' WHERE key = 'ann'`:       `boat "ann" stands as sailing, but event 2 says it is moored`,
		`DELETE FROM boats WHERE key = 'bob'`:                        `boat "bob" is missing`,
		`DELETE FROM boat_crew WHERE sailor = 'joe'`:                 `boat "ann" has [sue] in the table boat_crew`,
		`INSERT INTO boat_crew VALUES ('zed', 'joe')`:                `boat "zed" has [joe]`,
		`INSERT INTO boats VALUES ('cat', 'moored', 1, 2)`:           `boat "cat" stands in its table, but no event made it`,
		`UPDATE planes SET count = 7 WHERE plane = 'boats'`:          `boats`,
		`CREATE TRIGGER t AFTER INSERT ON boats BEGIN SELECT 1; END`: `the trigger "t" was added to the table boats`,
	} {
		tell(t, s, text)
		wantVerify(t, l, words)
		if strings.HasPrefix(text, "CREATE") {
			tell(t, s, `DROP TRIGGER t`)
		}
		if _, err := backup.Rebuild(ctx, l, nil); err != nil {
			t.Fatal(err)
		}
		wantVerify(t, l, "")
		look(s)
	}

	// A backup has it.
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := backup.Create(ctx, l, copied); err != nil {
		t.Fatal(err)
	}
	look(openWith(t, copied, kind))

	// Another form of its table is made anew, and a program without it stays away.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	kind = boats(2, store.ListOrNull("crew", func(b *boat) *[]string { return &b.Crew }))
	s = openWith(t, path, kind)
	wantVerify(t, ledger.Open(s, ledger.Options{}), "")
	err := s.Read(ctx, func(r store.Reader) error {
		ann, err := kind.Get(r, "ann")
		if fmt.Sprint(ann.Crew) != "[joe sue]" {
			t.Errorf("ann is %+v", ann)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = storetest.OpenAt(path, storetest.Options{Parts: store.NewParts(ledger.Part())})
	if model.CodeOf(err) != model.CodeSchema || !strings.Contains(err.Error(), "boat") {
		t.Fatalf("a program that does not know boats: %v", err)
	}
}
