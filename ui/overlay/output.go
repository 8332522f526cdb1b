package overlay

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
	"binnacle/views/document"
)

// Output shows what a command wrote.
type Output struct {
	quiet
	title string
	stop  context.CancelFunc
	done  bool
	text  string
	fault string
	doc   document.Document
	width int
	top   int
}

// outputMsg is how a command ended.
type outputMsg struct {
	to          *Output
	text, fault string
}

// NewOutput makes the overlay of a command, and the one that runs it: run
// returns what it wrote and how it ended, "" for well, and stops when ctx ends.
func NewOutput(title string, run func(ctx context.Context) (text, fault string)) (*Output, tea.Cmd) {
	ctx, stop := context.WithCancel(context.Background())
	o := &Output{title: title, stop: stop}
	return o, func() tea.Msg {
		defer stop()
		text, fault := run(ctx)
		return outputMsg{to: o, text: text, fault: fault}
	}
}

// Update takes what the command wrote.
func (o *Output) Update(msg tea.Msg, _ *Screen) tea.Cmd {
	if m, ok := msg.(outputMsg); ok && m.to == o {
		o.done, o.text, o.fault, o.width = true, m.text, m.fault, 0
	}
	return nil
}

// Scopes are those of a list.
func (*Output) Scopes() []keymap.Scope { return []keymap.Scope{keymap.List, keymap.Global} }

// Key scrolls, or stops the command and leaves.
func (o *Output) Key(_ tea.KeyMsg, action string, on *Screen) Result {
	switch action {
	case "back", "quit":
		r := Result{Close: true}
		if !o.done {
			r.Say = views.Flash{Text: o.title + " was told to stop", Level: views.Noticed}
		}
		o.stop()
		return r
	case "up", "down", "page-up", "page-down", "top", "bottom":
		o.top = scrolled(o.top, action, o.doc.Height(), Big(on.Size))
	case "":
	default:
		return notice("close the output first (esc)")
	}
	return Result{}
}

// Place is the middle of the screen.
func (*Output) Place(on *Screen) canvas.Rect { return big(on) }

// Draw draws what was written, or that nothing was yet.
func (o *Output) Draw(s canvas.Size, on *Screen) string {
	if !o.done {
		v := dialog.Dialog{Title: o.title, Says: []string{"It runs. esc stops it."}}
		return v.Draw(s, *on.Look)
	}
	if o.width != s.W {
		o.doc, o.width = document.LayText(o.title, o.text, s.W, *on.Look), s.W
	}
	return o.doc.Draw(canvas.Chrome{Focus: on.Top, Fault: o.fault}, o.top, s, *on.Look)
}
