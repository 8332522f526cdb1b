package ledger_test

import (
	"context"
	"fmt"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/model"
)

func TestLinks(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Note("a", "root")
	for _, cause := range []int64{1, 2, 2, 3} {
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "a", Kind: model.KindGeneric, Payload: []byte(`{}`), Causation: cause}); err != nil {
			t.Fatal(err)
		}
	}
	causes, err := f.Causes(ctx, 5, 0)
	if err != nil || fmt.Sprint(ledgertest.Seqs(causes)) != "[3 2 1]" {
		t.Fatalf("%v %v", ledgertest.Seqs(causes), err)
	}
	if causes, err = f.Causes(ctx, 5, 1); err != nil || len(causes) != 1 {
		t.Fatalf("%v %v", ledgertest.Seqs(causes), err)
	}
	effects, err := f.Effects(ctx, 2, 0)
	if err != nil || fmt.Sprint(ledgertest.Seqs(effects)) != "[3 4]" {
		t.Fatalf("%v %v", ledgertest.Seqs(effects), err)
	}
	_, err = f.Effects(ctx, 99, 0)
	ledgertest.WantCode(t, err, model.CodeNotFound)
}

func TestStatus(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	s, err := f.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Head.Seq != 75 || s.Planes["record"]["total"] != 75 || s.Planes["record"]["note"] != 60 || s.Planes["signal"]["pending"] != 1 ||
		s.Planes["work"]["claimed"] != 1 || s.Planes["queue"]["default/P1/taken"] != 1 || s.DBBytes <= 0 || len(s.Alarms) != 0 ||
		s.Cursor != f.Cursor(75).String() || s.Planes["signal"]["cleared"] != 0 {
		t.Fatalf("%+v", s)
	}
}
