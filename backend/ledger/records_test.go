package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/model"
)

func TestSignalLife(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Raise("s", 0)
	step := func(action string, rev int64) (ledger.SignalStep, error) {
		return f.Signal(ctx, ledger.SignalRequest{Action: action, Key: "s", By: "ann", Reason: "because", IfRev: rev})
	}
	s, err := step(ledger.SignalClaim, 1)
	if err != nil || s.State != model.SignalClaimed || s.Holder != "ann" || s.Rev != 2 {
		t.Fatalf("%+v %v", s, err)
	}
	_, err = step(ledger.SignalClear, 1)
	ledgertest.WantCode(t, err, model.CodeStale)
	_, err = step(ledger.SignalClaim, 0)
	ledgertest.WantCode(t, err, model.CodeRefused)
	if !strings.Contains(err.Error(), "claimed") || !strings.Contains(model.HintOf(err), "clear") {
		t.Fatalf("%v (%s)", err, model.HintOf(err))
	}
	if s, err = step(ledger.SignalRelease, 2); err != nil || s.State != model.SignalPending || s.Holder != "" {
		t.Fatalf("%+v %v", s, err)
	}
	if _, err = step(ledger.SignalClaim, 0); err != nil {
		t.Fatal(err)
	}
	if s, err = step(ledger.SignalClear, 0); err != nil || s.State != model.SignalCleared {
		t.Fatalf("%+v %v", s, err)
	}
	_, err = step(ledger.SignalExpire, 0)
	ledgertest.WantCode(t, err, model.CodeRefused)
	_, err = f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "none"})
	ledgertest.WantCode(t, err, model.CodeNotFound)
	_, err = f.Signal(ctx, ledger.SignalRequest{Action: "eat", Key: "s"})
	ledgertest.WantCode(t, err, model.CodeUsage)
	h, err := f.ShowSignal(ctx, "s", 0)
	if err != nil || len(h.Events) != 5 || h.Events[1].Causation != h.Events[0].Seq || h.More {
		t.Fatalf("%+v %v", h, err)
	}
	if h, _ = f.ShowSignal(ctx, "s", 2); len(h.Events) != 2 || !h.More || h.Events[1].State != model.SignalCleared {
		t.Fatalf("%+v", h)
	}
	if e := f.Raise("", 0); e.Key != fmt.Sprint(e.Seq) {
		t.Fatalf("key %q of event %d", e.Key, e.Seq)
	}
	f.Good()
}

// A signal whose time has run out shows so while reading; whoever touches it
// first writes that down, and it stays written although the touch is refused.
func TestSignalExpires(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Raise("a", time.Hour)
	f.Raise("b", time.Hour)
	f.Raise("c", 2*time.Hour)
	f.Clock.Advance(time.Hour)
	for state, want := range map[string]string{"": "abc", "pending": "c", "expired": "ab", "claimed": ""} {
		list, err := f.ListSignals(ctx, ledger.ListOptions{State: state})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range list {
			got += s.Key
			if s.Due != (s.Key != "c") || s.State != model.SignalPending {
				t.Errorf("%+v", s)
			}
		}
		if got != want {
			t.Errorf("state %q lists %q, want %q", state, got, want)
		}
	}
	_, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "a", By: "ann"})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if s, _ := f.ShowSignal(ctx, "a", 0); s.Record.State != model.SignalExpired || s.Record.Due {
		t.Fatalf("%+v", s.Record)
	}
	_, err = f.Emit(ctx, ledger.EmitRequest{Topic: "x", Kind: model.KindSignal, Key: "b", Payload: []byte(`{"state":"claimed"}`)})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if s, _ := f.ShowSignal(ctx, "b", 0); s.Record.State != model.SignalExpired {
		t.Fatalf("%+v", s.Record)
	}
	if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Signals != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	f.Clock.Advance(time.Hour)
	if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Signals != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	f.Good()
}

func TestWorkLife(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	_, err := f.HeartbeatWork(ctx, ledger.WorkRequest{Key: "job", Executor: "bob"})
	ledgertest.WantCode(t, err, model.CodeNotFound)
	c, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "bob", Lease: 2 * time.Minute})
	if err != nil || c.Attempt != 1 || len(c.Token) != 32 || c.LeaseUntil != ledgertest.Start.Add(2*time.Minute) {
		t.Fatalf("%+v %v", c, err)
	}
	if events, _ := query.All(ctx, f.Store(), query.Query{Text: c.Token}); len(events) != 0 {
		t.Fatal("the token stands in the ledger")
	}
	_, err = f.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "eve"})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if !strings.Contains(err.Error(), "bob") {
		t.Fatal(err)
	}
	hold := ledger.WorkRequest{Key: "job", Executor: "bob", Token: c.Token}
	other := hold
	other.Executor = "eve"
	_, err = f.HeartbeatWork(ctx, other)
	ledgertest.WantCode(t, err, model.CodeRefused)
	wrong := hold
	wrong.Token = strings.Repeat("0", 32)
	_, err = f.HeartbeatWork(ctx, wrong)
	ledgertest.WantCode(t, err, model.CodeToken)
	f.Clock.Advance(time.Minute)
	if w, err := f.HeartbeatWork(ctx, hold); err != nil || w.LeaseUntil != ledgertest.Start.Add(3*time.Minute) {
		t.Fatalf("%+v %v", w, err)
	}
	for _, evidence := range []string{"", "{}", "[1]", "{"} {
		bad := hold
		bad.Evidence = []byte(evidence)
		_, err = f.CompleteWork(ctx, bad)
		ledgertest.WantCode(t, err, model.CodeInvalid)
	}
	_, err = f.FailWork(ctx, hold)
	ledgertest.WantCode(t, err, model.CodeInvalid)
	if w, err := f.ReleaseWork(ctx, hold); err != nil || w.State != model.WorkReleased {
		t.Fatalf("%+v %v", w, err)
	}
	again, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "bob", Lease: time.Minute})
	if err != nil || again.Attempt != 2 || again.Token == c.Token {
		t.Fatalf("%+v %v", again, err)
	}
	// The same executor with the former claim's token is stale.
	_, err = f.HeartbeatWork(ctx, hold)
	ledgertest.WantCode(t, err, model.CodeToken)
	hold.Token, hold.Evidence = again.Token, []byte(`{"artifact":"x"}`)
	w, err := f.CompleteWork(ctx, hold)
	if err != nil || w.State != model.WorkDone || string(w.Evidence) != `{"artifact":"x"}` {
		t.Fatalf("%+v %v", w, err)
	}
	if w, err = f.CompleteWork(ctx, hold); err != nil || !w.Already || w.Rev != 5 {
		t.Fatalf("repeated: %+v %v", w, err)
	}
	_, err = f.FailWork(ctx, ledger.WorkRequest{Key: "job", Executor: "bob", Token: hold.Token, Reason: "r"})
	ledgertest.WantCode(t, err, model.CodeRefused)
	hold.Token = "00"
	_, err = f.CompleteWork(ctx, hold)
	ledgertest.WantCode(t, err, model.CodeRefused)
	f.Good()
}

// A holder whose lease ran out changes nothing, however it asks; another may
// claim, and the reads before say what is so.
func TestWorkLeaseRunsOut(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	claim := func(key, who string) ledger.Claim {
		t.Helper()
		c, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: key, Executor: who, Lease: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := claim("a", "bob"), claim("b", "bob")
	claim("c", "bob")
	f.Clock.Advance(time.Minute)
	list, err := f.ListWork(ctx, ledger.ListOptions{State: model.WorkExpired})
	if err != nil || len(list) != 3 || !list[0].Lapsed || list[0].State != model.WorkClaimed {
		t.Fatalf("%+v %v", list, err)
	}
	if n, _ := query.Count(ctx, f.Store(), query.Query{}); n != 3 {
		t.Fatal("a read wrote")
	}
	_, err = f.CompleteWork(ctx, ledger.WorkRequest{Key: "a", Executor: "bob", Token: a.Token, Evidence: []byte(`{"x":1}`)})
	ledgertest.WantCode(t, err, model.CodeToken)
	if w, _ := f.ShowWork(ctx, "a", 0); w.Record.State != model.WorkExpired {
		t.Fatalf("%+v", w.Record)
	}
	c := claim("b", "eve")
	if c.Attempt != 2 {
		t.Fatalf("%+v", c)
	}
	_, err = f.HeartbeatWork(ctx, ledger.WorkRequest{Key: "b", Executor: "bob", Token: b.Token})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if r, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil || r.Work != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if w, err := f.ReleaseWork(ctx, ledger.WorkRequest{Key: "b", Force: true, IfRev: c.Rev, Reason: "operator"}); err != nil || w.State != model.WorkReleased {
		t.Fatalf("%+v %v", w, err)
	}
	f.Good()
}

func TestOneWinnerPerClaim(t *testing.T) {
	f := ledgertest.Open(t)
	const keys, claimants = 40, 8
	var won [keys]atomic.Int32
	var wg sync.WaitGroup
	for i := range claimants {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, k := range rand.Perm(keys) {
				_, err := f.ClaimWork(context.Background(), ledger.ClaimRequest{Key: fmt.Sprint(k), Executor: fmt.Sprint("e", i)})
				switch {
				case err == nil:
					won[k].Add(1)
				case model.CodeOf(err) != model.CodeRefused:
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	for k := range won {
		if n := won[k].Load(); n != 1 {
			t.Errorf("%d winners of %d", n, k)
		}
	}
	f.Good()
}

// Whatever is done in whatever order: what is acknowledged follows the machine,
// and the records are the fold of the events.
func TestRecordsFollowTheirMachines(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		tokens := map[string]string{}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			key := rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "key") + fmt.Sprint(run)
			f.Clock.Advance(time.Duration(rapid.IntRange(0, 40).Draw(rt, "seconds")) * time.Second)
			action := rapid.SampledFrom([]string{"claim", "heartbeat", "complete", "fail", "release", "reap"}).Draw(rt, "action")
			before, err := f.ShowWork(ctx, key, 0)
			lapsed := err == nil && before.Record.Lapsed
			req := ledger.WorkRequest{Key: key, Executor: "e", Token: tokens[key], Evidence: []byte(`{"x":1}`), Reason: "r", Lease: 30 * time.Second}
			var after ledger.WorkStep
			switch action {
			case "claim":
				var c ledger.Claim
				c, err = f.ClaimWork(ctx, ledger.ClaimRequest{Key: key, Executor: "e", Lease: 30 * time.Second})
				if err == nil {
					after.Work, tokens[key] = c.Work, c.Token
				}
			case "heartbeat":
				after, err = f.HeartbeatWork(ctx, req)
			case "complete":
				after, err = f.CompleteWork(ctx, req)
			case "fail":
				after, err = f.FailWork(ctx, req)
			case "release":
				after, err = f.ReleaseWork(ctx, req)
			case "reap":
				if _, err := f.Reap(ctx, ledger.ReapOptions{}); err != nil {
					rt.Fatal(err)
				}
				continue
			}
			from := before.Record.State
			if err == nil && after.Already {
				// The token is kept from claim to claim: only the newest one's end is said again.
				if done, ok := model.WorkMachine().To(model.WorkClaimed, action); !ok || done != from || after.Rev != before.Record.Rev {
					rt.Fatalf("%s from %q was done already: %+v", action, from, after)
				}
				continue
			}
			if lapsed {
				from = model.WorkExpired
			}
			to, possible := model.WorkMachine().To(from, action)
			if (err == nil) != possible {
				rt.Fatalf("%s from %q: %v, possible is %v", action, from, err, possible)
			}
			if err == nil && after.State != to {
				rt.Fatalf("%s from %q led to %q", action, from, after.State)
			}
			now, missing := f.ShowWork(ctx, key, 0)
			if want := map[bool]string{true: to, false: from}[err == nil]; missing == nil && now.Record.State != want {
				rt.Fatalf("after %s it is %q, want %q", action, now.Record.State, want)
			}
		}
	})
	f.Good()
}
