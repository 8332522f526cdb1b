package laneq

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// row is one row of laneq's table directives, of any version. What a
// version does not have is empty.
type row struct {
	id         int64
	priority   string
	body       []byte
	status     string
	created    string
	taken      string
	done       string
	takenBy    string
	leaseUntil string
	requeues   string
	parent     string
	lane       string
	notBefore  string
	blockedBy  string
	token      string // the claim token itself, as the versions with tokens keep it
	tokenHash  string
	importance string
	deadline   string
}

// columns are the columns that are read where the table has them.
func columns() []string {
	return []string{
		"id", "priority", "body", "status", "created_at", "taken_at", "done_at", "taken_by", "lease_until", "requeue_count",
		"parent_id", "lane", "not_before", "blocked_by", "claim_token", "claim_token_hash", "importance", "deadline",
	}
}

// database is a laneq database, opened for reading only.
type database struct {
	path string
	db   *sql.DB
}

// Detect returns the database's path, links resolved, when path is a laneq
// database: a SQLite file with a table directives that has laneq's columns.
func Detect(ctx context.Context, path string) (file string, ok bool) {
	f, err := open(ctx, path)
	if err != nil {
		return "", false
	}
	defer f.db.Close() //nolint:errcheck // only read
	return f.path, true
}

func open(ctx context.Context, path string) (*database, error) {
	file, err := filepath.EvalSymlinks(path)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return nil, model.Errorf(model.CodeUsage, "there is nothing to import at %s: %w", clean.Line(path), err)
	}
	db, err := sqlitefile.Open(file)
	if err != nil {
		return nil, sqlitefile.Explain("open "+clean.Line(path), err)
	}
	f := &database{file, db}
	have, err := f.columns(ctx)
	if err != nil {
		_ = db.Close()
		return nil, model.Errorf(model.CodeInvalid, "%s can't be read: %w", clean.Line(path), err)
	}
	for _, c := range columns()[:4] {
		if !have[c] || have["first_seq"] { // a table of ours has that
			_ = db.Close()
			return nil, model.Errorf(model.CodeInvalid, "%s is not a laneq database", clean.Line(path)).
				WithHint("laneq's has a table directives with the columns id, priority, body and status")
		}
	}
	return f, nil
}

// unread tells an error of reading the file, which is not this workspace's.
func (f *database) unread(err error) error {
	err = sqlitefile.Explain("read "+clean.Line(f.path), err)
	var known *model.Error
	if errors.As(err, &known) && known.Code == model.CodeCorrupt {
		return known.WithHint("nothing was imported from it")
	}
	return err
}

func (f *database) columns(ctx context.Context) (map[string]bool, error) {
	rows, err := f.db.QueryContext(ctx, `SELECT name FROM pragma_table_info('directives')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err has it
	have := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		have[name] = true
	}
	return have, rows.Err()
}

// read returns every row, by id, and the digest of all that was read.
func (f *database) read(ctx context.Context) ([]row, string, error) {
	have, err := f.columns(ctx)
	if err != nil {
		return nil, "", f.unread(err)
	}
	fields := make([]string, 0, len(columns()))
	for _, c := range columns() {
		switch {
		case !have[c]:
			fields = append(fields, "NULL")
		case c == "body":
			fields = append(fields, "CAST(body AS BLOB)")
		default:
			fields = append(fields, c)
		}
	}
	rows, err := f.db.QueryContext(ctx, `SELECT `+strings.Join(fields, ", ")+` FROM directives ORDER BY id`)
	if err != nil {
		return nil, "", f.unread(err)
	}
	defer rows.Close() //nolint:errcheck // Err has it
	sum := sha256.New()
	var out []row
	for rows.Next() {
		vals, dest := make([]any, len(fields)), make([]any, len(fields))
		for i := range vals {
			dest[i] = &vals[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, "", f.unread(err)
		}
		r := rowOf(vals)
		for _, v := range vals {
			s := anyText(v)
			fmt.Fprintf(sum, "%d:%s,", len(s), s)
		}
		out = append(out, r)
	}
	return out, hex.EncodeToString(sum.Sum(nil)), f.unread(rows.Err())
}

func rowOf(v []any) row {
	t := func(i int) string { return anyText(v[i]) }
	id, _ := v[0].(int64)
	return row{
		id: id, priority: t(1), body: []byte(t(2)), status: t(3), created: t(4), taken: t(5), done: t(6), takenBy: t(7),
		leaseUntil: t(8), requeues: t(9), parent: t(10), lane: t(11), notBefore: t(12), blockedBy: t(13), token: t(14),
		tokenHash: t(15), importance: t(16), deadline: t(17),
	}
}

// anyText is a column's value as text, whatever SQLite kept it as.
func anyText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case []byte:
		return string(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}
