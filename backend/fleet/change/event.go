package change

import (
	"context"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// EventDraft is an executor event before it has a number.
type EventDraft struct {
	Kind    string
	Change  string
	Subject fleetmap.BaySubject
	Data    []byte // a JSON object, {} when empty
}

// Make writes the event's objects into the record, going on from parent.
func (d EventDraft) Make(ctx context.Context, record git.Bare, own keys.Own, executor, parent string, now model.Time) (fleetmap.BayEvent, string, error) {
	e := fleetmap.BayEvent{
		Schema: fleetmap.BayEventSchema, Seq: 1, Executor: executor, At: now, Kind: d.Kind, Change: d.Change,
		Subject: d.Subject, Data: d.Data,
	}
	if parent != "" {
		rd, err := record.Open(ctx)
		if err != nil {
			return e, "", err
		}
		defer rd.Close()
		o, err := rd.One(parent+":event.json", fleetmap.MaxChangeBytes)
		if err != nil {
			return e, "", err
		}
		last, err := fleetmap.ParseBayEvent(o.Body, executor)
		if err != nil {
			return e, "", model.Errorf(model.CodeLogRewritten, "the last event of %s can't be read: %w", executor, err)
		}
		e.Seq = last.Seq + 1
	}
	e.ID = fleetmap.BayEventID(e.Executor, e.Seq)
	raw, err := e.Encode()
	if err != nil {
		return e, "", err
	}
	id, err := commitFile(record, own, "event.json", raw, parent, e.Kind+" "+e.Change, now)
	return e, id, err
}

// commitFile writes a commit of one file into the record, and names it.
func commitFile(record git.Bare, own keys.Own, name string, content []byte, parent, message string, now model.Time) (string, error) {
	ids, _, err := own.Commit(record, keys.FileCommit{
		Name: name, Content: content, Parent: parent, Message: strings.TrimSpace(message), At: now, Durable: true,
	})
	return ids[2], err
}

// Write writes a change's objects into the record, going on from parent, and
// names the commit.
func Write(record git.Bare, own keys.Own, c fleetmap.Change, parent string, now model.Time) (string, error) {
	raw, err := c.Encode()
	if err != nil {
		return "", err
	}
	return commitFile(record, own, "change.json", raw, parent, "change "+c.ID+" "+c.State, now)
}
