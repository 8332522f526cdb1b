package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// The database remembers in meta which form each of the engines' tables has. What
// differs from the program's schema is made when the database is opened for
// writing: a table of an engine's own as an empty one, a table of records from the
// events, and then all of them, for the counts are theirs together.

// formsOf reads what the database remembers; there is false for nothing at all.
func formsOf(c *conn) (forms map[string]int, there bool, err error) {
	text := ""
	err = c.query(context.Background(), stmtForms, func(v []driver.Value) bool {
		text, there = store.AsText(v[0]), true
		return false
	})
	return readForms(text), there, err
}

// stale lists the tables that the database lacks or has in another form. A
// database with tables that the program does not know is refused, for what they
// hold would no longer follow from the events. One that has lost its memory is
// taken for whole: verify names what it lacks, and rebuild makes it.
func (c *conn) stale() ([]string, error) {
	have, there, err := formsOf(c)
	if err == nil && !there {
		var v int64
		if v, err = pragmaInt(c, stmtUserVersion); v == Version {
			return nil, sqlitefile.Explain("read the schema", err)
		}
	}
	if err != nil {
		return nil, sqlitefile.Explain("read the schema", err)
	}
	want := c.of.forms()
	var old, foreign []string
	for name, form := range want {
		switch had, ok := have[name]; {
		case !ok || had < form:
			old = append(old, name)
		case had > form:
			foreign = append(foreign, name)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			foreign = append(foreign, name)
		}
	}
	sort.Strings(old)
	sort.Strings(foreign)
	if len(foreign) > 0 {
		return nil, model.Errorf(model.CodeSchema, "the database has tables in a form that this program does not know: %s",
			clean.Line(strings.Join(foreign, ", "))).WithHint("use the binnacle that made them")
	}
	return old, nil
}

// fit makes the stale tables, and the records anew where one of theirs is among
// them. It runs within a transaction.
func fit(ctx context.Context, c *conn, o Options) error {
	stale, err := c.stale()
	if err != nil {
		return err
	}
	is := map[string]bool{}
	for _, name := range stale {
		is[name] = true
	}
	for _, t := range c.of.Tables() {
		if !is[t.Name] {
			continue
		}
		for _, text := range t.Make {
			if err := c.run(ctx, text); err != nil {
				return err
			}
		}
	}
	records := false
	for _, p := range c.of.Records() {
		shape := p.Shape()
		if !is[shape.Table] {
			continue
		}
		records = true
		for _, name := range shape.Tables() {
			if err := c.run(ctx, `DROP TABLE IF EXISTS `+name); err != nil {
				return err
			}
		}
		for _, text := range makeTables(shape) {
			if err := c.run(ctx, text); err != nil {
				return err
			}
		}
	}
	if records {
		if err := refold(ctx, c, o, nil); err != nil {
			return err
		}
	}
	return c.writeForms(ctx)
}

func (c *conn) writeForms(ctx context.Context) error {
	return c.run(ctx, `INSERT INTO meta (name, value) VALUES ('forms', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
		writeForms(c.of.forms()))
}

// fitStep says what fit will do, "" for nothing.
func fitStep(stale []string) string {
	if len(stale) == 0 {
		return ""
	}
	return fmt.Sprintf("made from the events: %s", strings.Join(stale, ", "))
}

// forms says which form each table has, for the database to remember.
func (s *layout) forms() map[string]int {
	out := map[string]int{}
	for _, p := range s.Records() {
		out[p.Shape().Table] = p.Shape().Form
	}
	for _, t := range s.Tables() {
		out[t.Name] = 0
	}
	return out
}

// writeForms and readForms are how meta holds the forms.
func writeForms(forms map[string]int) string {
	names := make([]string, 0, len(forms))
	for name, form := range forms {
		names = append(names, name+"="+strconv.Itoa(form))
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

func readForms(text string) map[string]int {
	forms := map[string]int{}
	for _, f := range strings.Fields(text) {
		name, form, _ := strings.Cut(f, "=")
		if n, err := strconv.Atoi(form); err == nil {
			forms[name] = n
		}
	}
	return forms
}
