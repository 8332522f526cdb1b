package directive

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"binnacle/model"
)

// Payload is what a directive's events carry. Fields that an action
// does not set are left out; a pointer tells "set to zero" from "not set".
type Payload struct {
	Action        string      `json:"action"`
	By            string      `json:"by,omitempty"` // who did it
	Why           string      `json:"why,omitempty"`
	Forced        bool        `json:"forced,omitempty"`
	Reconstructed bool        `json:"reconstructed,omitempty"` // from an import: it may begin in any state
	Redacted      int64       `json:"redacted,omitempty"`      // how many secrets were replaced in body and why
	Priority      *Priority   `json:"priority,omitempty"`
	Lane          string      `json:"lane,omitempty"`
	Body          string      `json:"body,omitempty"`
	BodyBase64    string      `json:"body_base64,omitempty"` // instead of body, where JSON would double its size
	Parent        int64       `json:"parent,omitempty"`
	Importance    *int64      `json:"importance,omitempty"`
	Deadline      *model.Time `json:"deadline,omitempty"`
	NoDeadline    bool        `json:"no_deadline,omitempty"` // the deadline is taken away
	TokenHash     string      `json:"token_hash,omitempty"`
	LeaseUntil    *model.Time `json:"lease_until,omitempty"`
	LeaseBoot     string      `json:"lease_boot,omitempty"`  // with LeaseUntil: Lease.Boot
	LeaseAwake    int64       `json:"lease_awake,omitempty"` // with LeaseUntil: Lease.Awake
	TakenAwake    int64       `json:"taken_awake,omitempty"` // with LeaseUntil: Directive.TakenAwake
	NotBefore     *model.Time `json:"not_before,omitempty"`
	BlockedBy     *[]int64    `json:"blocked_by,omitempty"`
	// Of a restored claim and of a reconstructed directive:
	TakenAt model.Time `json:"taken_at,omitempty"`
	TakenBy string     `json:"taken_by,omitempty"`
	// Of a directive that is parked again by an undo:
	Lapses int64 `json:"lapses,omitempty"`
	// Of a reconstructed directive only:
	CreatedAt    model.Time `json:"created_at,omitempty"`
	DoneAt       model.Time `json:"done_at,omitempty"`
	Attempt      int64      `json:"attempt,omitempty"`
	RequeueCount int64      `json:"requeue_count,omitempty"`
}

// SetLease puts both ends of a lease.
func (p *Payload) SetLease(l model.Lease) {
	p.LeaseUntil, p.LeaseBoot, p.LeaseAwake = &l.Until, l.Boot, l.Awake
}

// plainBody bounds the JSON form of a body that stands in the payload as a
// string, in bytes. A body of control characters takes six bytes each there,
// which would not fit into MaxPayload.
const plainBody = 200 << 10

// SetBody puts the body where it fits. Every body that CheckBody takes fits.
func (p *Payload) SetBody(body string) {
	size := len(body)
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			size++
		case c < 0x20:
			size += 5
		}
	}
	if size <= plainBody {
		p.Body, p.BodyBase64 = body, ""
		return
	}
	p.Body, p.BodyBase64 = "", base64.StdEncoding.EncodeToString([]byte(body))
}

// body returns what SetBody put.
func (p *Payload) body() (string, error) {
	if p.BodyBase64 == "" {
		return p.Body, nil
	}
	b, err := base64.StdEncoding.DecodeString(p.BodyBase64)
	if err != nil {
		return "", model.Errorf(model.CodeInvalid, "the member \"body_base64\" is not base64")
	}
	return string(b), nil
}

// AppendCanonical appends the payload in canonical form, ready for Append:
// the members stand in the order that RFC 8785 wants. Its strings are valid
// UTF-8 and its integers exact, which the caller checked.
func (p *Payload) AppendCanonical(dst []byte) json.RawMessage {
	w := memberWriter{dst: append(dst, '{')}
	w.text("action", p.Action)
	w.number("attempt", p.Attempt)
	if p.BlockedBy != nil {
		w.name("blocked_by")
		w.dst = append(w.dst, '[')
		for i, id := range *p.BlockedBy {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = strconv.AppendInt(w.dst, id, 10)
		}
		w.dst = append(w.dst, ']')
	}
	w.text("body", p.Body)
	w.text("body_base64", p.BodyBase64)
	w.text("by", p.By)
	w.time("created_at", p.CreatedAt)
	w.timeIf("deadline", p.Deadline)
	w.time("done_at", p.DoneAt)
	w.flag("forced", p.Forced)
	if p.Importance != nil {
		w.name("importance")
		w.dst = strconv.AppendInt(w.dst, *p.Importance, 10)
	}
	w.text("lane", p.Lane)
	w.number("lapses", p.Lapses)
	w.number("lease_awake", p.LeaseAwake)
	w.text("lease_boot", p.LeaseBoot)
	w.timeIf("lease_until", p.LeaseUntil)
	w.flag("no_deadline", p.NoDeadline)
	w.timeIf("not_before", p.NotBefore)
	w.number("parent", p.Parent)
	if p.Priority != nil {
		w.text("priority", p.Priority.String())
	}
	w.flag("reconstructed", p.Reconstructed)
	w.number("redacted", p.Redacted)
	w.number("requeue_count", p.RequeueCount)
	w.time("taken_at", p.TakenAt)
	w.number("taken_awake", p.TakenAwake)
	w.text("taken_by", p.TakenBy)
	w.text("token_hash", p.TokenHash)
	w.text("why", p.Why)
	return append(w.dst, '}')
}

// memberWriter writes an object's members; an empty value is left out.
type memberWriter struct{ dst []byte }

func (w *memberWriter) name(n string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '"')
	w.dst = append(w.dst, n...)
	w.dst = append(w.dst, '"', ':')
}

func (w *memberWriter) text(n, s string) {
	if s != "" {
		w.name(n)
		w.dst = model.AppendString(w.dst, s)
	}
}

func (w *memberWriter) number(n string, v int64) {
	if v != 0 {
		w.name(n)
		w.dst = strconv.AppendInt(w.dst, v, 10)
	}
}

func (w *memberWriter) flag(n string, v bool) {
	if v {
		w.name(n)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *memberWriter) time(n string, t model.Time) {
	if t != 0 {
		w.name(n)
		w.dst = append(t.AppendTo(append(w.dst, '"')), '"')
	}
}

// timeIf leaves out no time, too: JSON's null would read back as "not set".
func (w *memberWriter) timeIf(n string, t *model.Time) {
	if t != nil {
		w.time(n, *t)
	}
}
