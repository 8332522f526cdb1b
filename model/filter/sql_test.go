package filter

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"binnacle/model"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"
)

// TestFilterAgreesWithSQL holds Match to a plain translation into SQLite's SQL.
func TestFilterAgreesWithSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, `CREATE TABLE events(seq INTEGER PRIMARY KEY, ts INTEGER, topic TEXT, producer TEXT, kind TEXT, key TEXT, state TEXT, payload TEXT)`); err != nil {
		t.Fatal(err)
	}
	name := rapid.SampledFrom([]string{"", "disk", "a*b", "a[b", "41", "é?", "Ops", "w \"1\"", "queue/release", "x\\y", "a_b%"})
	rapid.Check(t, func(t *rapid.T) {
		e := model.Event{
			Seq: 1, TS: noon + model.Time(rapid.IntRange(-1, 1).Draw(t, "ts")), Kind: rapid.SampledFrom(model.Kinds()).Draw(t, "kind"),
			Topic:    rapid.SampledFrom([]string{"queue/release", "queue/default", "build/log", "a"}).Draw(t, "topic"),
			Producer: name.Draw(t, "producer"), Key: name.Draw(t, "key"),
			State: rapid.SampledFrom([]string{"", "pending", "taken", "done"}).Draw(t, "state"),
		}
		payload := fmt.Sprintf(`{"by":%s,"executor":%s,"n":{"priority":"P2"},"priority":"%s","text":%s}`,
			model.AppendString(nil, name.Draw(t, "by")), model.AppendString(nil, name.Draw(t, "executor")),
			rapid.SampledFrom([]string{"P0", "P1"}).Draw(t, "priority"), model.AppendString(nil, name.Draw(t, "text")))
		if e.Payload, err = model.CanonicalObject([]byte(payload)); err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		if field := rapid.SampledFrom(append(Fields(), "")).Draw(t, "field"); field != "" {
			text += string(field) + ":"
		}
		v := name.Draw(t, "value")
		if rapid.Bool().Draw(t, "quoted") {
			v = quote(v)
		}
		text += rapid.SampledFrom([]string{v, v, "*", "?*", "pending,done", "P1", "signal,directive", "rel*", "*s*", "0s", `"\"by\":\""`}).Draw(t, "v")
		f, err := Parse(text, noon)
		if err != nil {
			t.Skip()
		}
		if _, err := db.ExecContext(ctx, `REPLACE INTO events VALUES (1,$1,$2,$3,$4,$5,$6,$7)`,
			int64(e.TS), e.Topic, e.Producer, string(e.Kind), sql.NullString{String: e.Key, Valid: e.Key != ""},
			sql.NullString{String: e.State, Valid: e.State != ""}, string(e.Payload)); err != nil {
			t.Fatal(err)
		}
		where, args := filterSQL(f)
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM events WHERE "+where, args...).Scan(&n); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if got := f.Match(&e); got != (n == 1) {
			t.Fatalf("%q on %s: Match %v, SQL %v (%s)", text, e.AppendJSON(nil), got, n == 1, where)
		}
	})
}

// filterSQL is the translation in its plainest form.
func filterSQL(f Filter) (string, []any) {
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	and := []string{"1"}
	if f.HasSince {
		and = append(and, "ts >= "+arg(int64(f.Since)))
	}
	if f.HasUntil {
		and = append(and, "ts < "+arg(int64(f.Until)))
	}
	for _, c := range f.Clauses {
		column, guard := "coalesce("+string(c.Field)+",'')", "1"
		switch c.Field {
		case FieldLane:
			// LaneOf leaves a topic that is no lane's as it is.
			column = "CASE WHEN kind<>'directive' THEN '' WHEN substr(topic,1,6)='queue/' THEN substr(topic, 7) ELSE topic END"
		case FieldStatus:
			column, guard = "coalesce(state,'')", "kind='directive'"
		case FieldPriority:
			column, guard = "coalesce(json_extract(payload,'$.priority'),'')", "kind='directive'"
		case FieldConsumer:
			column = "coalesce(CASE WHEN kind IN ('directive','signal') THEN json_extract(payload,'$.by') WHEN kind='work' THEN json_extract(payload,'$.executor') END,'')"
		}
		var or []string
		for _, p := range c.Any {
			or = append(or, "("+column+") GLOB "+arg(p.ClassGlob()))
		}
		s := "(" + guard + " AND (" + strings.Join(or, " OR ") + "))"
		if c.Not {
			s = "NOT " + s
		}
		and = append(and, s)
	}
	like := func(column, text string) string {
		text = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
		return column + " LIKE " + arg("%"+text+"%") + ` ESCAPE '\'`
	}
	for _, term := range f.Terms {
		s := "(" + like("payload", term.JSON) + " OR " + like("topic", term.Text) + " OR " +
			like("producer", term.Text) + " OR " + like("coalesce(key,'')", term.Text) + ")"
		if term.Not {
			s = "NOT " + s
		}
		and = append(and, s)
	}
	return strings.Join(and, " AND "), args
}
