package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/model"
)

// childReadOnly opens the database read-only, reads all of it, and makes sure
// that writes are refused. It prints the head's number. When extra is "wait"
// it reads again for each line on stdin.
func childReadOnly(path, extra string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Options{Parts: parts.All(), Path: path, ReadOnly: true})
	if err != nil {
		return err
	}
	if !s.ReadOnly() {
		return errors.New("it says it can be written")
	}
	_, err = s.Append(ctx, []model.Draft{profile(1)})
	if model.CodeOf(err) != model.CodeReadOnly {
		return fmt.Errorf("an append ended with %w", err)
	}
	err = s.Write(ctx, func(store.Tx) error { return nil })
	if model.CodeOf(err) != model.CodeReadOnly || model.HintOf(err) == "" {
		return fmt.Errorf("a write ended with %w", err)
	}
	for {
		if err := printHead(ctx, s); err != nil {
			return err
		}
		var line string
		if _, err := fmt.Scanln(&line); extra != "wait" || err != nil {
			return s.Close()
		}
	}
}

func printHead(ctx context.Context, s store.Store) error {
	return s.Read(ctx, func(r store.Reader) error {
		h, err := r.Head()
		if err != nil {
			return err
		}
		if h.Seq > 0 {
			if _, err := r.Event(h.Seq); err != nil {
				return err
			}
		}
		fmt.Println(h.Seq)
		return nil
	})
}

// childOpen opens the database for writing, appends, and closes it. Its log
// goes to stdout.
func childOpen(path, _ string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Options{Parts: parts.All(), Path: path, Log: os.Stdout})
	if err != nil {
		return err
	}
	if _, err := s.Append(ctx, []model.Draft{profile(1)}); err != nil {
		return err
	}
	return s.Close()
}
