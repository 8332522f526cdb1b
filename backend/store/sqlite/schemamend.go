package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mend makes our tables and indexes as this version makes them, and takes what
// somebody else put on our tables off them. Tables and views of others stay: they
// may hold something. Content stays, but for derived tables, which are filled
// anew afterwards. It runs in the rebuild's transaction, and says what it did.
func (s *schema) mend(ctx context.Context, c *conn, done func(format string, args ...any)) error {
	have, err := objects(ctx, c)
	if err != nil {
		return err
	}
	run := func(text, said, name, table string) error {
		if err := c.run(ctx, text); err != nil {
			return fmt.Errorf("mend the schema (%s %s of %s): %w", said, name, table, err)
		}
		done("%s %s of the table %s", said, name, table)
		return nil
	}
	for _, name := range sortedNames(have) {
		o := have[name]
		_, ours := s.must[name]
		table, onOurs := s.must[o.table]
		if ours || !onOurs || table.kind != "table" || strings.HasPrefix(name, "sqlite_") {
			continue
		}
		if o.kind == "trigger" || o.kind == "index" {
			if err := run(`DROP `+o.kind+` `+quoted(name), "took away the "+o.kind, name, o.table); err != nil {
				return err
			}
		}
	}
	for _, want := range s.ours("table") {
		if got, there := have[want.name]; !there || got != want {
			if err := remakeTable(ctx, c, want, there, run); err != nil {
				return err
			}
		}
	}
	if have, err = objects(ctx, c); err != nil {
		return err
	}
	for _, want := range s.ours("index") {
		got, there := have[want.name]
		if got == want || strings.HasPrefix(want.name, "sqlite_") {
			continue
		}
		if there {
			if err := run(`DROP INDEX `+quoted(want.name), "took away the changed index", want.name, want.table); err != nil {
				return err
			}
		}
		if err := run(want.text, "made the index", want.name, want.table); err != nil {
			return err
		}
	}
	return nil
}

// ours lists the objects of a kind that must be there.
func (s *schema) ours(kind string) (out []object) {
	for _, name := range sortedNames(s.must) {
		if o := s.must[name]; o.kind == kind {
			out = append(out, o)
		}
	}
	return out
}

// remakeTable makes the table anew. What it held in columns that it is to have
// goes over, unless replaying makes it.
func remakeTable(ctx context.Context, c *conn, want object, there bool, run func(text, said, name, table string) error) error {
	const former = "former_table_of_ours"
	if !there {
		return run(want.text, "made the table", want.name, want.name)
	}
	// The legacy form leaves views that name the table as they are.
	for _, text := range []string{
		`PRAGMA legacy_alter_table = ON`, `ALTER TABLE ` + quoted(want.name) + ` RENAME TO ` + former, `PRAGMA legacy_alter_table = OFF`,
	} {
		if err := c.run(ctx, text); err != nil {
			return fmt.Errorf("mend the table %s: %w", want.name, err)
		}
	}
	if err := run(want.text, "made anew the table", want.name, want.name); err != nil {
		return err
	}
	if !slices.Contains(c.of.derivedTables(), want.name) {
		before, err := columnsOf(ctx, c, former)
		if err != nil {
			return err
		}
		now, err := columnsOf(ctx, c, want.name)
		if err != nil {
			return err
		}
		now = slices.DeleteFunc(now, func(name string) bool { return !slices.Contains(before, name) })
		if list := strings.Join(now, ", "); list != "" {
			if err := c.run(ctx, `INSERT INTO `+quoted(want.name)+` (`+list+`) SELECT `+list+` FROM `+former); err != nil {
				return fmt.Errorf("carry over the table %s: %w", want.name, err)
			}
		}
	}
	return c.run(ctx, `DROP TABLE `+former)
}

func columnsOf(ctx context.Context, c *conn, table string) (names []string, err error) {
	rows, err := c.sql.QueryContext(ctx, `SELECT name FROM pragma_table_info(`+"'"+strings.ReplaceAll(table, "'", "''")+"'"+`)`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, quoted(name))
	}
	return names, rows.Err()
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// mendEvents writes events' values in the form of the writer; what they mean, and
// so their hashes, stay.
func mendEvents(ctx context.Context, c *conn) error {
	return c.run(ctx, `UPDATE events SET
			ts = CAST(ts AS INTEGER), topic = CAST(topic AS TEXT), producer = CAST(producer AS TEXT), kind = CAST(kind AS TEXT),
			key = nullif(CAST(key AS TEXT), ''), state = nullif(CAST(state AS TEXT), ''), causation = nullif(CAST(causation AS INTEGER), 0),
			payload = CAST(payload AS TEXT), prev = CAST(prev AS TEXT), hash = CAST(hash AS TEXT)
		WHERE key = '' OR state = '' OR causation = 0 OR typeof(ts) <> 'integer' OR typeof(causation) NOT IN ('integer', 'null')
			OR typeof(key) NOT IN ('text', 'null') OR typeof(state) NOT IN ('text', 'null')
			OR typeof(topic) <> 'text' OR typeof(producer) <> 'text' OR typeof(kind) <> 'text'
			OR typeof(payload) <> 'text' OR typeof(prev) <> 'text' OR typeof(hash) <> 'text'`)
}
