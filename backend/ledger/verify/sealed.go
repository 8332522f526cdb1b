package verify

import (
	"context"
	"errors"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
)

// unsealed is the finding of a segment that can't be read, for the event in it
// where the walk ended; nil when the event is not sealed.
func unsealed(ctx context.Context, s store.Store, seq int64, damage error) (*Finding, error) {
	inside := false
	err := s.Read(ctx, func(r store.Reader) error {
		all, err := r.Segments()
		for _, seg := range all {
			inside = inside || seg.First <= seq && seq <= seg.Last
		}
		return err
	})
	if !inside || err != nil {
		return nil, err
	}
	said := damage.Error()
	var known *model.Error
	if errors.As(damage, &known) {
		said = known.Message
	}
	strays, err := strays(ctx, s)
	if len(strays) > 0 {
		said += "; of none of its segments are in the archive: " + strings.Join(strays, ", ")
	}
	return &Finding{Seq: seq, What: WhatSealed, Message: said}, err
}

// strays are files in the archive that the ledger has not sealed.
func strays(ctx context.Context, s store.Store) ([]string, error) {
	a, ok := s.(store.Archiver)
	if !ok {
		return nil, nil
	}
	return a.Strays(ctx)
}

// archived counts the sealed events between two, inclusive, and lists the strays.
func archived(ctx context.Context, s store.Store, from, to int64) (n int64, stray []string, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		oldest, err := r.Oldest()
		n = max(0, min(to, oldest-1)-from+1)
		return err
	})
	if err == nil {
		stray, err = strays(ctx, s)
	}
	return n, stray, err
}
