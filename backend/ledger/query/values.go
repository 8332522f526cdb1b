package query

import (
	"context"
	"slices"

	"binnacle/backend/store"
	"binnacle/model/directive"
	"binnacle/model/filter"
)

// Values lists at most limit of the values that a filter's field has in the
// ledger, for completion. Each costs one look into an index; a field without an
// index has none.
func Values(ctx context.Context, s store.Store, field string, limit int) ([]string, error) {
	var next string
	switch filter.Field(field) {
	case filter.FieldTopic:
		next = `SELECT min(topic) FROM events WHERE topic > $1`
	case filter.FieldProducer:
		return producers(ctx, s, limit)
	case filter.FieldKey:
		next = `SELECT min(key) FROM events WHERE key > $1`
	case filter.FieldConsumer:
		return column(ctx, s, `SELECT DISTINCT who FROM (
			SELECT executor AS who FROM work_items WHERE state = 'claimed'
			UNION SELECT holder FROM signals WHERE state = 'claimed' AND holder IS NOT NULL
			UNION SELECT taken_by FROM directives WHERE status = 'taken' AND taken_by IS NOT NULL) AS holders ORDER BY who LIMIT $1`, limit)
	case filter.FieldLane:
		return lanes(ctx, s, limit)
	default:
		return nil, nil
	}
	var out []string
	err := s.Read(ctx, func(r store.Reader) (err error) {
		out, err = hop(r, limit, func(after string) (string, []any) { return next, []any{after} })
		return err
	})
	return out, err
}

// producers lists those of the full spans and those of the events behind them.
func producers(ctx context.Context, s store.Store, limit int) ([]string, error) {
	var out []string
	err := s.Read(ctx, func(r store.Reader) error {
		head, err := r.Head()
		if err != nil {
			return err
		}
		if out, err = spanValues(r, string(filter.FieldProducer), limit); err != nil {
			return err
		}
		late, err := store.SelectColumn[string](r, `SELECT DISTINCT producer FROM events WHERE seq >= $1`, store.FullSpans(head.Seq)*store.SpanSize)
		out = append(out, late...)
		return err
	})
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), limit)], err
}

func column(ctx context.Context, s store.Store, query string, args ...any) ([]string, error) {
	var out []string
	err := s.Read(ctx, func(r store.Reader) error {
		var err error
		out, err = store.SelectColumn[string](r, query, args...)
		return err
	})
	return out, err
}

// lanes lists the lanes that have counters, by name.
func lanes(ctx context.Context, s store.Store, limit int) ([]string, error) {
	names, err := column(ctx, s, `SELECT name FROM planes WHERE plane = 'queue' ORDER BY name`)
	var out []string
	for _, name := range names {
		if lane, _, _, ok := directive.LaneCounter(name); ok && !slices.Contains(out[max(0, len(out)-1):], lane) {
			out = append(out, lane)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), limit)], err
}
