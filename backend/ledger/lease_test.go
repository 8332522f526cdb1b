package ledger_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// TestNoClockTakesWork: whatever the clocks do, nobody claims what its holder
// could have kept, a heartbeat is taken just as long, and what is over on its
// own clock is written down as expired.
func TestNoClockTakesWork(t *testing.T) {
	type held struct {
		executor, boot string
		awake          time.Duration
		wall           model.Time
	}
	over := func(h held, now model.Reading) bool {
		if h.boot == now.Boot {
			return now.Awake >= h.awake
		}
		return now.Wall >= h.wall
	}
	rapid.Check(t, func(rt *rapid.T) {
		f := ledgertest.Open(t)
		defer f.Shut()
		ctx := context.Background()
		claims := map[string]held{}
		span := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(1, 120).Draw(rt, name)) * time.Second
		}
		key := func() string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key") }
		keep := func(key, executor string, d time.Duration) {
			now := f.Clock.Read()
			claims[key] = held{executor, now.Boot, now.Awake + d, now.Wall.Add(d)}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"claim": func(*rapid.T) {
				k, d, who := key(), span("lease"), rapid.SampledFrom([]string{"w", "v"}).Draw(rt, "who")
				h, is := claims[k]
				_, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: k, Executor: who, Lease: d})
				if free := !is || over(h, f.Clock.Read()); free != (err == nil) {
					rt.Fatalf("%s was claimed: %v; it was %+v at %+v", k, err, h, f.Clock.Read())
				}
				if err == nil {
					keep(k, who, d)
				}
			},
			"heartbeat": func(*rapid.T) {
				k, d := key(), span("lease")
				h, is := claims[k]
				_, err := f.HeartbeatWork(ctx, ledger.WorkRequest{Key: k, Executor: h.executor, Lease: d})
				if mine := is && !over(h, f.Clock.Read()); mine != (err == nil) {
					rt.Fatalf("%s had a heartbeat: %v; it was %+v at %+v", k, err, h, f.Clock.Read())
				}
				delete(claims, k)
				if err == nil {
					keep(k, h.executor, d)
				}
			},
			"reap": func(*rapid.T) {
				due := 0
				for k, h := range claims {
					if over(h, f.Clock.Read()) {
						delete(claims, k)
						due++
					}
				}
				if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Work != due {
					rt.Fatalf("%d expired, not %d: %v", r.Work, due, err)
				}
			},
			"list": func(*rapid.T) {
				run := 0
				for _, h := range claims {
					if !over(h, f.Clock.Read()) {
						run++
					}
				}
				if l, err := f.ListWork(ctx, ledger.ListOptions{State: model.WorkClaimed}); err != nil || len(l) != run {
					rt.Fatalf("%d are claimed, not %d: %v", len(l), run, err)
				}
			},
			"wait":    func(*rapid.T) { f.Clock.Advance(span("time")) },
			"suspend": func(*rapid.T) { f.Clock.Suspend(span("sleep") * 30) },
			"reboot":  func(*rapid.T) { f.Clock.Reboot(span("off")) },
			"step": func(*rapid.T) {
				f.Clock.Step(time.Duration(rapid.SampledFrom([]int{-86400, -3600, -1, 1, 3600, 86400}).Draw(rt, "step")) * time.Second)
			},
			"": func(*rapid.T) {
				now := f.Clock.Read()
				err := f.Store().Read(ctx, func(r store.Reader) error {
					all, err := ledger.ClaimedWork(r, now, 10)
					for i := range all {
						if i > 0 && all[i-1].Term().Left(now) > all[i].Term().Left(now) {
							rt.Fatalf("%s stands before %s", all[i-1].Key, all[i].Key)
						}
					}
					left, none, dueErr := ledger.NextDue(r, now)
					if none != (len(all) == 0) || !none && left != all[0].Term().Left(now).Truncate(time.Microsecond) {
						rt.Fatalf("the next is due in %s (%v, %v) of %+v", left, none, dueErr, all)
					}
					return err
				})
				if err != nil {
					rt.Fatal(err)
				}
			},
		})
		storetest.CheckWhole(t, f.Store())
	})
}

// TestEventAheadExpiresNothing: one event written with a clock a day ahead
// neither ends signals and work before their time nor keeps them from ending.
func TestEventAheadExpiresNothing(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Clock.Step(24 * time.Hour)
	f.Raise("ahead", 48*time.Hour)
	f.Clock.Step(-24 * time.Hour)
	f.Raise("a", time.Hour)
	if _, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "a", By: "me"}); err != nil {
		t.Fatalf("a signal in its time: %v", err)
	}
	if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "x", Kind: model.KindSignal, Key: "a", Payload: []byte(`{"state":"cleared"}`)}); err != nil {
		t.Fatalf("a signal in its time: %v", err)
	}
	f.Raise("b", time.Hour)
	if _, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "w", Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Signals+r.Work != 0 {
		t.Fatalf("before their time: %+v, %v", r, err)
	}
	f.Clock.Advance(time.Hour)
	_, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "b", By: "me"})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Work != 1 {
		t.Fatalf("in their time: %+v, %v", r, err)
	}
	f.Good()
}
