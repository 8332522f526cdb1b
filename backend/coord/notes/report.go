package notes

import (
	"context"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
)

// Report hides a note, whoever wrote it, until the report is taken back. why may
// be "". Past the reporter's cap it is refused with CodeRate.
func (ns *Notes) Report(ctx context.Context, who Who, id, why string, allowSecret bool) (Written, error) {
	t := note.Text{Title: "-", Why: why}
	if err := t.Check(); err != nil {
		return Written{}, err
	}
	d, redacted, err := ns.text(who, id, note.TextPayload{Text: why, Report: true}, allowSecret)
	if err != nil {
		return Written{}, err
	}
	capped := func(tx store.Tx, _ note.Note) error {
		return checkCap(tx, `SELECT at FROM note_reports WHERE reporter = $1 AND at > $2 ORDER BY at DESC LIMIT 1 OFFSET $3`,
			who.Name, note.CapHour, note.HourlyReports, "%s has reported %d notes within an hour, which is the cap")
	}
	item, err := ns.step(ctx, who, id, note.ActReport, note.TopicReported, capped, func(tx store.Tx) (int64, error) {
		if why == "" {
			return 0, nil
		}
		e, err := tx.Append(d)
		return e.Seq, err
	})
	return Written{item, redacted}, err
}

// Unreport takes a report back, so that the note stands again. A person may, and
// whoever reported it.
func (ns *Notes) Unreport(ctx context.Context, who Who, id string) (note.Item, error) {
	return ns.step(ctx, who, id, note.ActUnreport, note.TopicUnreported, func(_ store.Tx, n note.Note) error {
		return mayUnreport(who, n.ReportedBy)
	}, nil)
}

func mayUnreport(who Who, reporter string) error {
	if !who.Agent || who.Name == reporter {
		return nil
	}
	return model.Errorf(model.CodeRefused, "what %s reported is taken back by %s or a person, not by the agent %s",
		clean.Line(reporter), clean.Line(reporter), clean.Line(who.Name)).WithHint("ask an operator")
}

// UnreportAll takes back what one reporter reported, all or none, and names the
// notes that stand again, the oldest first.
func (ns *Notes) UnreportAll(ctx context.Context, who Who, reporter string) ([]string, error) {
	if err := mayUnreport(who, reporter); err != nil {
		return nil, err
	}
	var ids []string
	err := ns.store.Write(ctx, func(tx store.Tx) error {
		ids = nil
		all, err := Records.Select(tx, `WHERE state = 'reported' AND reported_by = $1 ORDER BY first_seq`, reporter)
		if err != nil {
			return store.Explain("find what was reported", err)
		}
		for _, n := range all {
			if _, err := tell(tx, who, note.TopicUnreported, n.ID, note.Open, 0, note.Changed{Untrusted: note.Outsides{Path: n.Path}}); err != nil {
				return err
			}
			ids = append(ids, n.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Clip(ids), nil
}
