package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A database that came from the first schema is the same as a fresh one.
func TestMigratedSchemaIsTheFreshOne(t *testing.T) {
	ctx := context.Background()
	boats := NewParts(Part{Records: []Projection{toy}, Tables: []Table{{Name: "seas", Make: []string{`CREATE TABLE seas (name TEXT)`}}}})
	want, err := SchemaOf(ctx, boats)
	if err != nil {
		t.Fatal(err)
	}
	for from := range len(migrations()) {
		o := Options{Parts: boats, Path: filepath.Join(t.TempDir(), Database)}.withDefaults()
		if err := os.WriteFile(o.Path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if from > 0 {
			if _, err := migrate(ctx, o, migrations()[:from], MigrateOptions{}); err != nil {
				t.Fatal(err)
			}
			look(t, o.Path, func(c *conn) error {
				said, err := want.Differs(reader{ctx, c})
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
		err = s.Read(ctx, func(r Reader) error {
			said, err := want.Differs(r)
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
