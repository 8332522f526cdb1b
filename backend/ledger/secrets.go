package ledger

import (
	"binnacle/model"
	"binnacle/model/redact"
)

// checkSecrets refuses a step of a record whose words look like they hold a
// secret: who does it in any case, the reason and the evidence unless they are
// to be redacted.
func (l *Ledger) checkSecrets(how redact.Secrets, who, reason string, evidence []byte) error {
	if how == redact.SecretsAllow {
		return nil
	}
	if err := l.redactor.CheckText("the name of who does it", who); err != nil || how == redact.SecretsRedact {
		return err
	}
	if err := l.redactor.CheckText("the reason", reason); err != nil || len(evidence) == 0 {
		return err
	}
	canonical, err := model.Canonical(evidence)
	if err != nil {
		return err
	}
	return l.redactor.CheckPayload("the evidence", canonical)
}

// finishKnown checks the draft of a step whose words were looked at, and
// replaces secrets where that is wanted.
func (l *Ledger) finishKnown(d *model.Draft, how redact.Secrets) error {
	if err := d.Check(); err != nil || how != redact.SecretsRedact {
		return err
	}
	_, err := l.redact(d)
	return err
}
