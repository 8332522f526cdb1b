package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// object is one table, index, trigger or view of a database.
type object struct{ kind, name, table, text string }

// objects reads the schema. What SQLite keeps for itself (statistics, sequences)
// comes and goes, and is left out.
func objects(ctx context.Context, c *conn) (map[string]object, error) {
	rows, err := reader{ctx, c}.Query(`SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
		WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4', 'sqlite_sequence'))`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]object{}
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.table, &o.text); err != nil {
			return nil, sqlitefile.Explain("read the schema", err)
		}
		o.text = strings.Join(strings.FieldsFunc(o.text, space), " ")
		all[o.name] = o
	}
	return all, sqlitefile.Explain("read the schema", rows.Err())
}

// space is what may be written anyhow between the words of a statement.
func space(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }

// schema is what a database of this version consists of.
type schema struct{ must map[string]object }

// wanted makes an empty database in memory, with the statements that make and
// migrate real ones, and reads what came of it, once.
func (l *layout) wanted(ctx context.Context) (*schema, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.schema != nil {
		return l.schema, nil
	}
	c, err := openConn(ctx, l, "file::memory:")
	if err != nil {
		return nil, sqlitefile.Explain("make a database in memory", err)
	}
	defer func() { _ = c.close() }()
	o := Options{of: l}.withDefaults()
	for _, m := range migrations() {
		if err := m.apply(ctx, c, o); err != nil {
			return nil, sqlitefile.Explain("make a database in memory", err)
		}
	}
	if err := fit(ctx, c, o); err != nil {
		return nil, sqlitefile.Explain("make a database in memory", err)
	}
	must, err := objects(ctx, c)
	if err == nil {
		l.schema = &schema{must}
	}
	return l.schema, err
}

func (s *schema) differs(have map[string]object) string {
	for _, name := range sortedNames(s.must) {
		if said := compareObject(s.must[name], have); said != "" {
			return said
		}
	}
	for _, name := range sortedNames(have) {
		o := have[name]
		if _, ours := s.must[name]; ours {
			continue
		}
		if o.kind == "table" || o.kind == "view" {
			return fmt.Sprintf("the %s %q was added", o.kind, clean.Line(name))
		}
		return fmt.Sprintf("the %s %q was added to the table %s", o.kind, clean.Line(name), clean.Line(o.table))
	}
	return ""
}

func compareObject(want object, have map[string]object) string {
	got, there := have[want.name]
	switch {
	case !there && want.kind == "index":
		return fmt.Sprintf("the index %s of the table %s is missing", want.name, want.table)
	case !there:
		return fmt.Sprintf("the %s %s is missing", want.kind, want.name)
	case got.kind != want.kind:
		return fmt.Sprintf("%s should be of the kind %s, and is of the kind %s", want.name, want.kind, clean.Line(got.kind))
	case got != want:
		return fmt.Sprintf("the %s %s is not as this version makes it", want.kind, want.name)
	}
	return ""
}

func sortedNames(m map[string]object) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// isEpoch says whether a text is written as newEpoch does.
func isEpoch(s string) bool {
	return len(s) == 8 && strings.Trim(s, "0123456789abcdef") == ""
}

// metaDiffers looks at the rows of meta, whose values no event tells.
func metaDiffers(ctx context.Context, c *conn) (string, error) {
	rows, err := reader{ctx, c}.Query(`SELECT name, CAST(value AS TEXT), typeof(value) FROM meta ORDER BY name`)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	have := map[string]string{}
	for rows.Next() {
		var name, value, kind string
		if err := rows.Scan(&name, &value, &kind); err != nil {
			return "", sqlitefile.Explain("read the table meta", err)
		}
		if name != "epoch" && name != "created" && name != "forms" {
			return fmt.Sprintf("the table meta has a row %q that this version does not write", clean.Line(name)), nil
		}
		if kind != "text" {
			value = ""
		}
		have[name] = value
	}
	if err := rows.Err(); err != nil {
		return "", sqlitefile.Explain("read the table meta", err)
	}
	for _, name := range []string{"created", "epoch", "forms"} {
		value, there := have[name]
		if !there {
			return fmt.Sprintf("the row %q of the table meta is missing", name), nil
		}
		if !metaRight(name, value, c.of) {
			return fmt.Sprintf("the row %q of the table meta is not what this program writes", name), nil
		}
	}
	return "", nil
}

func metaRight(name, value string, of *layout) bool {
	switch name {
	case "created":
		_, err := model.ParseTime(value)
		return err == nil
	case "epoch":
		return isEpoch(value)
	}
	return value == writeForms(of.forms())
}
