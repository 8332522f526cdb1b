package change

import (
	"context"

	"binnacle/backend/fleet/keys"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/redact"
)

// Draft says what a change is opened with.
type Draft struct {
	ID      string
	Title   string
	Inputs  []fleetmap.ChangeInput // At is pinned where trunk is now, when empty
	Session string                 // the tool's id of the session that is to hold it
	Secrets redact.Secrets         // what is done with a title that looks like it holds a secret
}

// Check refuses a change that can't be opened so; what the draft says of secrets
// is done to its title.
func (d *Draft) Check(r *redact.Redactor) error {
	if err := fleetmap.CheckChange(d.ID); err != nil {
		return err
	}
	names := []redact.Named{{Name: "the change's name", Text: d.ID}}
	for _, in := range d.Inputs {
		names = append(names, redact.Named{Name: "the input", Text: in.Ref})
	}
	if d.Secrets != redact.SecretsAllow {
		if err := r.CheckNames(names...); err != nil {
			return err
		}
	}
	switch d.Secrets {
	case redact.SecretsRefuse:
		if err := r.CheckText("the title", d.Title); err != nil {
			return err
		}
	case redact.SecretsRedact:
		d.Title, _ = r.RedactText(d.Title)
	}
	return nil
}

// Pin makes the change that a draft asks for: it starts at trunk's tip, with its
// inputs pinned where they are now.
func (r Record) Pin(ctx context.Context, c *fleetmap.Change, d Draft) error {
	if r.Trunk == "" {
		return model.Errorf(model.CodeRefused, "the remote has no trunk that a change could start from").
			WithHint("push a branch first, or name it: trunk = \"main\"")
	}
	*c = fleetmap.Change{ID: d.ID, Title: d.Title, Base: r.Trunk, Inputs: d.Inputs}
	where, err := r.locate(ctx, c.Inputs)
	if err != nil {
		return err
	}
	for i, in := range c.Inputs {
		if in.At == "" {
			c.Inputs[i].At = where[in].at
		}
	}
	policy, err := r.locate(ctx, []fleetmap.ChangeInput{{Kind: fleetmap.InputPolicy, Ref: keys.RegistryPath}})
	for _, l := range policy {
		c.Policy = l.at
	}
	return err
}
