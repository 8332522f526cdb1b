package directive

import (
	"encoding/json"
	"slices"

	"binnacle/model"
	"binnacle/model/clean"
)

// Apply takes the directive (its zero value: none yet) through the event e,
// whose kind is directive. A step that Machine does not have is
// refused and d stays as it was. An imported directive may begin in any state
// when its event is marked reconstructed.
func (d *Directive) Apply(e model.Event) error {
	id, err := ParseKey(e.Key)
	if err != nil {
		return err
	}
	var p Payload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return model.Errorf(model.CodeInvalid, "directive %d: its payload can't be read: %s", id, model.JSONFault(nil, err))
	}
	if d.Status == "" && p.Reconstructed && IsStatus(e.State) {
		p.Action = "push"
	} else if to, ok := directiveMachine.To(d.Status, p.Action); !ok {
		return directiveMachine.Refuse(e.Key, d.Status, p.Action)
	} else if to != e.State {
		return model.Errorf(model.CodeCorrupt, "directive %d: %s leads to %s, not to %s", id, p.Action, to, clean.Line(e.State))
	}
	n := *d
	if d.Status == "" {
		body, err := p.body()
		if err != nil {
			return err
		}
		n = Directive{
			ID: id, Lane: DefaultLane, Priority: P1, Body: body, Parent: p.Parent, CreatedAt: e.TS, FirstSeq: e.Seq,
		}
	}
	if n.Status != e.State {
		n.Since = e.TS
	}
	n.Status, n.LastSeq, n.Rev = e.State, e.Seq, d.Rev+1
	n.set(p)
	n.step(p, e)
	n.forget(p)
	*d = n
	return nil
}

// set copies the fields that the payload names.
func (d *Directive) set(p Payload) {
	if p.Priority != nil {
		d.Priority = *p.Priority
	}
	if p.Lane != "" {
		d.Lane = p.Lane
	}
	if p.Importance != nil {
		d.Importance = *p.Importance
	}
	if p.Deadline != nil {
		d.Deadline = *p.Deadline
	}
	if p.NoDeadline {
		d.Deadline = 0
	}
	if p.LeaseUntil != nil {
		d.lease(p)
	}
	if p.Action == "defer" {
		d.NotBefore, d.BlockedBy = 0, nil // a new deferral replaces the former one
	}
	if p.NotBefore != nil {
		d.NotBefore = *p.NotBefore
	}
	if p.BlockedBy != nil {
		d.BlockedBy = slices.Clone(*p.BlockedBy)
	}
}

// lease sets both ends of the lease. When a claim was taken is told on the same
// boot's clock as its end, or it is not known there.
func (d *Directive) lease(p Payload) {
	was := d.LeaseBoot
	d.LeaseUntil, d.LeaseBoot, d.LeaseAwake = *p.LeaseUntil, "", 0
	if p.LeaseAwake > 0 {
		d.LeaseBoot, d.LeaseAwake = p.LeaseBoot, p.LeaseAwake
	}
	switch {
	case d.LeaseBoot == "":
		d.LeaseAwake, d.TakenAwake = 0, 0
	case p.TakenAwake > 0:
		d.TakenAwake = p.TakenAwake
	case d.LeaseBoot != was:
		d.TakenAwake = 0
	}
}

// step does what the action itself means.
func (d *Directive) step(p Payload, e model.Event) {
	switch p.Action {
	case "push", "push-deferred":
		if p.Reconstructed {
			d.TakenAt, d.DoneAt, d.TakenBy, d.TokenHash = p.TakenAt, p.DoneAt, p.TakenBy, p.TokenHash
			d.RequeueCount, d.Attempt = p.RequeueCount, p.Attempt
			if p.CreatedAt != 0 {
				d.CreatedAt = p.CreatedAt
			}
		}
	case "take":
		d.TakenAt, d.TakenBy, d.TokenHash = e.TS, p.By, p.TokenHash
		d.Attempt++
	case "restore":
		d.TakenAt, d.TakenBy, d.TokenHash = p.TakenAt, p.TakenBy, p.TokenHash
	case "requeue":
		d.RequeueCount++
	case "give-back":
		d.Attempt = max(d.Attempt-1, 0)
	case "lapse", "fail":
		d.RequeueCount++
		d.Lapses++
	case "poison":
		d.Lapses++
	case "unpark":
		d.Lapses = 0
	case "park":
		if p.Lapses > 0 {
			d.Lapses = p.Lapses // an undo brings back what unparking forgot
		}
	case "done", "drop":
		d.DoneAt = e.TS
	}
	switch p.Action {
	case "reprioritize", "touch":
	default:
		d.Reason = p.Why
	}
}

// forget clears what has no meaning in the new status. A parked directive from
// an import keeps the lease that it was parked with: laneq shows it.
func (d *Directive) forget(p Payload) {
	if d.Status != StatusTaken {
		d.TokenHash = ""
		if d.Status != StatusParked || !p.Reconstructed {
			d.LeaseUntil = 0
		}
		d.LeaseBoot, d.LeaseAwake, d.TakenAwake = "", 0, 0
	}
	if d.Status == StatusPending || d.Status == StatusDeferred {
		d.TakenBy, d.TakenAt = "", 0
	}
	if d.Status != StatusDeferred {
		d.NotBefore, d.BlockedBy = 0, nil
	}
}
