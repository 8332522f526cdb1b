package ledger

import (
	"context"

	"binnacle/backend/store"
)

// form compares the schema and the table meta with what this version makes: a
// trigger, a view or a missing index changes what the rows mean, or what they
// will be, though every row is as it was.
func (l *Ledger) form(ctx context.Context, r store.Reader) (*Finding, error) {
	want, err := l.wantedSchema(ctx)
	if err != nil {
		return nil, err
	}
	said, err := want.Differs(r)
	if err != nil || said == "" {
		return nil, err
	}
	return &Finding{What: WhatSchema, Message: said}, nil
}

func (l *Ledger) wantedSchema(ctx context.Context) (*store.Schema, error) {
	l.schemaMu.Lock()
	defer l.schemaMu.Unlock()
	if l.schema != nil {
		return l.schema, nil
	}
	s, err := store.SchemaOf(ctx, l.store.Parts())
	l.schema = s
	return s, err
}

func (l *Ledger) checkForm(ctx context.Context) (f *Finding, err error) {
	err = l.store.Read(ctx, func(r store.Reader) error {
		f, err = l.form(ctx, r)
		return err
	})
	return f, err
}
