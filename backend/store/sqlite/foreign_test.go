package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store/sqlite"
	"binnacle/model"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	write(t, junk, strings.Repeat("this is no database ", 1000))
	if _, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: junk}); model.CodeOf(err) != model.CodeCorrupt {
		t.Errorf("junk: %v", err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE events (n)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: foreign}); model.CodeOf(err) != model.CodeSchema {
		t.Errorf("another program's database: %v", err)
	}
}
