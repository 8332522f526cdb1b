package ui

import (
	"context"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/views"
)

// Times and counts of paging.
const (
	pageTimeout    = 20 * time.Second
	unknownOutside = 1 << 62 // how many events lie beyond the page: all but those that are read
)

// settleEvents brings the pane's cursor in line with the stream's rows:
// following it stands on the newest, paused it stays on its event.
func (c *Cockpit) settleEvents() {
	c.eventID = c.stream.ids(c.eventID)
	c.events.set(c.eventID)
	if c.stream.follow {
		c.events.to(len(c.eventID) - 1)
	}
}

// eventTarget is the event under the cursor; paused, as its record where it is
// about one: rev and state are those of the snapshot on screen.
func (c *Cockpit) eventTarget() (target, bool) {
	if c.events.none() || c.events.at >= len(c.stream.rows) {
		return target{}, false
	}
	r := &c.stream.rows[c.events.at]
	if r.gap.Missed > 0 {
		return target{}, false
	}
	e := &r.event
	t := eventOf(e.Seq)
	noun := map[model.Kind]views.Noun{
		model.KindSignal: views.NounSignal, model.KindWork: views.NounWork, model.KindDirective: views.NounDirective,
	}[e.Kind]
	if noun == "" || c.stream.follow {
		// While it follows, the row under the cursor changes under the finger:
		// what acts on records waits for a pause.
		return t, true
	}
	rec, ok := c.targetOf(views.ID{Noun: noun, Key: e.Key})
	rec.seq = e.Seq
	if !ok {
		rec.State = "" // no longer open, or beyond what a snapshot holds
	}
	return rec, true
}

// eventOf is an event as such, whatever record it is about.
func eventOf(seq int64) target {
	key := strconv.FormatInt(seq, 10)
	return target{Ref: views.Ref{ID: views.ID{Noun: views.NounEvent, Key: key}}, seq: seq, label: "event " + key}
}

// loadOlder asks for the page before a sequence number.
func (c *Cockpit) loadOlder(before int64) tea.Cmd {
	if c.stream.loading || c.stream.atStart {
		return nil
	}
	c.stream.loading = true
	return c.load(true, desk.PageRequest{Filter: c.filter, Before: before, Limit: pageRows})
}

// loadNewer asks for the page after a sequence number.
func (c *Cockpit) loadNewer(after int64) tea.Cmd {
	if c.stream.loading {
		return nil
	}
	c.stream.loading = true
	return c.load(false, desk.PageRequest{Filter: c.filter, After: after, Limit: pageRows})
}

func (c *Cockpit) load(older bool, r desk.PageRequest) tea.Cmd {
	d, generation := c.desk, c.generation
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), pageTimeout)
		defer cancel()
		p, err := d.Page(ctx, r)
		return pageMsg{generation: generation, older: older, page: p, err: err}
	}
}

// paged takes a page. A search for something rare comes back in pieces, the
// last of which says that nothing further matches; as long as the pane is not
// full the next piece is asked for.
func (c *Cockpit) paged(m pageMsg) tea.Cmd {
	if m.generation != c.generation {
		return nil
	}
	c.stream.loading = false
	if m.err != nil {
		c.say(views.Refused, "the ledger can't be read: "+m.err.Error())
		return nil
	}
	if m.older {
		c.stream.older(m.page.Events, m.page.Exhausted)
		c.settleEvents()
		if !m.page.Exhausted && (len(c.stream.rows) < 2*c.events.height || c.events.top == 0 && !c.stream.follow) {
			return c.loadOlder(m.page.Next)
		}
		return nil
	}
	c.stream.newer(m.page.Events, m.page.Exhausted)
	c.settleEvents()
	if !m.page.Exhausted && len(m.page.Events) == 0 {
		return c.loadNewer(m.page.Next)
	}
	return nil
}

// moveEvents takes the cursor by n rows. Going up pauses; reaching the end of
// what is there while paused reads on, or follows again at the very end.
func (c *Cockpit) moveEvents(n int) tea.Cmd {
	if n < 0 && len(c.stream.rows) > 0 {
		c.stream.pause()
	}
	c.events.move(n)
	return c.pageIn(n)
}

// pageIn reads the ledger where the cursor comes near the end of what is there.
func (c *Cockpit) pageIn(direction int) tea.Cmd {
	near := max(c.events.height, 10)
	switch {
	case direction < 0 && c.events.at < near && !c.stream.atStart:
		before := c.stream.low
		if before == 0 {
			before = c.stream.seen + 1
		}
		return c.loadOlder(before)
	case direction > 0 && !c.stream.follow && c.events.at >= len(c.stream.rows)-near:
		if c.stream.outside > 0 {
			return c.loadNewer(c.stream.high)
		}
	}
	return nil
}

// followAgain goes to the newest event and stays there.
func (c *Cockpit) followAgain() tea.Cmd {
	if c.stream.resume() {
		return c.restream()
	}
	c.settleEvents()
	return nil
}

// toTop goes to the oldest event there is: far back that is another page, not
// a walk through all of them.
func (c *Cockpit) toTop() tea.Cmd {
	if len(c.stream.rows) == 0 {
		return nil
	}
	c.stream.pause()
	if c.stream.atStart {
		c.events.to(0)
		return nil
	}
	seen := c.stream.seen
	c.stream = stream{seen: seen, outside: unknownOutside, atStart: true}
	c.events = list[int64]{height: c.events.height}
	return c.loadNewer(0)
}

// eventRows are the rows that the pane can show now.
func (c *Cockpit) eventList() views.Events {
	v := views.Events{
		Paused: !c.stream.follow, Unseen: c.stream.unread, Filter: c.filterText, Words: c.words(),
		Total: int64(len(c.stream.rows)),
	}
	from := min(c.events.top, len(c.stream.rows))
	to := min(from+max(c.events.height, 1), len(c.stream.rows))
	v.First = int64(from)
	v.Rows = make([]views.EventRow, 0, to-from+1)
	if from == 0 && c.stream.loading && to < c.events.height {
		v.Rows = append(v.Rows, views.EventRow{Loading: true})
	}
	for i := from; i < to; i++ {
		r := &c.stream.rows[i]
		v.Rows = append(v.Rows, views.EventRow{Event: r.event, Fold: r.count, Gap: r.gap.Missed})
		if i == c.events.at {
			v.At = v.Rows[len(v.Rows)-1].ID()
		}
	}
	return v
}

// words are the filter's words, to be lit up.
func (c *Cockpit) words() []string {
	var out []string
	for _, t := range c.filter.Terms {
		if !t.Not {
			out = append(out, t.Text)
		}
	}
	return out
}
