package ledger

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/redact"
)

// The actions on a signal.
const (
	SignalClaim   = "claim"
	SignalRelease = "release"
	SignalClear   = "clear"
	SignalExpire  = "expire"
)

// SignalRequest takes a signal one step on.
type SignalRequest struct {
	Action string // SignalClaim, SignalRelease, SignalClear or SignalExpire
	Key    string
	By     string // who does it, and who holds it after a claim; "" is the producer
	Reason string // why; optional
	IfRev  int64  // refuse with CodeStale unless the signal's rev is this; 0 is any
	// Producer writes the event; "" is By, else the ledger's own.
	Producer string
	// Secrets says what is done with a reason that looks like it holds one.
	Secrets redact.Secrets
}

// SignalStep is a signal after a step. Already says that whoever asks took the
// step before, and nothing was written now.
type SignalStep struct {
	model.Signal
	Already bool `json:"already,omitempty"`
}

// Signal takes the step, in one transaction with its event, and returns the
// signal after it. A signal whose time has run out is expired first, and the
// step is refused. A clear or a release that is repeated by whoever did it is
// answered, see SignalStep; a claim is not, for two may go by one name.
func (l *Ledger) Signal(ctx context.Context, r SignalRequest) (SignalStep, error) {
	var out SignalStep
	switch r.Action {
	case SignalClaim, SignalRelease, SignalClear, SignalExpire:
	default:
		return out, model.Errorf(model.CodeUsage, "%q is not an action on a signal", clean.Line(r.Action)).
			WithHint("the actions are claim, release, clear and expire")
	}
	if r.By != "" {
		if err := model.CheckName("name", r.By, model.MaxProducer); err != nil {
			return out, err
		}
	}
	var refused error
	err := l.store.Write(ctx, func(tx store.Tx) error {
		out, refused = SignalStep{}, nil
		s, err := Signals.Get(tx, r.Key)
		if err != nil {
			return signalMissing(err, r)
		}
		if r.IfRev != 0 && s.Rev != r.IfRev {
			return model.Errorf(model.CodeStale, "signal %q moved on: it is %s now", clean.Line(s.Key), s.State).
				WithHint("its revision is %d, not %d", s.Rev, r.IfRev)
		}
		if s.Due(tx.Clocks().Wall) && r.Action != SignalExpire {
			out.Signal, refused, err = l.expireSignal(tx, s)
			return err
		}
		if out.Already, err = l.signalAlready(tx, s, r); err != nil || out.Already {
			out.Signal = s
			return err
		}
		out.Signal, err = l.stepSignal(tx, s, r)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

func signalMissing(err error, r SignalRequest) error {
	if model.CodeOf(err) == model.CodeNotFound {
		return model.SignalMachine().Refuse(r.Key, "", r.Action)
	}
	return err
}

// stepSignal appends the step's event and returns the signal after it.
func (l *Ledger) stepSignal(tx store.Tx, s model.Signal, r SignalRequest) (model.Signal, error) {
	to, ok := model.SignalMachine().To(s.State, r.Action)
	if !ok {
		return s, model.SignalMachine().Refuse(s.Key, s.State, r.Action)
	}
	payload, err := EncodePayload(model.SignalPayload{By: r.By, Reason: r.Reason})
	if err != nil {
		return s, err
	}
	producer := r.Producer
	if producer == "" {
		producer = r.By
	}
	d := model.Draft{
		Topic: s.Topic, Producer: l.producerOr(producer), Kind: model.KindSignal, Key: s.Key, State: to,
		Causation: s.LastSeq, Payload: payload,
	}
	// The key and the topic were taken when it was raised.
	if err := l.checkSecrets(r.Secrets, producer, r.Reason, nil); err != nil {
		return s, err
	}
	if err := l.finishKnown(&d, r.Secrets); err != nil {
		return s, err
	}
	e, err := tx.Append(d)
	if err != nil {
		return s, err
	}
	return s, s.Apply(e)
}

// expireSignal writes down that the signal's time ran out. It returns the
// signal after it and the refusal for whoever wanted something else.
func (l *Ledger) expireSignal(tx store.Tx, s model.Signal) (after model.Signal, refusal, err error) {
	was := s.Expires
	after, err = l.stepSignal(tx, s, SignalRequest{Action: SignalExpire, Producer: model.Self, Reason: "its time ran out", Secrets: redact.SecretsAllow})
	if err != nil {
		return s, nil, err
	}
	return after, model.Errorf(model.CodeRefused, "signal %q expired %s", clean.Line(s.Key), model.Ago(tx.Clocks().Wall.Sub(was))).
		WithHint("raise a new one"), nil
}
