package archive_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/ledger/archive"
	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/desk"
)

// old opens a ledger with something of everything and more notes than a page, all
// of it two hours old, and one note of now.
func old(t *testing.T, notes int) *ledgertest.Fixture {
	t.Helper()
	f := ledgertest.Open(t)
	f.Furnish()
	if notes > 0 {
		f.Notes(notes)
	}
	f.Clock.Advance(2 * time.Hour)
	f.Note("build/log", "new")
	return f
}

func sweep(t *testing.T, f *ledgertest.Fixture, o archive.Options) archive.Report {
	t.Helper()
	if o.Keep == 0 {
		o.Keep = time.Hour
	}
	rep, err := archive.Sweep(context.Background(), f.Store(), f.Clock.Read, o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func state(t *testing.T, f *ledgertest.Fixture) (oldest int64, segments []store.Segment) {
	t.Helper()
	err := f.Store().Read(context.Background(), func(r store.Reader) (err error) {
		if oldest, err = r.Oldest(); err == nil {
			segments, err = r.Segments()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return oldest, segments
}

func folder(f *ledgertest.Fixture) string { return filepath.Join(filepath.Dir(f.Path), "archive") }

// What is sealed reads as before, and what follows from it stands as before.
func TestASweepChangesNothingThatIsRead(t *testing.T) {
	f := old(t, 1500)
	before := f.Good()
	rep := sweep(t, f, archive.Options{DryRun: true})
	if oldest, all := state(t, f); rep.Left != before.To-1 || rep.Sealed != 0 || oldest != 1 || len(all) != 0 {
		t.Fatalf("a dry run: %+v, %d, %v", rep, oldest, all)
	}
	rep = sweep(t, f, archive.Options{})
	oldest, all := state(t, f)
	if rep.Sealed != before.To-1 || rep.Shed != rep.Sealed || rep.Left != 0 || oldest != before.To || len(all) != 1 {
		t.Fatalf("%+v, %d, %v", rep, oldest, all)
	}
	storetest.CheckWhole(t, f.Store())
	if v := f.Good(); v.Events != before.Events || v.Sealed != rep.Sealed || len(v.Strays) != 0 {
		t.Fatalf("%+v", v)
	}
	if e, err := f.Event(context.Background(), 7); err != nil || e.Seq != 7 {
		t.Fatalf("%+v %v", e, err)
	}
	if _, err := f.Event(context.Background(), before.To+1); model.CodeOf(err) != model.CodeNotFound {
		t.Fatal(err)
	}
	if rep := sweep(t, f, archive.Options{Now: true}); rep.Segments != 0 {
		t.Fatalf("it was swept twice: %+v", rep)
	}

	// It goes on: spans that are filled later count what was sealed of them.
	f.Notes(1000)
	storetest.CheckWhole(t, f.Store())
	f.Clock.Advance(2 * time.Hour)
	f.Note("build/log", "newest")
	if rep := sweep(t, f, archive.Options{}); rep.Sealed != 1001 {
		t.Fatalf("%+v", rep)
	}
	storetest.CheckWhole(t, f.Store())
	if v := f.Good(); v.Sealed != before.To+1000 {
		t.Fatalf("%+v", v)
	}

	// Everything is made anew from the segments.
	if _, err := backup.Rebuild(context.Background(), f.Ledger, nil); err != nil {
		t.Fatal(err)
	}
	storetest.CheckWhole(t, f.Store())
	f.Good()
}

// Little waits for more, but not for long; what is young stays, and so does the
// newest event.
func TestWhatASweepLeaves(t *testing.T) {
	f := ledgertest.Open(t)
	f.Notes(10)
	f.Clock.Advance(time.Hour + time.Minute)
	if rep := sweep(t, f, archive.Options{}); rep.Sealed != 0 || rep.Left != 9 {
		t.Fatalf("%+v", rep)
	}
	f.Clock.Advance(2 * time.Minute) // an hour's slack is two and a half
	if rep := sweep(t, f, archive.Options{}); rep.Sealed != 9 || rep.Left != 0 {
		t.Fatalf("%+v", rep)
	}
	f.Notes(10)
	if rep := sweep(t, f, archive.Options{Now: true}); rep.Sealed != 1 {
		t.Fatalf("%+v", rep)
	}
	_, err := archive.Sweep(context.Background(), f.Store(), f.Clock.Read, archive.Options{Keep: time.Second})
	ledgertest.WantCode(t, err, model.CodeUsage)
	f.Good()
}

// Segments are bounded in bytes, and one follows the other.
func TestSegmentsAreBounded(t *testing.T) {
	f := ledgertest.Open(t)
	const size = 200 << 10
	for range 60 {
		f.Note("a", strings.Repeat("x", size))
	}
	f.Clock.Advance(2 * time.Hour)
	f.Note("a", "new")
	if rep := sweep(t, f, archive.Options{}); rep.Segments != 2 || rep.Sealed != 60 {
		t.Fatalf("%+v", rep)
	}
	_, all := state(t, f)
	if all[0].First != 1 || all[0].Last > segment.MaxBytes/size || all[1].First != all[0].Last+1 || all[1].Prev != all[0].Hash {
		t.Fatalf("%+v", all)
	}
	f.Good()
}

// A sweep whose time is out goes on the next time, and so does one that died
// between any two of its steps.
func TestASweepGoesOn(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		f := old(t, rapid.IntRange(0, 100).Draw(rt, "notes"))
		a := f.Store().(store.Archiver)
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			var events []model.Event
			var sealed int64
			_ = f.Store().Read(ctx, func(r store.Reader) (err error) {
				all, _ := r.Segments()
				if len(all) > 0 {
					sealed = all[len(all)-1].Last
				}
				events, err = r.Events(sealed, rapid.IntRange(1, 80).Draw(rt, "events"))
				return err
			})
			head, err := store.HeadNow(ctx, f.Store())
			if err != nil {
				t.Fatal(err)
			}
			if len(events) > 0 && events[len(events)-1].Seq < head.Seq {
				seg, file, err := segment.Pack(events)
				if err != nil {
					t.Fatal(err)
				}
				release, err := a.Own()
				if err != nil {
					t.Fatal(err)
				}
				died := rapid.IntRange(0, 2).Draw(rt, "died")
				if err := a.Keep(seg, file); err != nil {
					t.Fatal(err)
				}
				release()
				if died > 0 {
					if err := f.Store().Write(ctx, func(tx store.Tx) error { return tx.Seal(seg) }); err != nil {
						t.Fatal(err)
					}
				}
				if died > 1 {
					n := rapid.IntRange(0, len(events)).Draw(rt, "shed")
					if err := f.Store().Write(ctx, func(tx store.Tx) error { _, err := tx.Shed(n); return err }); err != nil {
						t.Fatal(err)
					}
				}
			}
			storetest.CheckWhole(t, f.Store())
			if rapid.Bool().Draw(rt, "grows") {
				f.Notes(rapid.IntRange(1, 500).Draw(rt, "more"))
			}
		}
		if rapid.Bool().Draw(rt, "sweeps") {
			sweep(t, f, archive.Options{Now: true})
			if v := f.Good(); len(v.Strays) > 0 {
				t.Fatalf("%+v", v)
			}
		}
		if rapid.IntRange(0, 4).Draw(rt, "rebuilt") == 0 {
			if _, err := backup.Rebuild(ctx, f.Ledger, nil); err != nil {
				t.Fatal(err)
			}
			storetest.CheckWhole(t, f.Store())
		}
		f.Good()
		f.Shut()
	})
}

// Only what continues the sealed part can be sealed, and never the newest event.
func TestSealRefuses(t *testing.T) {
	ctx := context.Background()
	f := ledgertest.Open(t)
	f.Notes(10)
	events, err := read(f, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for name, some := range map[string][]model.Event{"a gap": events[1:4], "the newest": events} {
		seg, _, err := segment.Pack(some)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Store().Write(ctx, func(tx store.Tx) error { return tx.Seal(seg) }); model.CodeOf(err) != model.CodeStale {
			t.Errorf("%s: %v", name, err)
		}
	}
	seg, _, _ := segment.Pack(events[:4])
	other := seg
	other.Hash = strings.Repeat("0", 64)
	if err := f.Store().Write(ctx, func(tx store.Tx) error { return tx.Seal(other) }); model.CodeOf(err) != model.CodeStale {
		t.Error(err)
	}
	twice := func(tx store.Tx) error { return tx.Seal(seg) }
	if err := f.Store().Write(ctx, twice); err != nil {
		t.Fatal(err)
	}
	if err := f.Store().Write(ctx, twice); model.CodeOf(err) != model.CodeStale {
		t.Error(err)
	}
}

func read(f *ledgertest.Fixture, after int64, limit int) (events []model.Event, err error) {
	err = f.Store().Read(context.Background(), func(r store.Reader) (err error) {
		events, err = r.Events(after, limit)
		return err
	})
	return events, err
}

// Verify names a segment that is gone, altered or renamed.
func TestVerifyNamesASegment(t *testing.T) {
	for _, c := range []struct {
		name, says string
		spoil      func(dir string, names []string) error
	}{
		{"removed", "is missing from the archive", func(dir string, n []string) error { return os.Remove(filepath.Join(dir, n[1])) }},
		{"altered", "was altered", func(dir string, n []string) error {
			return os.WriteFile(filepath.Join(dir, n[1]), []byte("something else"), 0o600)
		}},
		{"one bit", "was altered", func(dir string, n []string) error {
			file, err := os.ReadFile(filepath.Join(dir, n[1]))
			if err == nil {
				file[len(file)/2] ^= 1
				err = os.WriteFile(filepath.Join(dir, n[1]), file, 0o600)
			}
			return err
		}},
		{"cut short", "was altered", func(dir string, n []string) error { return os.Truncate(filepath.Join(dir, n[1]), 100) }},
		{"renamed", "of none of its segments are in the archive: 7-9.jsonl.zst", func(dir string, n []string) error {
			return os.Rename(filepath.Join(dir, n[1]), filepath.Join(dir, "7-9.jsonl.zst"))
		}},
		{"exchanged", "was altered", func(dir string, n []string) error {
			a, b, c := filepath.Join(dir, n[0]), filepath.Join(dir, n[1]), filepath.Join(dir, "x")
			if err := os.Rename(a, c); err != nil {
				return err
			}
			if err := os.Rename(b, a); err != nil {
				return err
			}
			return os.Rename(c, b)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := old(t, 50)
			sweep(t, f, archive.Options{})
			f.Notes(50)
			f.Clock.Advance(2 * time.Hour)
			f.Note("a", "new")
			sweep(t, f, archive.Options{})
			_, all := state(t, f)
			names := []string{segment.Name(all[0]), segment.Name(all[1])}
			f.Good()
			if err := c.spoil(folder(f), names); err != nil {
				t.Fatal(err)
			}
			v, err := verify.Run(context.Background(), f.Store(), verify.Options{})
			if err != nil || v.Finding == nil || v.Finding.What != verify.WhatSealed || !strings.Contains(v.Finding.Message, c.says) {
				t.Fatalf("%+v %v", v.Finding, err)
			}
			slow := verify.NewVerifier(f.Store(), verify.VerifierOptions{Clock: f.Clock.Read, Share: 1})
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- slow.Run(ctx) }()
			ledgertest.Eventually(t, "the background verification fails", func() bool { return slow.Verified().State == desk.VerifyFailed })
			cancel()
			if err := <-done; err != nil || slow.Verified().Finding != v.Finding.Message {
				t.Errorf("in the background: %+v %v", slow.Verified(), err)
			}

			// Nothing is made from what is not whole.
			if _, err := backup.Create(context.Background(), f.Ledger, filepath.Join(t.TempDir(), "b.db")); model.CodeOf(err) != model.CodeCorrupt {
				t.Error(err)
			}
			if _, err := backup.Rebuild(context.Background(), f.Ledger, nil); model.CodeOf(err) != model.CodeCorrupt {
				t.Error(err)
			}
			if err := f.Store().Write(context.Background(), func(tx store.Tx) error { _, err := tx.Head(); return err }); err != nil {
				t.Error(err)
			}
			f.Note("a", "writing goes on")
		})
	}
}

// A backup is one file, with the segments in it; a restore brings them back, and
// puts those of the replaced ledger aside.
func TestABackupHasTheSegments(t *testing.T) {
	ctx := context.Background()
	f := old(t, 50)
	sweep(t, f, archive.Options{})
	_, all := state(t, f)
	path := filepath.Join(t.TempDir(), "copy.db")
	rep, err := backup.Create(ctx, f.Ledger, path)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Events != all[0].Last+1 {
		t.Fatalf("%+v", rep)
	}

	other := ledgertest.Open(t)
	other.Notes(60)
	other.Clock.Advance(3 * time.Hour)
	other.Note("a", "another ledger's")
	sweep(t, other, archive.Options{})
	if _, err := backup.Restore(ctx, other.Ledger, path, true); err != nil {
		t.Fatal(err)
	}
	storetest.CheckWhole(t, other.Store())
	if v := other.Good(); v.Sealed != all[0].Last || len(v.Strays) > 0 {
		t.Fatalf("%+v", v)
	}
	aside, err := filepath.Glob(filepath.Join(folder(other), "replaced-*", "*.jsonl.zst"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("%v %v", aside, err)
	}
	if _, err := os.Stat(filepath.Join(folder(other), segment.Name(all[0]))); err != nil {
		t.Fatal(err)
	}
	// The restored one goes on as any other.
	other.Notes(20)
	other.Clock.Advance(48 * time.Hour)
	other.Note("a", "new")
	sweep(t, other, archive.Options{})
	other.Good()
}
