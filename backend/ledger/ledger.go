package ledger

import (
	"context"
	"io"

	"binnacle/backend/clock"
	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/redact"
)

// Options are what a Ledger needs besides its store.
type Options struct {
	Clock    model.Clock      // nil: the machine's clock
	Redactor *redact.Redactor // finds secrets; nil: payloads are kept as they come
	Producer string           // who writes when a request names nobody; 1-128 bytes
	Random   io.Reader        // source of claim tokens; nil: crypto/rand
}

// Ledger is the engine over one store. Its methods may be called from any
// number of goroutines.
type Ledger struct {
	store    store.Store
	clock    model.Clock
	redactor *redact.Redactor
	producer string
	tokens   lease.Tokens
	tail     tail
}

// Open makes the engine. It neither reads nor writes; the store stays the
// caller's to close, after Close.
func Open(s store.Store, o Options) *Ledger {
	l := &Ledger{store: s, clock: o.Clock, redactor: o.Redactor, producer: o.Producer, tokens: lease.Tokens{Random: o.Random}}
	if l.clock == nil {
		l.clock = clock.Machine()
	}
	if l.producer == "" {
		l.producer = model.Self // where neither the request nor the options name one
	}
	l.tail.store = s
	return l
}

// Store is the store the engine was opened on.
func (l *Ledger) Store() store.Store { return l.store }

// Epoch names this incarnation of the ledger.
func (l *Ledger) Epoch() string { return l.store.Epoch() }

// Cursor is the place after the event seq in this incarnation.
func (l *Ledger) Cursor(seq int64) model.Cursor {
	return model.Cursor{Epoch: l.store.Epoch(), Seq: seq}
}

// Close ends every subscription and waits for the tailer. It leaves the store
// open.
func (l *Ledger) Close() error {
	l.tail.close()
	return nil
}

func (l *Ledger) producerOr(name string) string {
	if name != "" {
		return name
	}
	return l.producer
}

// Record writes an event about the ledger itself, as its own producer.
func (l *Ledger) Record(ctx context.Context, topic string, payload any) error {
	d, err := l.SystemDraft(topic, payload)
	if err == nil {
		_, err = l.store.Append(ctx, []model.Draft{d})
	}
	return err
}

// SystemDraft makes the checked draft of such an event.
func (l *Ledger) SystemDraft(topic string, payload any) (model.Draft, error) {
	raw, err := EncodePayload(payload)
	if err != nil {
		return model.Draft{}, err
	}
	d := model.Draft{Topic: topic, Producer: l.producer, Kind: model.KindSystem, Payload: raw}
	err = l.Finish(&d)
	return d, err
}

// Redactor finds secrets as the ledger does; nil where it does not look.
func (l *Ledger) Redactor() *redact.Redactor { return l.redactor }
