package notice

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

type told struct {
	path string
	what What
}

// listening is a Watcher and what it tells.
func listening(t *testing.T) (*Watcher, chan told, Hear) {
	t.Helper()
	w, err := New()
	if err != nil {
		t.Skip("this system gives no notices:", err)
	}
	t.Cleanup(w.Close)
	heard := make(chan told, 100)
	return w, heard, func(path string, what What) { heard <- told{path, what} }
}

// want waits for a notice, whatever comes before it, and returns what came.
func want(t *testing.T, heard chan told, it told) (before []told) {
	t.Helper()
	for {
		select {
		case got := <-heard:
			if got == it {
				return before
			}
			before = append(before, got)
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody told of %+v, but of %+v", it, before)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderTellsWhatWasAskedFor(t *testing.T) {
	w, heard, hear := listening(t)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a)
	if err := w.Add(dir, Moved, hear); err != nil {
		t.Fatal(err)
	}
	write(t, a) // is not asked for
	write(t, b)
	if before := want(t, heard, told{b, Moved}); len(before) > 0 {
		t.Errorf("there were notices of %+v", before)
	}
	if err := w.Add(dir, Moved|Written, hear); err != nil {
		t.Fatal(err)
	}
	write(t, a)
	want(t, heard, told{a, Written})
	if err := os.Rename(a, b); err != nil {
		t.Fatal(err)
	}
	want(t, heard, told{b, Moved})
}

func TestAFileTellsThatItWasTouched(t *testing.T) {
	w, heard, hear := listening(t)
	path := filepath.Join(t.TempDir(), "a")
	write(t, path)
	if err := w.Add(path, Touched, hear); err != nil {
		t.Fatal(err)
	}
	touch := func() {
		t.Helper()
		if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	want(t, heard, told{path, Touched})

	// What was removed tells nothing any more, and what comes later does.
	w.Remove(path)
	other := filepath.Join(t.TempDir(), "b")
	write(t, other)
	if err := w.Add(other, Touched, hear); err != nil {
		t.Fatal(err)
	}
	touch()
	if err := os.Chtimes(other, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, before := range want(t, heard, told{other, Touched}) {
		if before.path != path {
			t.Errorf("there was a notice of %+v", before)
		}
	}
	w.Remove(other)
	w.Remove(other)
	if err := w.Add(filepath.Join(t.TempDir(), "none"), Moved, hear); err == nil {
		t.Error("a file that is not there is watched")
	}
}

func TestAFileTellsThatItsWriterIsGone(t *testing.T) {
	if !Closes {
		t.Skip("this system does not tell of it")
	}
	w, heard, hear := listening(t)
	path := filepath.Join(t.TempDir(), "a")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(path, Closed, hear); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err != nil { // a reader's end is not told
		t.Fatal(err)
	}
	if len(heard) > 0 {
		t.Errorf("there were notices of %+v", <-heard)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if before := want(t, heard, told{path, Closed}); len(before) > 0 {
		t.Errorf("there were notices of %+v", before)
	}
}

func TestFilesAreFollowedWhereverTheyGo(t *testing.T) {
	w, _, _ := listening(t)
	dir := t.TempDir()
	a, b, other := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	write(t, a)
	rung, ring := ear()
	if err := w.Follow([]string{a, b}, ring); err != nil {
		t.Fatal(err)
	}
	write(t, other)
	if err := os.Rename(other, filepath.Join(dir, "d")); err != nil {
		t.Fatal(err)
	}
	if len(rung) > 0 {
		t.Error("another file rings")
	}
	for range 3 {
		for _, path := range []string{a, b} {
			write(t, path)
			hears(t, rung)
			write(t, other)
			if err := os.Rename(other, path); err != nil { // another in its place
				t.Fatal(err)
			}
			hears(t, rung)
			for len(rung) > 0 {
				<-rung
			}
			write(t, path)
			hears(t, rung)
		}
	}
	if err := w.Follow([]string{filepath.Join(dir, "none", "a")}, ring); err == nil {
		t.Error("a file in no folder is followed")
	}
}
