package store

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"binnacle/model"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ev, err := s.Append(ctx, []model.Draft{{Topic: "a/b", Producer: "me", Kind: model.KindNote, Payload: json.RawMessage(`{"text":"x"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", ev)
	err = s.Write(ctx, func(tx Tx) error {
		e, err := tx.Append(model.Draft{Topic: "q", Producer: "me", Kind: model.KindDirective, State: "pending", Payload: json.RawMessage(`{"action":"push","body":"x"}`)})
		if err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM directives").Scan(&n); err != nil {
			return err
		}
		t.Log(e.Key, n)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(ctx, func(r Reader) error {
		c, err := r.Counts()
		t.Log(c, err)
		ev, err := r.Events(0, 10)
		t.Log(ev, err)
		d, err := r.Directive(1)
		t.Log(d, err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s.Health(), s.Epoch())
}
