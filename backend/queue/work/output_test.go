package work

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/redact"
)

// Whatever is written, in whatever pieces: the log is within its bound, begins and
// ends as what was written, and is all of it where that fits.
func TestOutputIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log bytes.Buffer
		o := output{to: &log, most: int64(rapid.IntRange(tailSize+256, 3*tailSize).Draw(t, "most"))}
		var all []byte
		for range rapid.IntRange(0, 8).Draw(t, "writes") {
			line := bytes.Repeat([]byte{byte(rapid.IntRange(0, 255).Draw(t, "byte"))}, rapid.IntRange(0, 40_000).Draw(t, "length"))
			if rapid.Bool().Draw(t, "ended") {
				line = append(line, '\n')
			}
			all = append(all, line...)
			if n, err := o.Write(line); n != len(line) || err != nil {
				t.Fatal(n, err)
			}
			if len(o.held) > 2*heldSize {
				t.Fatalf("%d bytes are held", len(o.held))
			}
		}
		o.end()
		got := log.Bytes()
		if int64(len(got)) > o.most {
			t.Fatalf("%d bytes, at most %d", len(got), o.most)
		}
		if int64(len(all)) <= o.most-tailSize-128 && !bytes.Equal(got, all) {
			t.Fatal("what fits is not all there")
		}
		head, end := min(len(got), int(o.most)-tailSize-128), min(len(all), tailSize)
		if !bytes.Equal(got[:min(head, len(all))], all[:min(head, len(all))]) || !bytes.HasSuffix(got, all[len(all)-end:]) {
			t.Fatal("the beginning or the end is another")
		}
	})
}

func TestSecretsInTheOutput(t *testing.T) {
	r, err := redact.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq3\n", 20) + "-----END RSA PRIVATE KEY-----\n"
	text := "before\npassword: hunter2hunter2\n" + key + "after\n"
	var log bytes.Buffer
	o := output{to: &log, redactor: r, most: MaxLog}
	for i := range len(text) {
		_, _ = o.Write([]byte{text[i]})
	}
	o.end()
	if got := log.String(); strings.Contains(got, "hunter2") || strings.Contains(got, "MIIE") || !strings.HasPrefix(got, "before\n") || !strings.HasSuffix(got, "after\n") {
		t.Errorf("%q", got)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A full disk costs the log, and no more.
func TestAFullDiskCostsTheLog(t *testing.T) {
	o := output{to: fullDisk{}, most: MaxLog}
	for range 100 {
		if n, err := o.Write([]byte("line\n")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	if o.end(); o.failed == nil || o.written != 0 || len(o.tail) != 500 {
		t.Errorf("%v, %d written, %d kept", o.failed, o.written, len(o.tail))
	}
}

// The oldest logs go; those of commands that run, and what is no log, stay.
func TestSweep(t *testing.T) {
	r := Runs(filepath.Join(t.TempDir(), "runs"))
	for i := range int64(6) {
		f, err := r.create(i+1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_000_000+i, 0)
		if err := os.Chtimes(f.Name(), at, at); err != nil {
			if err = os.Chtimes(filepath.Join(string(r), logName(i+1, 1)), at, at); err != nil {
				t.Fatal(err)
			}
		}
		if i != 0 { // the oldest runs still
			_ = f.Close()
		} else {
			defer func() { _ = f.Close() }()
		}
	}
	if err := os.WriteFile(filepath.Join(string(r), "note.txt"), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(string(r))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	r.sweep(400, 100)
	if got := strings.Join(left(), " "); got != "1-1.log 4-1.log 5-1.log 6-1.log note.txt" {
		t.Error(got)
	}
	r.sweep(1000, 2)
	if got := strings.Join(left(), " "); got != "1-1.log 6-1.log note.txt" {
		t.Error(got)
	}
}

// A log that somebody put a link or a pipe in place of is not written.
func TestLogsAreFiles(t *testing.T) {
	dir := t.TempDir()
	r := Runs(filepath.Join(dir, "runs"))
	if err := os.Mkdir(string(r), 0o700); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(dir, "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(string(r), "1-1.log")); err != nil {
		t.Fatal(err)
	}
	if f, err := r.create(1, 1); err == nil {
		t.Errorf("%s was opened", f.Name())
	}
	if _, err := r.Open(1, 0); err == nil {
		t.Error("it was read")
	}
	if err := os.Rename(string(r), string(r)+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, string(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.create(2, 1); err == nil {
		t.Error("the folder may be a link")
	}
}

func FuzzLogName(f *testing.F) {
	for _, s := range []string{"7-1.log", "07-1.log", "7-1.log.log", "-1-1.log", "../7-1.log", "9223372036854775808-1.log"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if id, attempt, ok := parseLogName(name); ok && (id < 1 || attempt < 1 || logName(id, attempt) != name) {
			t.Errorf("%q is read as %d, %d", name, id, attempt)
		}
	})
}

// The rest grows with the attempts, within its bounds.
func TestLaterGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(0, int64(3*time.Hour)).Draw(t, "base"))
		attempt := rapid.Int64Range(1, 1_000).Draw(t, "attempt")
		got := later(base, attempt, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		most := max(base, mostLater)
		want := base
		for range min(attempt-1, 62) {
			if want < most {
				want *= 2
			}
		}
		want = min(want, most)
		if got < want-want/4 || got > want+want/4+3 {
			t.Fatalf("attempt %d of %s rests for %s, want about %s", attempt, base, got, want)
		}
	})
}

// What decides, told as a table: what made a command end goes before how it ended.
func TestDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exit := rapid.IntRange(-1, 255).Draw(t, "exit")
		why := ending(rapid.IntRange(int(byItself), int(claimLost)).Draw(t, "why"))
		got := decide(why, exit)
		switch {
		case got == Done && (why != byItself || exit != 0):
			t.Fatal("done, and it was not")
		case why == claimLost && got != Lost:
			t.Fatal("a lost claim is written")
		case why == stopping && got != Returned:
			t.Fatal("the worker's end counts")
		case why == byItself && exit != 0 && got == Done, why == byItself && exit == 0 && got != Done:
			t.Fatal(got)
		case (got == Later) != (why == byItself && exit == ExitTempFail), (got == Parked) != (why == byItself && exit == ExitConfig):
			t.Fatal(got)
		}
	})
}

// The last hour is counted, and nothing before.
func TestHourly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h hourly
		var at []int64
		now := int64(1_700_000_000)
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			now += rapid.Int64Range(0, 1_000).Draw(t, "seconds")
			if rapid.Bool().Draw(t, "one") {
				h.add(timeOf(now))
				at = append(at, now)
			}
			want := int64(0)
			for _, a := range at {
				if now/60-a/60 < 60 {
					want++
				}
			}
			if got := h.sum(timeOf(now)); got != want {
				t.Fatalf("%d, want %d", got, want)
			}
		}
	})
}

func timeOf(seconds int64) model.Time { return model.TimeOf(time.Unix(seconds, 0)) }
