package overlay

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
	"binnacle/views/document"
)

// Reader reads details in the background. It numbers what it is asked for, so
// that an answer that nobody waits for any more is known.
type Reader struct {
	From   func(context.Context, desk.Ref) (desk.Detail, error)
	ticket int
}

// readTimeout bounds the reading of one detail.
const readTimeout = 20 * time.Second

// Ask takes a number for what is read next; the numbers before are void.
func (r *Reader) Ask() int {
	r.ticket++
	return r.ticket
}

// Void says whether something else was asked for after the number was given.
func (r *Reader) Void(ticket int) bool { return ticket != r.ticket }

// Read reads a detail. It waits, so it is for a command.
func (r *Reader) Read(of desk.Ref) (desk.Detail, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	return r.From(ctx, of)
}

// Detail shows all of one event or record. While it is open its record stays
// the one that was opened, and it is read again when the record moved on.
type Detail struct {
	quiet
	reader  *Reader
	target  record.Target
	ticket  int
	have    bool
	of      document.Detail
	doc     document.Document
	width   int
	top     int
	fault   string
	trail   []int64 // events that were left by following links
	brief   bool
	loading bool
	gone    bool // it was read again after it was open no more
}

// NewDetail makes the detail of a target; Load reads it.
func NewDetail(from *Reader, t record.Target) *Detail {
	return &Detail{reader: from, target: t, of: document.Detail{Link: -1}}
}

// Brief is the detail without its history, so that what it says of itself comes
// first.
func (d *Detail) Brief() *Detail {
	d.brief = true
	return d
}

// detailMsg is a detail that was asked for.
type detailMsg struct {
	ticket int
	detail desk.Detail
	err    error
}

// Load reads the detail in the background.
func (d *Detail) Load() tea.Cmd {
	d.ticket, d.loading = d.reader.Ask(), true
	read, of, m := d.reader.Read, d.target.Detail(), detailMsg{ticket: d.ticket}
	return func() tea.Msg {
		m.detail, m.err = read(of)
		return m
	}
}

// Update takes the detail that was asked for. With a new instant it is read
// again when its record moved on.
func (d *Detail) Update(msg tea.Msg, _ *Screen) tea.Cmd {
	switch m := msg.(type) {
	case detailMsg:
		if m.ticket == d.ticket {
			d.take(m)
		}
	case *desk.Snapshot:
		return d.refresh(m)
	}
	return nil
}

func (d *Detail) take(m detailMsg) {
	d.loading, d.fault = false, ""
	if m.err != nil {
		d.fault = Reason(m.err)
		return
	}
	d.have, d.of.Of, d.width = true, m.detail, 0
	if d.brief {
		d.of.Of.History = nil
	}
	if len(d.of.Links()) > 0 {
		d.of.Link = 0
	}
}

// refresh reads the detail again when its record moved on.
func (d *Detail) refresh(s *desk.Snapshot) tea.Cmd {
	if !d.have || d.loading {
		return nil
	}
	shown := d.Record()
	if now, ok := record.Find(s, shown.ID); ok && now.Rev == shown.Rev || shown.Kind() == "" {
		return nil
	} else if !ok && (d.gone || shown.Final()) {
		return nil
	}
	d.gone = true // what is no longer open is read once more
	return d.Load()
}

// Record is the target with the revision that the detail shows, which is what
// an action from here applies to.
func (d *Detail) Record() record.Target {
	t := d.target
	switch of := &d.of.Of; {
	case of.Signal != nil:
		t.ID, t.Rev, t.State = views.SignalID(of.Signal.Key), of.Signal.Rev, of.Signal.State
		t.Label = "signal " + clean.Line(of.Signal.Key) + " (" + record.FirstLine(of.Signal.Summary, 50) + ")"
	case of.Work != nil:
		t.ID, t.Rev, t.State = views.WorkID(of.Work.Key), of.Work.Rev, of.Work.State
	case of.Directive != nil:
		t = record.Of(*of.Directive)
		t.Seq = d.target.Seq
	}
	return t
}

// Scopes are the detail's, those of its record, and those of all lists.
func (d *Detail) Scopes() []keymap.Scope {
	out := append([]keymap.Scope{keymap.Detail}, d.Record().Scopes()...)
	return append(out, keymap.List, keymap.Global)
}

// Key scrolls and follows links; what acts on the record is the cockpit's.
func (d *Detail) Key(_ tea.KeyMsg, action string, on *Screen) Result {
	page := max(Big(on.Size).H-3, 1)
	switch action {
	case "back", "quit":
		if n := len(d.trail); n > 0 && action == "back" {
			seq := d.trail[n-1]
			d.trail = d.trail[:n-1]
			return after(d.visit(seq))
		}
		return Result{Close: true}
	case "up":
		d.top--
	case "down":
		d.top++
	case "page-up":
		d.top -= page
	case "page-down":
		d.top += page
	case "top":
		d.top = 0
	case "bottom":
		d.top = d.doc.Height()
	case "cause":
		return d.link(-1)
	case "effect":
		return d.link(1)
	case "next-pane":
		if n := len(d.of.Links()); n > 0 {
			d.of.Link = (d.of.Link + 1) % n
			d.width = 0
		}
	case "open":
		if links := d.of.Links(); d.of.Link >= 0 && d.of.Link < len(links) {
			return d.follow(links[d.of.Link])
		}
	case "filter", "palette", "next-match", "previous-match", "zoom", "previous-pane", "pause", "mark":
		return notice("close the detail first (esc)")
	default:
		return Result{Pass: true}
	}
	d.top = max(0, min(d.top, d.doc.Height()-page))
	return Result{}
}

// link goes to the cause (-1) or to the chosen effect (1). A record has neither:
// the cockpit goes to those of its newest event.
func (d *Detail) link(way int) Result {
	links := d.of.Links()
	switch {
	case d.have && d.of.Of.Event == nil && d.target.Kind() != "":
		return Result{Pass: true}
	case way < 0 && d.of.Of.Cause != nil:
		return d.follow(links[0])
	case way < 0, len(d.of.Of.Effects) == 0:
		return notice(NoLink("this", way))
	}
	first := len(links) - len(d.of.Of.Effects)
	return d.follow(links[max(first, d.of.Link)])
}

// NoLink says that there is no cause (-1) or no effect (1).
func NoLink(what string, way int) string {
	if way < 0 {
		return "nothing caused " + what + ", as far as the ledger says"
	}
	return what + " caused nothing, as far as the ledger says"
}

func (d *Detail) follow(seq int64) Result {
	if e := d.of.Of.Event; e != nil {
		d.trail = append(d.trail, e.Seq)
	}
	return after(d.visit(seq))
}

func (d *Detail) visit(seq int64) tea.Cmd {
	d.target = record.Event(seq)
	d.top, d.have, d.of = 0, false, document.Detail{Link: -1}
	return d.Load()
}

// Place is the middle of the screen.
func (*Detail) Place(on *Screen) canvas.Rect { return big(on) }

// Draw draws what was read, or that it is being read.
func (d *Detail) Draw(s canvas.Size, on *Screen) string {
	if !d.have {
		say := "reading the ledger"
		if d.fault != "" {
			say = d.fault
		}
		v := dialog.Dialog{Title: d.target.Label, Says: []string{say}}
		return v.Draw(s, *on.Look)
	}
	if d.width != s.W {
		d.doc, d.width = d.of.Lay(s.W, *on.Look), s.W
	}
	return d.doc.Draw(canvas.Chrome{Focus: on.Top, Fault: d.fault}, d.top, s, *on.Look)
}
