package queue

import (
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Change is what an operation did to one directive.
type Change struct {
	Action   string              `json:"action"` // of directive.Machine
	Before   directive.Directive `json:"-"`      // the zero value for a push
	After    directive.Directive `json:"directive"`
	Seq      int64               `json:"seq"` // of the event
	Forced   bool                `json:"forced,omitempty"`
	Promoted []int64             `json:"promoted,omitempty"` // what waited for it and waits no longer
	// Already: this claim did the same before, in the event Seq; nothing was
	// written now.
	Already bool `json:"already,omitempty"`
}

// Act is what every operation on one directive says. Those that a claim's
// holder does need the claim's token, or Force by an operator.
type Act struct {
	ID    int64
	Token string // of the current claim
	Force bool   // an operator's override; workers never use it
	By    string // who does it; default the holder with a token, else the queue's producer
	Why   string // for the record, at most model.MaxWhy bytes
	IfRev int64  // not 0: refused with CodeStale unless the directive's Rev is this
	// Secrets says what is done with a Why that looks like it holds one.
	Secrets redact.Secrets
}

func (q *Queue) checkAct(a Act) error {
	if a.ID < 1 {
		return nobody(a.ID)
	}
	if a.By != "" {
		if err := model.CheckName("name of who does it", a.By, model.MaxProducer); err != nil {
			return err
		}
	}
	if err := directive.CheckWhy(a.Why); err != nil {
		return err
	}
	return q.checkSecrets(a.Secrets, []redact.Named{{Name: "the name of who does it", Text: a.By}}, []redact.Named{{Name: "the reason", Text: a.Why}})
}

// permit loads the directive of an act that only the claim's holder may do, and
// says whether the act is forced.
func (q *Queue) permit(tx store.Tx, a Act, action string) (d directive.Directive, forced bool, err error) {
	if d, err = q.look(tx, a); err != nil {
		return d, false, err
	}
	if holds(d, a.Token) {
		if !d.Lapsed(tx.Clocks()) {
			return d, false, nil
		}
		if !a.Force {
			return d, false, refuseToken(d, "its lease ran out "+model.Ago(-d.Term().Left(tx.Clocks())))
		}
	}
	if a.Force {
		return d, true, possible(d, action)
	}
	if a.Token == "" {
		return d, false, model.Errorf(model.CodeToken, "#%d can't be changed without the token of its claim", d.ID).
			WithHint("pass --claim-token with what next --json printed, or as an operator --force")
	}
	if d.Status == directive.StatusTaken {
		return d, false, refuseToken(d, "it was claimed again since")
	}
	return d, false, refuseToken(d, "nobody holds it: it is "+d.Status)
}

// look loads the directive of an act and checks that it is still what the
// caller saw.
func (q *Queue) look(tx store.Tx, a Act) (directive.Directive, error) {
	d, err := find(tx, a.ID)
	if err == nil && a.IfRev != 0 && d.Rev != a.IfRev {
		err = Moved(d)
	}
	return d, err
}

// Moved is the refusal for a directive that is no longer what the caller saw:
// it says what it is now.
func Moved(d directive.Directive) *model.Error {
	now := d.Status
	if d.Status == directive.StatusTaken && d.TakenBy != "" {
		now += " by " + clean.Line(d.TakenBy)
	}
	return model.Errorf(model.CodeStale, "#%d moved on meanwhile: it is %s now (%s)", d.ID, now, d.Priority).
		WithHint("look again")
}

func refuseToken(d directive.Directive, why string) error {
	return model.Errorf(model.CodeToken, "the token is not that of a current claim of #%d: %s", d.ID, why).
		WithHint("stop working on it; claim again with next")
}

func possible(d directive.Directive, action string) error {
	m := directive.Machine()
	if _, ok := m.To(d.Status, action); !ok {
		return m.Refuse(directive.Key(d.ID), d.Status, action)
	}
	return nil
}

// write appends the event that takes d through p.Action, and returns what it
// did. causation may be 0.
func (q *Queue) write(tx store.Tx, d directive.Directive, state string, p *directive.Payload, causation int64) (Change, error) {
	producer := p.By
	if producer == "" {
		producer = q.producer
	}
	key := ""
	if d.ID != 0 {
		key = directive.Key(d.ID)
	}
	lane := d.Lane
	if p.Lane != "" {
		lane = p.Lane
	}
	payload := p.AppendCanonical(make([]byte, 0, 192+len(p.Body)+len(p.BodyBase64)+len(p.Why)))
	if len(payload) > model.MaxPayload {
		// Only redaction can make a checked body grow beyond it.
		return Change{}, model.Errorf(model.CodeInvalid, "the body is too large once its secrets are replaced").
			WithHint("store it in a file and name the file in the body")
	}
	before, err := tx.Head()
	if err != nil {
		return Change{}, err
	}
	e, err := tx.Append(model.Draft{
		Topic: directive.Topic(lane), Producer: producer, Kind: model.KindDirective, Key: key, State: state,
		Causation: causation, Payload: payload,
	})
	if err != nil {
		return Change{}, err
	}
	id, err := directive.ParseKey(e.Key)
	if err != nil {
		return Change{}, err
	}
	after, err := readOne(tx, id)
	if err != nil {
		return Change{}, err
	}
	if after.Status == directive.StatusPending || after.Status == directive.StatusDeferred || p.Action == "touch" {
		tx.Notify(channel(after.Lane))
	}
	c := Change{Action: p.Action, Before: d, After: after, Seq: e.Seq, Forced: p.Forced}
	return c, q.memo.carry(before.Hash, tx, c)
}

// clean replaces the secrets in the texts of an event, which can't be edited
// later, where replacing is what is wanted.
func (q *Queue) clean(p *directive.Payload, body string, how redact.Secrets) {
	n := 0
	redact := func(s string) string {
		if how != redact.SecretsRedact || s == "" {
			return s
		}
		out, k := q.redactor.RedactText(s)
		n += k
		return out
	}
	if body != "" {
		p.SetBody(redact(body))
	}
	p.Why = redact(p.Why)
	p.Redacted = int64(n)
}

// checkSecrets refuses texts that look like they hold a secret, unless they are
// to be redacted, and names in any case but that of SecretsAllow.
func (q *Queue) checkSecrets(how redact.Secrets, names, texts []redact.Named) error {
	if how == redact.SecretsAllow {
		return nil
	}
	if err := q.redactor.CheckNames(names...); err != nil || how == redact.SecretsRedact {
		return err
	}
	return q.redactor.CheckNames(texts...)
}
