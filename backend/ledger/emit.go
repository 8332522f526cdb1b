package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/redact"
)

// EmitRequest is one event to be written by emit: a note, a signal, a metric or
// a generic event.
type EmitRequest struct {
	Topic     string
	Kind      model.Kind
	Key       string          // of a signal: "" gives it its own sequence number
	Producer  string          // "" is the ledger's own
	Payload   json.RawMessage // any JSON object within model's bounds
	Causation int64           // an earlier event's seq, or 0
	Expires   time.Duration   // of a signal that is raised: when it expires by itself; 0 is never
	// AllowSecret keeps what looks like a secret. Otherwise the payload is
	// redacted, and a topic, key or producer that looks like one is refused.
	AllowSecret bool
	// Redacted, where it is not nil, is told which rules replaced something.
	Redacted func(rules []string)
}

// Emit validates, redacts and commits one event. It is durable when Emit
// returns.
func (l *Ledger) Emit(ctx context.Context, r EmitRequest) (model.Event, error) {
	d, err := l.draft(r)
	if err != nil {
		return model.Event{}, err
	}
	if d.Kind == model.KindSignal && d.Key != "" {
		return l.emitKeyed(ctx, d)
	}
	events, err := l.store.Append(ctx, []model.Draft{d})
	if err != nil {
		return model.Event{}, err
	}
	return events[0], nil
}

// EmitBatch commits the events in their order, all or none. The error of
// a request that breaks a contract is returned before anything is written, as
// an *ItemError.
func (l *Ledger) EmitBatch(ctx context.Context, requests []EmitRequest) ([]model.Event, error) {
	drafts := make([]model.Draft, len(requests))
	for i, r := range requests {
		d, err := l.draft(r)
		if err != nil {
			return nil, &ItemError{Index: i, Err: err}
		}
		drafts[i] = d
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	return l.appendAll(ctx, drafts)
}

// appendAll commits drafts, all or none. A signal among them whose time has run
// out is expired before its event, which is then refused.
func (l *Ledger) appendAll(ctx context.Context, drafts []model.Draft) ([]model.Event, error) {
	keyed := func(d model.Draft) bool { return d.Kind == model.KindSignal && d.Key != "" }
	if !slices.ContainsFunc(drafts, keyed) {
		return l.store.Append(ctx, drafts)
	}
	var events []model.Event
	err := l.store.Write(ctx, func(tx store.Tx) error {
		events = make([]model.Event, 0, len(drafts))
		for _, d := range drafts {
			if keyed(d) {
				s, err := Signals.Get(tx, d.Key)
				if err == nil && s.Due(tx.Clocks().Wall) {
					_, _, err = l.expireSignal(tx, s)
				}
				if err != nil && model.CodeOf(err) != model.CodeNotFound {
					return err
				}
			}
			e, err := tx.Append(d)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// ItemError says which request of a batch was refused.
type ItemError struct {
	Index int // from 0
	Err   error
}

func (e *ItemError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *ItemError) Unwrap() error { return e.Err }

// draft makes a checked, redacted draft that keeps its kind's contract.
func (l *Ledger) draft(r EmitRequest) (model.Draft, error) {
	d := model.Draft{
		Topic: r.Topic, Producer: l.producerOr(r.Producer), Kind: r.Kind, Key: r.Key,
		Causation: r.Causation, Payload: r.Payload,
	}
	if r.Expires != 0 {
		p, err := l.withExpires(r)
		if err != nil {
			return d, err
		}
		d.Payload = p
	}
	how := redact.SecretsRedact
	if r.AllowSecret {
		how = redact.SecretsAllow
	}
	rules, err := l.finishAs(&d, how)
	if err != nil {
		return d, err
	}
	if len(rules) > 0 && r.Redacted != nil {
		r.Redacted(rules)
	}
	if err := d.CheckEmit(); err != nil {
		return d, err
	}
	return d, checkOwner(l.store.Parts(), d)
}

// checkOwner refuses an event that would move a record of another engine: only
// that engine's verbs do.
func checkOwner(parts *store.Parts, d model.Draft) error {
	of := parts.Owner(d.Kind, d.Topic)
	if of < 0 || parts.Records()[of] == store.Projection(Signals) {
		return nil
	}
	return model.Errorf(model.CodeInvalid, "events of kind %s with the topic %q can't be emitted: each is a %s", d.Kind, clean.Line(d.Topic),
		parts.Records()[of].Shape().Noun).WithHint("choose another topic")
}

// Finish checks a draft of the ledger's own and redacts its payload. Names are
// those of records that exist.
func (l *Ledger) Finish(d *model.Draft) error {
	if err := d.Check(); err != nil {
		return err
	}
	_, err := l.redact(d)
	return err
}

// finishAs checks a draft that somebody asked for, names and payload, and does
// with secrets what is wanted: what every writer of this engine does last. It
// returns the rules that replaced something.
func (l *Ledger) finishAs(d *model.Draft, how redact.Secrets) (rules []string, err error) {
	if err := d.Check(); err != nil || how == redact.SecretsAllow {
		return nil, err
	}
	err = l.redactor.CheckNames(
		redact.Named{Name: "the topic", Text: d.Topic}, redact.Named{Name: "the producer", Text: d.Producer},
		redact.Named{Name: "the key", Text: d.Key})
	if err != nil {
		return nil, err
	}
	if how == redact.SecretsRefuse {
		return nil, l.redactor.CheckPayload("what is said", d.Payload)
	}
	return l.redact(d)
}

func (l *Ledger) redact(d *model.Draft) ([]string, error) {
	out, rules, n, err := l.redactor.Redact(d.Payload)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		if len(out) > model.MaxPayload {
			return nil, model.Errorf(model.CodeInvalid, "the payload has %d bytes after secrets were replaced; at most %d fit", len(out), model.MaxPayload)
		}
		d.Payload = out
	}
	return rules, nil
}

// withExpires adds the member expires to a signal's payload.
func (l *Ledger) withExpires(r EmitRequest) (json.RawMessage, error) {
	if r.Kind != model.KindSignal {
		return nil, model.Errorf(model.CodeInvalid, "only a signal expires, not a %s", clean.Line(string(r.Kind)))
	}
	if r.Expires < 0 || r.Expires > model.MaxDuration {
		return nil, model.Errorf(model.CodeInvalid, "a signal expires after at most ten years, and not in the past")
	}
	members, err := objectMembers(r.Payload)
	if err != nil {
		return nil, err
	}
	if _, ok := members["expires"]; ok {
		return nil, model.Errorf(model.CodeInvalid, "the payload names its own \"expires\"").
			WithHint("give one of the two")
	}
	at, err := json.Marshal(l.clock.Now().Add(r.Expires))
	if err != nil {
		return nil, err
	}
	members["expires"] = at
	return EncodePayload(members)
}

// objectMembers reads a payload's top level. The payload is canonicalised
// first, so that what model refuses is refused here with the same words.
func objectMembers(payload []byte) (map[string]json.RawMessage, error) {
	p, err := model.CanonicalObject(payload)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(p, &members); err != nil {
		return nil, model.Errorf(model.CodeInvalid, "the payload can't be read: %s", model.JSONFault(p, err))
	}
	return members, nil
}

// EncodePayload writes a value as canonical JSON (model.CodeInternal).
func EncodePayload(v any) (json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, model.Errorf(model.CodeInternal, "a payload can't be written: %w", err)
	}
	return model.Canonical(raw)
}

// emitKeyed writes a signal's event under a key of its own: a signal whose
// time has run out is expired first, and stays so when the event is refused.
func (l *Ledger) emitKeyed(ctx context.Context, d model.Draft) (model.Event, error) {
	var e model.Event
	var refused error
	err := l.store.Write(ctx, func(tx store.Tx) error {
		e, refused = model.Event{}, nil
		s, err := Signals.Get(tx, d.Key)
		switch {
		case model.CodeOf(err) == model.CodeNotFound && err != nil:
		case err != nil:
			return err
		case s.Due(tx.Clocks().Wall):
			if _, refused, err = l.expireSignal(tx, s); err != nil {
				return err
			}
			return nil
		}
		e, err = tx.Append(d)
		return err
	})
	if err == nil {
		err = refused
	}
	return e, err
}
