package verify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model/desk"
)

// verifying runs a background verification until the test ends, and waits until
// it is through once.
func verifying(t *testing.T, f *ledgertest.Fixture) *verify.Verifier {
	t.Helper()
	v := verify.NewVerifier(f.Store(), verify.VerifierOptions{Clock: f.Clock.Read, Share: 1})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- v.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	ledgertest.Eventually(t, "the first verification", func() bool { return v.Verified().State == desk.VerifyOK })
	return v
}

// What another hand changes behind the verified point takes the mark away,
// though no event follows.
func TestAnEditBehindTheVerifiedPointIsFound(t *testing.T) {
	for _, text := range []string{
		`UPDATE events SET payload = '{"text":"forged"}' WHERE seq = 3`,
		`DELETE FROM events WHERE seq = 5`,
		`DELETE FROM events WHERE seq > 50`,
		`UPDATE signals SET holder = 'eve' WHERE key = 's1'`,
		`DELETE FROM directives WHERE id = 1`,
		`UPDATE planes SET count = count + 1`,
		`CREATE TRIGGER evil AFTER INSERT ON events BEGIN SELECT 1; END`,
		`DELETE FROM meta`,
	} {
		t.Run(text, func(t *testing.T) {
			f := ledgertest.Open(t)
			f.Furnish()
			v := verifying(t, f)
			storetest.Tamper(t, f.Path, text)
			ledgertest.Eventually(t, "the edit is found", func() bool { return v.Verified().State == desk.VerifyFailed })
			if v.Verified().Finding == "" {
				t.Error("it does not say what")
			}
		})
	}
}

// What our own tables of telemetry hold is no event: the mark stays, and its age
// says that everything was read again.
func TestTelemetryIsNoDivergence(t *testing.T) {
	f := ledgertest.Open(t)
	f.Furnish()
	v := verifying(t, f)
	first := v.Verified().Whole
	if first == 0 {
		t.Fatal("it does not say when")
	}
	f.Clock.Advance(1_000_000_000)
	err := f.Store().Write(context.Background(), func(tx store.Tx) error {
		_, err := tx.Exec(`INSERT INTO fleet_marks VALUES ('test', '1')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ledgertest.Eventually(t, "the second walk", func() bool { return v.Verified().Whole > first })
	if got := v.Verified(); got.State != desk.VerifyOK || got.Finding != "" {
		t.Fatalf("%+v", got)
	}
}

// Restores in the middle of walks are other ledgers, not divergences.
func TestARestoreIsNoDivergence(t *testing.T) {
	ctx := context.Background()
	f := ledgertest.Open(t)
	f.Furnish()
	copied := filepath.Join(t.TempDir(), "backup.db")
	if _, err := backup.Create(ctx, f.Ledger, copied); err != nil {
		t.Fatal(err)
	}
	f.Throng()
	failed := make(chan desk.Verified, 1)
	v := verify.NewVerifier(f.Store(), verify.VerifierOptions{Clock: f.Clock.Read, Changed: func(x desk.Verified) {
		if x.State == desk.VerifyFailed {
			select {
			case failed <- x:
			default:
			}
		}
	}})
	run, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- v.Run(run) }()
	for i := range 8 {
		if _, err := backup.Restore(ctx, f.Ledger, copied, true); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			f.Note("a", fmt.Sprintf("after %d, %d", i, n))
		}
	}
	last := f.Note("a", "the last").Seq
	ledgertest.Eventually(t, "the last ledger is verified", func() bool {
		x := v.Verified()
		return x.State == desk.VerifyOK && x.Seq == last || x.State == desk.VerifyFailed
	})
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	select {
	case x := <-failed:
		t.Fatalf("a restore was taken for a divergence: %+v", x)
	default:
	}
}

// What another process mends is good again without anybody's doing; until then
// the finding stays, whatever else is written.
func TestWhatIsMendedIsGoodAgain(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct{ spoil, mend string }{
		"a count":      {`UPDATE planes SET count = count + 1`, ""},
		"a record":     {`UPDATE signals SET holder = 'eve' WHERE key = 's1'`, ""},
		"an event":     {`UPDATE events SET producer = 'eve' || producer WHERE seq = 3`, `UPDATE events SET producer = substr(producer, 4) WHERE seq = 3`},
		"the triggers": {`CREATE TRIGGER evil AFTER INSERT ON meta BEGIN SELECT 1; END`, `DROP TRIGGER evil`},
	} {
		t.Run(name, func(t *testing.T) {
			f := ledgertest.Open(t)
			f.Furnish()
			v := verifying(t, f)
			storetest.Tamper(t, f.Path, c.spoil)
			ledgertest.Eventually(t, "the edit is found", func() bool { return v.Verified().State == desk.VerifyFailed })
			f.Note("a", "unrelated")
			if c.mend != "" {
				storetest.Tamper(t, f.Path, c.mend)
			} else {
				other := ledgertest.OpenAt(t, f.Path, f.Clock)
				if _, err := backup.Rebuild(ctx, other.Ledger, nil); err != nil {
					t.Fatal(err)
				}
				other.Shut()
			}
			head, err := f.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			ledgertest.Eventually(t, "it is good again", func() bool {
				x := v.Verified()
				return x.State == desk.VerifyOK && x.Seq >= head.Head.Seq && x.Finding == ""
			})
			storetest.Tamper(t, f.Path, `UPDATE planes SET count = count + 1`)
			ledgertest.Eventually(t, "the next edit is found", func() bool { return v.Verified().State == desk.VerifyFailed })
		})
	}
}
