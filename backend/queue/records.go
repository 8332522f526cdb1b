package queue

import (
	"database/sql/driver"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// Part is what the queue keeps in the database: directives.
func Part() store.Part { return store.Part{Records: []store.Projection{Directives}} }

// Directives are the projection of the events of kind directive. The indexes are
// partial: a finished directive stands in none of them, so that claims cost the
// same however long the history is. See ledger.Work for the lease.
var Directives = store.NewRecords(store.Definition[directive.Directive]{
	Noun: directive.Machine().Noun, Kind: model.KindDirective, Table: "directives", Form: 1,
	Fields: []store.Field[directive.Directive]{
		store.NumberKey("id", func(d *directive.Directive) *int64 { return &d.ID }),
		store.Int("priority", func(d *directive.Directive) *directive.Priority { return &d.Priority }),
		store.Text("lane", func(d *directive.Directive) *string { return &d.Lane }),
		store.Text("body", func(d *directive.Directive) *string { return &d.Body }).Fixed().Long(),
		store.Text("status", func(d *directive.Directive) *string { return &d.Status }),
		store.IntOrNull("parent", func(d *directive.Directive) *int64 { return &d.Parent }).Fixed(),
		store.Int("created_at", func(d *directive.Directive) *model.Time { return &d.CreatedAt }),
		store.IntOrNull("taken_at", func(d *directive.Directive) *model.Time { return &d.TakenAt }),
		store.IntOrNull("done_at", func(d *directive.Directive) *model.Time { return &d.DoneAt }),
		store.TextOrNull("taken_by", func(d *directive.Directive) *string { return &d.TakenBy }),
		store.IntOrNull("lease_until", func(d *directive.Directive) *model.Time { return &d.LeaseUntil }),
		store.TextOrNull("token_hash", func(d *directive.Directive) *string { return &d.TokenHash }),
		store.Int("attempt", func(d *directive.Directive) *int64 { return &d.Attempt }),
		store.Int("requeue_count", func(d *directive.Directive) *int64 { return &d.RequeueCount }),
		store.Int("lapses", func(d *directive.Directive) *int64 { return &d.Lapses }),
		store.IntOrNull("not_before", func(d *directive.Directive) *model.Time { return &d.NotBefore }),
		store.ListOrNull("blocked_by", func(d *directive.Directive) *[]int64 { return &d.BlockedBy }),
		store.IntOrNull("importance", func(d *directive.Directive) *int64 { return &d.Importance }),
		store.IntOrNull("deadline", func(d *directive.Directive) *model.Time { return &d.Deadline }),
		store.TextOrNull("reason", func(d *directive.Directive) *string { return &d.Reason }),
		store.Int("since", func(d *directive.Directive) *model.Time { return &d.Since }),
		store.Int("first_seq", func(d *directive.Directive) *int64 { return &d.FirstSeq }).Fixed(),
		store.Int("last_seq", func(d *directive.Directive) *int64 { return &d.LastSeq }),
		store.Int("rev", func(d *directive.Directive) *int64 { return &d.Rev }),
		store.TextOrNull("lease_boot", func(d *directive.Directive) *string { return &d.LeaseBoot }),
		store.IntOrNull("lease_awake", func(d *directive.Directive) *int64 { return &d.LeaseAwake }),
		store.IntOrNull("taken_awake", func(d *directive.Directive) *int64 { return &d.TakenAwake }),
	},
	Indexes: []string{
		`CREATE INDEX directives_ready ON directives (lane, priority, id) WHERE status = 'pending'`,
		`CREATE INDEX directives_taken ON directives (lease_boot, lease_awake, lease_until) WHERE status = 'taken'`,
		`CREATE INDEX directives_deferred ON directives (not_before) WHERE status = 'deferred'`,
		`CREATE INDEX directives_parked ON directives (id) WHERE status = 'parked'`,
		`CREATE INDEX directives_parent ON directives (parent) WHERE parent IS NOT NULL`,
	},
	Sides: []store.SideOf[directive.Directive]{{
		SideForm: store.SideForm{
			Table:   "directive_blocks",
			Columns: []store.Column{store.SideInt("id"), store.SideInt("blocked_by")},
			Indexes: []string{`CREATE INDEX directive_blocks_blocker ON directive_blocks (blocked_by, id)`},
		},
		Rows: blockRows,
	}},
	Unnamed: store.NameNext,
	Apply:   (*directive.Directive).Apply,
	Counter: directive.Counter,
})

// blockRows are the directives that one waits for, a row each.
func blockRows(d *directive.Directive) [][]driver.Value {
	if len(d.BlockedBy) == 0 {
		return nil
	}
	ids := slices.Clone(d.BlockedBy)
	slices.Sort(ids)
	var rows [][]driver.Value
	for _, by := range slices.Compact(ids) { // one that was named twice is one row
		rows = append(rows, []driver.Value{d.ID, by})
	}
	return rows
}

// readOne reads one directive; CodeNotFound when there is none.
func readOne(r store.Reader, id int64) (directive.Directive, error) {
	return Directives.Get(r, directive.Key(id))
}
