package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/export"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An exported line can be checked with any SHA-256 tool: drop hash,
// canonicalise, hash.
func TestExportCanBeChecked(t *testing.T) {
	f := ledgertest.Open(t)
	f.Motley()
	f.Note("hostile", "esc \x1b[2J bidi \u202e c1 \u0085 zero \u200b")
	var out bytes.Buffer
	n, err := export.Write(context.Background(), f.Store(), query.Query{}, export.JSONL, &out)
	if err != nil || n != 76 {
		t.Fatal(n, err)
	}
	prev := model.Genesis
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if strings.ContainsAny(line, "\x1b\u202e\u0085\u200b") {
			t.Fatalf("unsafe: %q", line)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		var hash, linked string
		_ = json.Unmarshal(members["hash"], &hash)
		_ = json.Unmarshal(members["prev"], &linked)
		delete(members, "hash")
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		v := jsontext.Value(raw)
		if err := v.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if model.HashOf(v) != hash || linked != prev {
			t.Fatalf("can't be checked: %s", line)
		}
		prev = hash
	}
	out.Reset()
	if _, err := export.Write(context.Background(), f.Store(), query.Query{Kind: "signal"}, export.JSON, &out); err != nil {
		t.Fatal(err)
	}
	var list []model.Event
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list) != 5 {
		t.Fatalf("%d events: %v", len(list), err)
	}
	out.Reset()
	if _, err := export.Write(context.Background(), f.Store(), query.Query{Key: "none"}, export.JSON, &out); err != nil || out.String() != "[]\n" {
		t.Fatalf("%q %v", out.String(), err)
	}
}

func TestExportCSVDefusesFormulas(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	for _, who := range []string{"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "plain, \"quoted\""} {
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "-a", Kind: model.KindNote, Producer: who, Payload: ledgertest.Object("text", "a\nb")}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := export.WriteFile(ctx, f.Store(), query.Query{}, export.CSV, path)
	if err != nil || n != 5 {
		t.Fatal(n, err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatal(len(rows), err)
	}
	for _, r := range rows[1:] {
		for i, cell := range r {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("%s is a formula: %q", rows[0][i], cell)
			}
		}
	}
	if rows[1][3] != "'=cmd|' /C calc'!A0" || rows[5][3] != `plain, "quoted"` || rows[1][2] != "'-a" {
		t.Errorf("%q", rows)
	}
	// What fails leaves the old file and nothing else.
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := export.WriteFile(stopped, f.Store(), query.Query{}, export.CSV, path); err == nil {
		t.Fatal("a cancelled export succeeded")
	}
	if names := ledgertest.Files(t, filepath.Dir(path)); len(names) != 1 || names["out.csv"] == "" {
		t.Fatalf("left behind: %v", names)
	}
}
