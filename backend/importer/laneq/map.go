package laneq

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"binnacle/backend/lease"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
)

// planned is one row of laneq's as it will stand here.
type planned struct {
	from  int64 // its id there
	d     directive.Directive
	notes []Adjustment
}

// mapper turns laneq's rows into directives.
type mapper struct {
	now   model.Time
	taken func(id int64) bool // the id is in use here
	next  int64               // the first id that nobody has, here and there
	ids   map[int64]int64     // theirs -> ours
	all   []*planned
	// spill keeps a body that is too large for a directive, and returns the path
	// that the body then names.
	spill func(id int64, body []byte) (string, error)
}

func (p *planned) note(what, why, original string) {
	if len(original) > 200 {
		original = strings.ToValidUTF8(original[:200], "") + "…"
	}
	p.notes = append(p.notes, Adjustment{
		From: p.from, What: what, Why: why, Original: strings.ToValidUTF8(original, "\uFFFD"),
	})
}

// plan maps every row: ids first, for parents and blockers name them.
func (m *mapper) plan(rows []row) error {
	for _, r := range rows {
		m.next = max(m.next, r.id+1)
	}
	for _, r := range rows {
		id := r.id
		if id < 1 || m.taken(id) {
			id = m.next
			m.next++
		}
		m.ids[r.id] = id
	}
	for i := range rows {
		p := &planned{from: rows[i].id}
		if err := m.fields(p, &rows[i]); err != nil {
			return err
		}
		m.all = append(m.all, p)
	}
	m.breakParents()
	return m.holdStuck()
}

func (m *mapper) fields(p *planned, r *row) error {
	p.d = directive.Directive{ID: m.ids[r.id], Status: r.status, Lane: directive.DefaultLane, Priority: directive.P1}
	d := &p.d
	if d.ID != r.id {
		p.note(fmt.Sprintf("#%d became #%d", r.id, d.ID), "the id is in use here", "")
	}
	switch r.priority {
	case "0", "1", "2":
		d.Priority = directive.Priority(r.priority[0] - '0')
	default:
		p.note("priority set to P1", "it is none of P0, P1 and P2", r.priority)
	}
	m.lane(p, r.lane)
	if err := m.body(p, r.body); err != nil {
		return err
	}
	d.CreatedAt = m.time(p, "created_at", r.created)
	d.TakenAt = m.time(p, "taken_at", r.taken)
	d.DoneAt = m.time(p, "done_at", r.done)
	d.LeaseUntil = m.time(p, "lease_until", r.leaseUntil)
	d.NotBefore = m.time(p, "not_before", r.notBefore)
	d.Deadline = m.time(p, "deadline", r.deadline)
	d.RequeueCount = m.count(p, "requeue_count", r.requeues)
	if n := m.count(p, "importance", r.importance); directive.CheckImportance(n) == nil {
		d.Importance = n
	} else {
		p.note("importance left out", "it is out of range", r.importance)
	}
	m.holder(p, r)
	m.links(p, r)
	m.status(p, r)
	return nil
}

func (m *mapper) lane(p *planned, lane string) {
	if lane == "" {
		return
	}
	if directive.CheckLane(lane) == nil {
		p.d.Lane = lane
		return
	}
	// Cut at a character's beginning; cleaning may need more room than there is.
	safe := clean.Line(strings.ToValidUTF8(lane, "?"))
	for safe != "" && directive.CheckLane(safe) != nil {
		_, n := utf8.DecodeLastRuneInString(safe)
		safe = safe[:len(safe)-n]
	}
	if safe == "" {
		safe = directive.DefaultLane
	}
	p.d.Lane = safe
	p.note("lane renamed to "+p.d.Lane, "a lane is 1 to 128 bytes of text without control characters", lane)
}

func (m *mapper) body(p *planned, body []byte) error {
	switch {
	case strings.TrimSpace(string(body)) == "":
		p.d.Body = "(empty)"
		p.note("body set to (empty)", "a directive says something", string(body))
	case len(body) > directive.MaxBody || !utf8.Valid(body):
		path, err := m.spill(p.from, body)
		if err != nil {
			return err
		}
		p.d.Body = "The body of this directive is in the file " + path
		p.note("body put into the file "+path, "bodies are UTF-8 of at most 128 KiB", "")
	default:
		p.d.Body = string(body)
	}
	return nil
}

// time reads a time of laneq's: RFC 3339. 0 is none.
func (m *mapper) time(p *planned, name, text string) model.Time {
	if text == "" {
		return 0
	}
	t, err := model.ParseTime(text)
	if err != nil {
		p.note(name+" left out", "it can't be read", text)
		return 0
	}
	return t
}

func (m *mapper) count(p *planned, name, text string) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil || name == "requeue_count" && n < 0 {
		p.note(name+" left out", "it is not a count", text)
		return 0
	}
	return n
}

func (m *mapper) holder(p *planned, r *row) {
	d := &p.d
	if r.takenBy != "" {
		if model.CheckName("consumer", r.takenBy, model.MaxProducer) == nil {
			d.TakenBy = r.takenBy
		} else {
			p.note("taken_by left out", "names are 1 to 128 bytes without controls", r.takenBy)
		}
	}
	switch {
	case r.status != directive.StatusTaken:
	case len(r.tokenHash) == 64 && isHex(r.tokenHash):
		d.TokenHash = strings.ToLower(r.tokenHash)
	case r.token != "":
		d.TokenHash = lease.Hash(r.token)
	}
	d.Attempt = d.RequeueCount
	if d.TakenAt != 0 && r.status != directive.StatusDropped {
		d.Attempt++
	}
}

func isHex(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil
}

// links maps the parent and the blockers.
func (m *mapper) links(p *planned, r *row) {
	d := &p.d
	if r.parent != "" {
		id, err := strconv.ParseInt(r.parent, 10, 64)
		if ours := m.ids[id]; err == nil && ours != 0 && ours != d.ID {
			d.Parent = ours
		} else {
			p.note("parent left out", "there is no such directive", r.parent)
		}
	}
	for _, piece := range strings.FieldsFunc(r.blockedBy, func(c rune) bool { return c == ',' || c == ' ' }) {
		id, err := strconv.ParseInt(piece, 10, 64)
		if ours := m.ids[id]; err == nil && ours != 0 {
			d.BlockedBy = append(d.BlockedBy, ours)
			continue
		}
		p.d.Reason = "blocked by #" + strings.ToValidUTF8(piece[:min(len(piece), 40)], "") + ", which was not in the laneq database"
	}
	slices.Sort(d.BlockedBy)
	d.BlockedBy = slices.Compact(d.BlockedBy)
}

// status makes the status one of ours, and keeps only what has a meaning in it.
func (m *mapper) status(p *planned, r *row) {
	d := &p.d
	hold := func(why string) {
		d.Status, d.Reason = directive.StatusParked, why
		p.note("parked", why, r.status)
	}
	switch r.status {
	case directive.StatusPending, directive.StatusDone, directive.StatusDropped, directive.StatusParked, directive.StatusTaken:
	case directive.StatusDeferred:
		switch {
		case d.Reason != "":
			hold(d.Reason)
		case len(d.BlockedBy) > directive.MaxBlockers:
			hold("it waited for more directives than one may wait for")
		case d.NotBefore == 0 && len(d.BlockedBy) == 0:
			d.Status = directive.StatusPending
			p.note("made pending", "it was deferred for nothing", r.status)
		}
	default:
		hold("laneq had it in a status that is unknown here")
	}
	if d.Status == directive.StatusTaken && d.TakenAt == 0 {
		d.TakenAt = m.now
		p.note("taken_at set to the import's time", "a claim has a beginning", "")
	}
	if d.Status == directive.StatusDropped && d.DoneAt == 0 {
		d.DoneAt = d.TakenAt // where laneq notes when it was dropped
	}
	if d.Status != directive.StatusDeferred {
		d.NotBefore, d.BlockedBy = 0, nil
	}
	if d.Status != directive.StatusDeferred && d.Status != directive.StatusParked && r.status != directive.StatusParked {
		d.Reason = ""
	}
}

// breakParents takes the parent away where following parents comes back.
func (m *mapper) breakParents() {
	byID := map[int64]*planned{}
	for _, p := range m.all {
		byID[p.d.ID] = p
	}
	for _, p := range m.all {
		seen := map[int64]bool{p.d.ID: true}
		for at := p.d.Parent; at != 0; at = byID[at].d.Parent {
			if at == p.d.ID {
				p.note("parent left out", "the parents were a cycle", strconv.FormatInt(p.d.Parent, 10))
				p.d.Parent = 0
				break
			}
			if seen[at] || byID[at] == nil {
				break
			}
			seen[at] = true
		}
	}
}

// holdStuck parks what waits for itself by way of others: nothing would ever
// promote it, and an operator has to decide.
func (m *mapper) holdStuck() error {
	byID := map[int64]*planned{}
	for _, p := range m.all {
		byID[p.d.ID] = p
	}
	for _, p := range m.all {
		if p.d.Status != directive.StatusDeferred || len(p.d.BlockedBy) == 0 {
			continue
		}
		cycle, err := directive.FindCycle(p.d.ID, p.d.BlockedBy, func(id int64) ([]int64, error) {
			if b := byID[id]; b != nil && b.d.Status == directive.StatusDeferred {
				return b.d.BlockedBy, nil
			}
			return nil, nil
		})
		if err != nil {
			return err
		}
		if cycle != nil {
			p.d.Status, p.d.Reason = directive.StatusParked, "it waited for itself: "+directive.CyclePath(cycle)
			p.d.NotBefore, p.d.BlockedBy = 0, nil
			p.note("parked", p.d.Reason, directive.StatusDeferred)
		}
	}
	return nil
}
