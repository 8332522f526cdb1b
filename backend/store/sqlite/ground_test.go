package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// A database that is taken away while a transaction commits gets that commit into
// a file without a name: it is not acknowledged. The moments are those at which
// the committer looks; the removal falls right behind one of them, so that only
// the next look can see it.
func TestNothingIsAcknowledgedIntoAFileThatIsGone(t *testing.T) {
	ctx := context.Background()
	write := func(s *Store) error {
		_, err := s.Append(ctx, noteDraft("x"))
		return err
	}
	alone := func(s *Store) error {
		return s.commits.alone(ctx, func(c *conn) error {
			return c.run(ctx, `INSERT OR REPLACE INTO meta (name, value) VALUES ('created', '2026-01-01T00:00:00.000000Z')`)
		})
	}
	for _, c := range []struct {
		name   string
		act    func(*Store) error
		behind int // which look the removal comes behind
		other  bool
	}{
		{"append, taken away after it began", write, 1, false},
		{"append, taken away before COMMIT", write, 2, false},
		{"alone, taken away before it ran", alone, 1, false},
		{"append, a copy in its place before COMMIT", write, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "workspace")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, Options{Path: filepath.Join(dir, workspace.Database)})
			if err := write(s); err != nil {
				t.Fatal(err)
			}
			look, looks := s.commits.stands, 0
			s.commits.stands = func() error {
				err := look()
				if looks++; looks == c.behind {
					if e := os.Rename(dir, dir+".away"); e != nil {
						t.Error(e)
					}
					if c.other {
						if e := os.CopyFS(dir, os.DirFS(dir+".away")); e != nil {
							t.Error(e)
						}
					}
				}
				return err
			}
			if err := c.act(s); model.CodeOf(err) != model.CodeGone {
				t.Fatalf("it ended with %v after %d looks", err, looks)
			}
			if looks <= c.behind {
				t.Fatalf("there were %d looks; the removal came behind look %d", looks, c.behind)
			}
		})
	}
}

// A read that fails while the database is taken away says that, and not what
// SQLite could not open.
func TestAReadOfWhatIsTakenAwaySaysSo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, Options{Path: filepath.Join(dir, workspace.Database)})
	err := s.Read(context.Background(), func(store.Reader) error {
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Error(err)
		}
		return model.Errorf(model.CodeInternal, "unable to open the database file")
	})
	if model.CodeOf(err) != model.CodeGone {
		t.Fatalf("it ended with %v", err)
	}
}
