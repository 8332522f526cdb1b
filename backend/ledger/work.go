package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/redact"
)

// Bounds of a lease.
const (
	DefaultLease = 30 * time.Minute
	MinLease     = time.Second
	MaxLease     = 30 * 24 * time.Hour
)

// WorkTopic is the topic of a work record that was claimed without one.
const WorkTopic = "work"

// ClaimRequest asks for a work record.
type ClaimRequest struct {
	Key      string
	Executor string // who will do it; 1-128 bytes
	Topic    string // of a record that is new; "" is WorkTopic
	Lease    time.Duration
	Reason   string
	Producer string // "" is the ledger's own
	// Secrets says what is done with a reason that looks like it holds one.
	Secrets redact.Secrets
}

// Claim is a won claim. The token is told only here; the ledger keeps its hash.
type Claim struct {
	model.Work
	Token string `json:"token"`
}

// ClaimWork claims a record that is new, released, or expired; a record whose
// lease has run out is expired first, in the same transaction. Exactly one of
// any number of claimants wins; the others get CodeRefused with who holds it
// until when.
func (l *Ledger) ClaimWork(ctx context.Context, r ClaimRequest) (Claim, error) {
	if err := model.CheckName("key", r.Key, model.MaxKey); err != nil {
		return Claim{}, err
	}
	if err := model.CheckName("executor", r.Executor, model.MaxProducer); err != nil {
		return Claim{}, err
	}
	lease, err := checkLease(r.Lease)
	if err != nil {
		return Claim{}, err
	}
	err = l.checkSecrets(r.Secrets, r.Executor, r.Reason, nil)
	if err == nil && r.Secrets != redact.SecretsAllow {
		err = l.redactor.CheckNames(redact.Named{Name: "the key", Text: r.Key}, redact.Named{Name: "the topic", Text: r.Topic})
	}
	if err != nil {
		return Claim{}, err
	}
	token, err := l.tokens.New()
	if err != nil {
		return Claim{}, err
	}
	c := Claim{Token: token}
	err = l.store.Write(ctx, func(tx store.Tx) error {
		w, err := Work.Get(tx, r.Key)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			return err
		}
		if err != nil {
			w = model.Work{Key: r.Key, Topic: topicOr(r.Topic)}
		}
		if w.Lapsed(tx.Clocks()) {
			if w, err = l.expireWork(tx, w); err != nil {
				return err
			}
		}
		if w.State == model.WorkClaimed {
			return model.Errorf(model.CodeRefused, "work %q is claimed by %s for another %s", clean.Line(w.Key), clean.Line(w.Executor), model.Left(w.Term().Left(tx.Clocks()))).
				WithHint("wait, or let its executor release it")
		}
		p := model.WorkPayload{
			Action: "claim", Executor: r.Executor, TokenHash: model.HashOf([]byte(token)), Reason: r.Reason,
		}
		p.SetLease(model.NewLease(tx.Clocks(), lease), seconds(lease))
		c.Work, err = l.stepWork(tx, w, r.Producer, p, r.Secrets)
		return err
	})
	if err != nil {
		return Claim{}, err
	}
	return c, nil
}

func topicOr(topic string) string {
	if topic == "" {
		return WorkTopic
	}
	return topic
}

func checkLease(d time.Duration) (time.Duration, error) {
	if d == 0 {
		return DefaultLease, nil
	}
	if d < MinLease || d > MaxLease {
		return 0, model.Errorf(model.CodeInvalid, "a lease lasts from %s to %s, not %s", MinLease, MaxLease, d)
	}
	return d, nil
}

// seconds rounds up, so that a lease is never told shorter than it is.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// WorkRequest is a step of a record that is held.
type WorkRequest struct {
	Key      string
	Executor string // must be the holder
	Token    string // where given, it must be the current claim's
	Lease    time.Duration
	Evidence json.RawMessage // of complete: an object that is not empty
	Reason   string          // of fail: must not be empty; of release: optional
	IfRev    int64           // refuse with CodeStale unless the record's rev is this; 0 is any
	// Force is an operator's: the executor and the token are not asked for, and
	// the event says so.
	Force    bool
	Producer string
	// Secrets says what is done with a reason or evidence that looks like it holds
	// one.
	Secrets redact.Secrets
}

// WorkStep is a work record after a step. Already says that the same claim took
// the step before, and nothing was written now.
type WorkStep struct {
	model.Work
	Already bool `json:"already,omitempty"`
}

// HeartbeatWork makes the lease end r.Lease from now; 0 keeps the length last
// asked for.
func (l *Ledger) HeartbeatWork(ctx context.Context, r WorkRequest) (WorkStep, error) {
	if r.Lease != 0 {
		if _, err := checkLease(r.Lease); err != nil {
			return WorkStep{}, err
		}
	}
	return l.heldStep(ctx, r, "heartbeat", func(w model.Work, now model.Reading) (p model.WorkPayload) {
		lease := r.Lease
		if lease == 0 {
			lease = max(time.Duration(w.Lease)*time.Second, MinLease)
		}
		p.SetLease(model.NewLease(now, lease), seconds(lease))
		return p
	})
}

// CompleteWork ends the record as done, with evidence.
func (l *Ledger) CompleteWork(ctx context.Context, r WorkRequest) (WorkStep, error) {
	members, err := objectMembers(r.Evidence)
	if len(r.Evidence) == 0 || err == nil && len(members) == 0 {
		return WorkStep{}, model.Errorf(model.CodeInvalid, "work is completed with evidence: a JSON object that is not empty").
			WithHint(`e.g. --evidence '{"artifact":"dist/app.tar.gz"}'`)
	}
	if err != nil {
		return WorkStep{}, model.Errorf(model.CodeInvalid, "the evidence: %w", err)
	}
	return l.heldStep(ctx, r, "complete", func(model.Work, model.Reading) model.WorkPayload {
		return model.WorkPayload{Evidence: r.Evidence, Reason: r.Reason}
	})
}

// FailWork ends the record as failed, with a reason and, where there is some,
// evidence.
func (l *Ledger) FailWork(ctx context.Context, r WorkRequest) (WorkStep, error) {
	if r.Reason == "" {
		return WorkStep{}, model.Errorf(model.CodeInvalid, "work fails with a reason").WithHint("give --reason")
	}
	return l.heldStep(ctx, r, "fail", func(model.Work, model.Reading) model.WorkPayload {
		return model.WorkPayload{Evidence: r.Evidence, Reason: r.Reason}
	})
}

// ReleaseWork gives the record back; anybody may claim it again.
func (l *Ledger) ReleaseWork(ctx context.Context, r WorkRequest) (WorkStep, error) {
	return l.heldStep(ctx, r, "release", func(model.Work, model.Reading) model.WorkPayload {
		return model.WorkPayload{Reason: r.Reason}
	})
}

// heldStep checks that the caller holds the record and takes the step. A lease
// that has run out is written down as expired, and the step is refused: a stale
// holder never mutates.
func (l *Ledger) heldStep(ctx context.Context, r WorkRequest, action string, payload func(model.Work, model.Reading) model.WorkPayload) (WorkStep, error) {
	if r.Executor == "" && !r.Force {
		return WorkStep{}, model.Errorf(model.CodeInvalid, "the executor is missing").WithHint("give --executor")
	}
	if err := l.checkSecrets(r.Secrets, r.Executor, r.Reason, r.Evidence); err != nil {
		return WorkStep{}, err
	}
	var after WorkStep
	var refused error
	err := l.store.Write(ctx, func(tx store.Tx) error {
		after, refused = WorkStep{}, nil
		w, err := Work.Get(tx, r.Key)
		if err != nil {
			if model.CodeOf(err) == model.CodeNotFound {
				return model.WorkMachine().Refuse(r.Key, "", action)
			}
			return err
		}
		if w.Lapsed(tx.Clocks()) {
			over := model.Ago(-w.Term().Left(tx.Clocks()))
			if after.Work, err = l.expireWork(tx, w); err != nil {
				return err
			}
			refused = model.Errorf(model.CodeToken, "the lease of work %q ran out %s", clean.Line(w.Key), over).
				WithHint("claim it again")
			return nil
		}
		if err := mayStep(w, r, action); err != nil {
			before, lookErr := workAlready(tx, w, r, action)
			if before {
				after = WorkStep{Work: w, Already: true}
				return nil
			}
			return errors.Join(err, lookErr)
		}
		p := payload(w, tx.Clocks())
		p.Action, p.Executor, p.Forced = action, r.Executor, r.Force
		after.Work, err = l.stepWork(tx, w, r.Producer, p, r.Secrets)
		return err
	})
	if err == nil {
		err = refused
	}
	return after, err
}

// mayStep refuses whoever does not hold the record.
func mayStep(w model.Work, r WorkRequest, action string) error {
	if r.IfRev != 0 && r.IfRev != w.Rev {
		return model.Errorf(model.CodeStale, "work %q moved on: it is %s now", clean.Line(w.Key), w.State).
			WithHint("its revision is %d, not %d", w.Rev, r.IfRev)
	}
	if w.State != model.WorkClaimed {
		return model.WorkMachine().Refuse(w.Key, w.State, action)
	}
	if r.Force {
		return nil
	}
	if r.Executor != w.Executor {
		return model.Errorf(model.CodeRefused, "work %q is held by %s, not by %s", clean.Line(w.Key), clean.Line(w.Executor), clean.Line(r.Executor))
	}
	if r.Token != "" && !lease.Matches(r.Token, w.TokenHash) {
		return model.Errorf(model.CodeToken, "the token is not that of the current claim of work %q", clean.Line(w.Key)).
			WithHint("it was claimed again meanwhile")
	}
	return nil
}

// stepWork appends the step's event and returns the record after it.
func (l *Ledger) stepWork(tx store.Tx, w model.Work, producer string, p model.WorkPayload, how redact.Secrets) (model.Work, error) {
	to, ok := model.WorkMachine().To(w.State, p.Action)
	if !ok {
		return w, model.WorkMachine().Refuse(w.Key, w.State, p.Action)
	}
	payload, err := EncodePayload(p)
	if err != nil {
		return w, err
	}
	d := model.Draft{
		Topic: w.Topic, Producer: l.producerOr(producer), Kind: model.KindWork, Key: w.Key, State: to,
		Causation: w.LastSeq, Payload: payload,
	}
	if err := l.finishKnown(&d, how); err != nil {
		return w, err
	}
	e, err := tx.Append(d)
	if err != nil {
		return w, err
	}
	if w.State == "" {
		w = model.Work{} // Apply's zero value: no record yet
	}
	return w, w.Apply(e)
}

// expireWork writes down that the lease ran out.
func (l *Ledger) expireWork(tx store.Tx, w model.Work) (model.Work, error) {
	return l.stepWork(tx, w, model.Self, model.WorkPayload{
		Action: "expire", Executor: w.Executor, Reason: "its lease ran out",
	}, redact.SecretsAllow)
}
