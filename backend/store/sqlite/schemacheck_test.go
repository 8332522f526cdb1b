package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
)

// A database that came from the first schema is the same as a fresh one.
func TestMigratedSchemaIsTheFreshOne(t *testing.T) {
	ctx := context.Background()
	boats := store.NewParts(store.Part{Records: []store.Projection{toy}, Tables: []store.Table{{Name: "seas", Make: []string{`CREATE TABLE seas (name TEXT)`}}}})
	for from := range len(migrations()) {
		o := Options{Parts: boats, Path: filepath.Join(t.TempDir(), workspace.Database)}.withDefaults()
		if err := os.WriteFile(o.Path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if from > 0 {
			if _, err := migrate(ctx, o, migrations()[:from], store.MigrateOptions{}); err != nil {
				t.Fatal(err)
			}
			look(t, o.Path, func(c *conn) error {
				said, err := inspection{ctx, c}.Differs()
				if said == "" {
					t.Errorf("schema %d passes for schema %d", from, Version)
				}
				return err
			})
		}
		s, err := Open(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Read(ctx, func(r store.Reader) error {
			said, err := r.Inspect().Differs()
			if said != "" {
				t.Errorf("from schema %d: %s", from, said)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
