package queue

import (
	"database/sql"
	"strings"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
)

// TestPlans: what every write and every snapshot asks goes through an index,
// without a sort, so that it costs the same with a million directives.
func TestPlans(t *testing.T) {
	s, err := storetest.OpenAt(storetest.Place(t), storetest.Options{Parts: store.NewParts(ledger.Part(), Part())})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const whole = `SELECT * FROM directives `
	cases := []struct {
		name, query string
		args        []any
		want        string
	}{
		{"first", sqlFirst, []any{"default", 1}, "directives_ready"},
		{"line", sqlLine, []any{"default", 1, 10}, "directives_ready"},
		{"front", whole + restFront, []any{"default", 10}, "directives_ready"},
		{"list of a lane", whole + restListLane, []any{"default", 1, 1, 10}, "directives_ready"},
		{"list of a priority", whole + restListPriority, []any{1, 1, "", "done", 10}, "INTEGER PRIMARY KEY"},
		{"list of a priority and lane", whole + restListPriority, []any{1, 1, "default", "", 10}, "INTEGER PRIMARY KEY"},
		{"ahead", sqlAheadIDs, []any{"default", 1, 1, 10}, "directives_ready"},
		{"some pending", sqlSomePending, []any{"default", 3}, "directives_ready"},
		{"lapsed", claims.Lapsed, []any{"b", 1, 1, 10}, "directives_taken"},
		{"first lease", claims.Left, []any{"b", 1, 1}, "directives_taken"},
		{"next lease", claims.Running, []any{"b", 1, 1}, "directives_taken"},
		{"taken here", whole + claims.Soonest[0], []any{"b", 10}, "directives_taken"},
		{"taken without a boot", whole + claims.Soonest[1], []any{10}, "directives_taken"},
		{"due", sqlDue, []any{1, 10}, "directives_deferred"},
		{"next due", sqlNextDue, []any{1}, "directives_deferred"},
		{"deferred", whole + restDeferred, []any{10}, "directives_deferred"},
		{"dependants", sqlDependants, []any{1, 1, 10}, "directive_blocks_blocker"},
		{"children", whole + restChildren, []any{1, 10}, "directives_parent"},
		{"history", `SELECT * FROM events ` + restHistory, []any{"1", 10}, "events_key"},
		{"copies", sqlCopies, []any{1}, "events_causation"},
		{"change", `SELECT * FROM events ` + restChangeAt, []any{1}, "events_key"},
		{"copy's directive", sqlCopies, []any{1}, "INTEGER PRIMARY KEY"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var plan []string
			err := s.Read(t.Context(), func(r store.Reader) error {
				return each(r, func(rows *sql.Rows) error {
					var id, parent, unused int
					var detail string
					err := rows.Scan(&id, &parent, &unused, &detail)
					plan = append(plan, detail)
					return err
				}, `EXPLAIN QUERY PLAN `+c.query, c.args...)
			})
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(plan, "\n")
			for _, step := range plan {
				if strings.HasPrefix(step, "SCAN") && !strings.Contains(step, c.want) {
					t.Fatalf("it walks over everything:\n%s", text)
				}
			}
			if !strings.Contains(text, c.want) || strings.HasPrefix(plan[0], "SCAN") && !strings.Contains(plan[0], c.want) {
				t.Fatalf("plan:\n%s", text)
			}
			if strings.Contains(text, "TEMP B-TREE") && c.name != "children" {
				t.Fatalf("it sorts:\n%s", text)
			}
		})
	}
}
