package query

import (
	"strconv"
	"strings"

	"binnacle/backend/store"
	"binnacle/model/filter"
)

// where builds a condition with numbered placeholders, as the store writes it.
type where struct {
	dialect store.Dialect
	text    strings.Builder
	args    []any
}

// and adds a condition in which each ? stands for one argument.
func (w *where) and(condition string, args ...any) {
	if w.text.Len() > 0 {
		w.text.WriteString(" AND ")
	}
	for _, part := range strings.SplitAfter(condition, "?") {
		if text, found := strings.CutSuffix(part, "?"); found {
			w.args = append(w.args, args[0])
			args = args[1:]
			w.text.WriteString(text + "$" + strconv.Itoa(len(w.args)))
			continue
		}
		w.text.WriteString(part)
	}
}

// filter adds the conditions that an event passes exactly when f.Match says so.
// A test holds the two together.
func (w *where) filter(f filter.Filter) {
	if f.HasSince {
		w.and("ts >= ?", int64(f.Since))
	}
	if f.HasUntil {
		w.and("ts < ?", int64(f.Until))
	}
	for _, c := range f.Clauses {
		w.clause(c)
	}
	for _, t := range f.Terms {
		var parts []string
		var args []any
		for _, column := range []string{"payload", "topic", "producer", "coalesce(key, '')"} {
			text := t.Text
			if column == "payload" {
				text = t.JSON
			}
			condition, arg := w.dialect.Has(column, text)
			parts, args = append(parts, condition), append(args, arg)
		}
		condition := "(" + strings.Join(parts, " OR ") + ")"
		if t.Not {
			condition = "NOT " + condition
		}
		w.and(condition, args...)
	}
}

func (w *where) clause(c filter.Clause) {
	column, only := w.fieldColumn(c.Field)
	if column == "" {
		w.and("1 = 0") // a field without a meaning matches nothing, as in Match
		return
	}
	var text strings.Builder
	var args []any
	for i, p := range c.Any {
		if i > 0 {
			text.WriteString(" OR ")
		}
		switch {
		case p.Glob:
			condition, arg := w.dialect.Glob(column, p)
			text.WriteString(condition)
			args = append(args, arg)
		case p.Text != "" && (c.Field == filter.FieldKey || c.Field == filter.FieldState) && !c.Not:
			text.WriteString(string(c.Field) + " = ?") // so that the index on key serves
			args = append(args, p.Text)
		default:
			text.WriteString(column + " = ?")
			args = append(args, p.Text)
		}
	}
	condition := "(" + text.String() + ")"
	if only != "" {
		condition = "(" + only + " AND " + condition + ")"
	}
	if c.Not {
		condition = "NOT " + condition
	}
	w.and(condition, args...)
}

// fieldColumn is what a clause looks at, never NULL; only is what must hold
// besides.
func (w *where) fieldColumn(f filter.Field) (column, only string) {
	switch f {
	case filter.FieldKind, filter.FieldTopic, filter.FieldProducer:
		return string(f), ""
	case filter.FieldState:
		return "coalesce(state, '')", ""
	case filter.FieldKey:
		return "coalesce(key, '')", ""
	case filter.FieldLane:
		// The topic may have the lane encoded (directive.Topic); the record has it as
		// it is, and a directive never changes its lane.
		return `(CASE WHEN kind = 'directive' THEN coalesce((SELECT lane FROM directives WHERE id = CAST(events.key AS BIGINT)), '') ELSE '' END)`, ""
	case filter.FieldStatus:
		return "coalesce(state, '')", "kind = 'directive'"
	case filter.FieldPriority:
		return w.dialect.Member("payload", "priority"), "kind = 'directive'"
	case filter.FieldConsumer:
		by, executor := w.dialect.Member("payload", "by"), w.dialect.Member("payload", "executor")
		return `(CASE kind WHEN 'directive' THEN ` + by + ` WHEN 'signal' THEN ` + by + ` WHEN 'work' THEN ` + executor + ` ELSE '' END)`, ""
	}
	return "", ""
}
