package verify

import (
	"context"

	"binnacle/backend/store"
)

// form compares the schema and the table meta with what this version makes: a
// trigger, a view or a missing index changes what the rows mean, or what they
// will be, though every row is as it was.
func form(r store.Reader) (*Finding, error) {
	said, err := r.Inspect().Differs()
	if err != nil || said == "" {
		return nil, err
	}
	return &Finding{What: WhatSchema, Message: said}, nil
}

func checkForm(ctx context.Context, s store.Store) (f *Finding, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		f, err = form(r)
		return err
	})
	return f, err
}
