package ledger

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
)

// whole checks that no record of the table is missing: every row is one of the
// fold's, so it is enough to count them.
func (c *comparison) whole(r store.Reader, w *walker) (*Finding, error) {
	if c.table == 3 {
		return c.sameSpans(w), nil
	}
	var want int64
	count := func(first int64) {
		if first <= c.start {
			want++
		}
	}
	switch c.table {
	case 0:
		for _, s := range w.state.Signals {
			count(s.FirstSeq)
		}
	case 1:
		for _, x := range w.state.Work {
			count(x.FirstSeq)
		}
	case 2:
		for _, d := range w.state.Directives {
			count(d.FirstSeq)
		}
	}
	if c.seen == want {
		return nil, nil
	}
	return firstMissing(r, w, c.table)
}

// firstMissing finds the missing record whose first event is the oldest.
func firstMissing(r store.Reader, w *walker, table int) (*Finding, error) {
	type rec struct {
		id    recordID
		first int64
		last  int64
	}
	var all []rec
	switch table {
	case 0:
		for k, s := range w.state.Signals {
			all = append(all, rec{recordID{model.KindSignal, k}, s.FirstSeq, s.LastSeq})
		}
	case 1:
		for k, x := range w.state.Work {
			all = append(all, rec{recordID{model.KindWork, k}, x.FirstSeq, x.LastSeq})
		}
	case 2:
		for k, d := range w.state.Directives {
			all = append(all, rec{recordID{model.KindDirective, k}, d.FirstSeq, d.LastSeq})
		}
	}
	slices.SortFunc(all, func(a, b rec) int { return int(a.first - b.first) })
	for _, x := range all {
		if f, err := w.one(r, x.id); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// one compares one record by its key. w is level with r.
func (w *walker) one(r store.Reader, id recordID) (*Finding, error) {
	var f *Finding
	var err error
	var last int64
	var odd string
	switch id.kind {
	case model.KindSignal:
		var s model.Signal
		if s, odd, err = readExact(r, store.ExactSignal, store.SignalColumns, "signals WHERE key", id.key); err == nil {
			f = sameSignal(w, s, odd)
		} else if want := w.state.Signals[id.key]; want != nil {
			last = want.LastSeq
		}
	case model.KindWork:
		var x model.Work
		if x, odd, err = readExact(r, store.ExactWork, store.WorkColumns, "work_items WHERE key", id.key); err == nil {
			f = sameWork(w, x, odd)
		} else if want := w.state.Work[id.key]; want != nil {
			last = want.LastSeq
		}
	case model.KindDirective:
		n, bad := model.ParseDirectiveKey(id.key)
		if bad != nil {
			return nil, nil
		}
		var d model.Directive
		if d, odd, err = readExact(r, store.ExactDirective, store.DirectiveColumns, "directives WHERE id", n); err == nil {
			f = sameDirective(w, d, odd)
		} else if want := w.state.Directives[id.key]; want != nil {
			last = want.LastSeq
		}
		if f == nil && err == nil {
			return sameBlocks(r, w, n-1, n, []int64{n})
		}
	}
	if errors.Is(err, sql.ErrNoRows) {
		return &Finding{
			Seq: last, What: WhatRecord, Kind: id.kind, Key: id.key,
			Message: fmt.Sprintf("%s %q is missing, but event %d says that it is there", id.kind, model.Clean(id.key), last),
		}, nil
	}
	return f, err
}

// readExact reads one row, or sql.ErrNoRows.
func readExact[T any](r store.Reader, scan func(interface{ Scan(dest ...any) error }) (T, string, error), columns, where string, key any) (T, string, error) {
	return scan(r.QueryRow(`SELECT `+columns+` FROM `+where+` = $1`, key))
}

// misspelt: a value means what it should, but another query or an index may take
// it for something else.
func misspelt(kind model.Kind, key string, seq int64, column string) *Finding {
	if column == "" {
		return nil
	}
	return &Finding{
		Seq: seq, What: WhatRecord, Kind: kind, Key: key,
		Message: fmt.Sprintf("%s %q was changed in %s: it holds the value in another form than this program writes ('' or 0 in the place of NULL, or another type)",
			kind, model.Clean(key), column),
	}
}

func extra(kind model.Kind, key string, seq int64) *Finding {
	return &Finding{
		Seq: seq, What: WhatRecord, Kind: kind, Key: key,
		Message: fmt.Sprintf("%s %q stands in its table, but no event made it", kind, model.Clean(key)),
	}
}

// differs names what is different between a record and the fold of its events.
func differs(kind model.Kind, key string, seq int64, state, want string, a, b any) *Finding {
	f := &Finding{Seq: seq, What: WhatRecord, Kind: kind, Key: key}
	if state != want {
		f.Message = fmt.Sprintf("%s %q stands as %s, but event %d says it is %s", kind, model.Clean(key), model.Clean(state), seq, want)
		return f
	}
	var names []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			names = append(names, fieldName(x.Type().Field(i)))
		}
	}
	f.Message = fmt.Sprintf("%s %q differs from what its events say, in %s", kind, model.Clean(key), strings.Join(names, ", "))
	return f
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return strings.ToLower(f.Name)
	}
	return name
}

func sortRecordIDs(ids []recordID) {
	slices.SortFunc(ids, func(a, b recordID) int {
		return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), strings.Compare(a.key, b.key))
	})
}
