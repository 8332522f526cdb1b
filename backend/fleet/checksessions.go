package fleet

import (
	"context"
	"reflect"

	"binnacle/backend/store"
	"binnacle/model"
)

// CheckSessions compares the table of sessions with what the ledger's facts add
// up to, and names the first one that differs (CodeCorrupt). A database without
// our tables has nothing to compare. It writes nothing.
func CheckSessions(ctx context.Context, s store.Store) error {
	f := &Fleet{opts: Options{Store: s}}
	ok, err := f.ready(ctx)
	if err != nil || !ok {
		return err
	}
	return s.Read(ctx, func(r store.Reader) error {
		want, err := foldSessions(r)
		if err != nil {
			return err
		}
		have, err := storedSessions(r)
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(want) {
			got, ok := have[key]
			switch {
			case !ok:
				return differs(key, "is missing")
			case !sameSession(got, *want[key]):
				return differs(key, "is not what its facts add up to")
			}
			delete(have, key)
		}
		for _, key := range sortedKeys(have) {
			return differs(key, "has no facts in the ledger")
		}
		return nil
	})
}

func differs(key, how string) error {
	return model.Errorf(model.CodeCorrupt, "record: session %q %s", model.Clean(key), how).
		WithHint("binnacle ledger rebuild makes it anew from the events")
}

func storedSessions(r store.Reader) (map[string]model.Session, error) {
	rows, err := r.Query(`SELECT ` + sessionColumns + ` FROM fleet_sessions`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]model.Session{}
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		all[s.Key] = s
	}
	return all, rows.Err()
}

// sameSession compares all but the difference between no paths and none.
func sameSession(a, b model.Session) bool {
	if len(a.Paths) == 0 && len(b.Paths) == 0 {
		a.Paths, b.Paths = nil, nil
	}
	return reflect.DeepEqual(a, b)
}

// RebuildSessions makes the table of sessions anew from the ledger's facts,
// where there is one.
func RebuildSessions(ctx context.Context, s store.Store) error {
	f := &Fleet{opts: Options{Store: s}}
	ok, err := f.ready(ctx)
	if err != nil || !ok {
		return err
	}
	_, err = f.RebuildSessions(ctx)
	return err
}
