package themes

import "github.com/charmbracelet/lipgloss"

// Theme is one set of styles, by meaning. It is a value: copy it freely.
type Theme struct {
	Name string // as it is chosen: dark, light, ansi, mono, or a file's name
	palette[Style]
}

// palette names every meaning once; a Theme has it filled with Styles, a theme
// file and the built-in tables with specs.
type palette[T any] struct {
	Text      T `toml:"text"`       // what is read
	Muted     T `toml:"muted"`      // what may be overlooked: labels, hints, old things
	Strong    T `toml:"strong"`     // the program's name, a dialog's target
	Border    T `toml:"border"`     // around a pane
	Title     T `toml:"title"`      // of a pane
	Focus     T `toml:"focus"`      // the border of the pane that takes the keys
	FocusHead T `toml:"focus_head"` // its title
	Selected  T `toml:"selected"`   // the row under the cursor, in the pane with the focus
	Resting   T `toml:"resting"`    // the row under the cursor, in another pane
	Marked    T `toml:"marked"`     // rows that were marked
	Match     T `toml:"match"`      // what a filter or a search found
	Key       T `toml:"key"`        // a key to press
	Button    T `toml:"button"`     // of a dialog
	Pressed   T `toml:"pressed"`    // the button with the focus
	Cursor    T `toml:"cursor"`     // in a line of input

	OK     T `toml:"ok"`     // good, finished
	Info   T `toml:"info"`   // waiting for somebody
	Accent T `toml:"accent"` // held, running
	Warn   T `toml:"warn"`   // soon bad
	Danger T `toml:"danger"` // bad
	Stale  T `toml:"stale"`  // older than it should be

	Bar     T `toml:"bar"`      // what is left of a lease
	BarLow  T `toml:"bar_low"`  // when little is left
	BarRest T `toml:"bar_rest"` // what is gone of it

	Note      T `toml:"note"` // the kinds
	Signal    T `toml:"signal"`
	Metric    T `toml:"metric"`
	Work      T `toml:"work"`
	Generic   T `toml:"generic"`
	Directive T `toml:"directive"`
	Coord     T `toml:"coord"`
	System    T `toml:"system"`

	JSONKey    T `toml:"json_key"`
	JSONString T `toml:"json_string"`
	JSONNumber T `toml:"json_number"` // numbers, true, false, null
}

// each pairs the fields of two palettes, in their order.
func each[A, B any](a *palette[A], b *palette[B], do func(*A, *B)) {
	do(&a.Text, &b.Text)
	do(&a.Muted, &b.Muted)
	do(&a.Strong, &b.Strong)
	do(&a.Border, &b.Border)
	do(&a.Title, &b.Title)
	do(&a.Focus, &b.Focus)
	do(&a.FocusHead, &b.FocusHead)
	do(&a.Selected, &b.Selected)
	do(&a.Resting, &b.Resting)
	do(&a.Marked, &b.Marked)
	do(&a.Match, &b.Match)
	do(&a.Key, &b.Key)
	do(&a.Button, &b.Button)
	do(&a.Pressed, &b.Pressed)
	do(&a.Cursor, &b.Cursor)
	do(&a.OK, &b.OK)
	do(&a.Info, &b.Info)
	do(&a.Accent, &b.Accent)
	do(&a.Warn, &b.Warn)
	do(&a.Danger, &b.Danger)
	do(&a.Stale, &b.Stale)
	do(&a.Bar, &b.Bar)
	do(&a.BarLow, &b.BarLow)
	do(&a.BarRest, &b.BarRest)
	do(&a.Note, &b.Note)
	do(&a.Signal, &b.Signal)
	do(&a.Metric, &b.Metric)
	do(&a.Work, &b.Work)
	do(&a.Generic, &b.Generic)
	do(&a.Directive, &b.Directive)
	do(&a.Coord, &b.Coord)
	do(&a.System, &b.System)
	do(&a.JSONKey, &b.JSONKey)
	do(&a.JSONString, &b.JSONString)
	do(&a.JSONNumber, &b.JSONNumber)
}

// build renders every spec once. A spec that can't be read is plain; the
// built-in ones are checked by a test, a user's when the file is read.
func build(name string, specs palette[string], r *lipgloss.Renderer) Theme {
	t := Theme{Name: name}
	each(&specs, &t.palette, func(s *string, st *Style) {
		if l, err := parseSpec(*s); err == nil {
			*st = style(r, l)
		}
	})
	return t
}

// KindStyle is the style of an event's kind, Text for one that is unknown.
func (t *Theme) KindStyle(kind string) Style {
	switch kind {
	case "note":
		return t.Note
	case "signal":
		return t.Signal
	case "metric":
		return t.Metric
	case "work":
		return t.Work
	case "generic":
		return t.Generic
	case "directive":
		return t.Directive
	case "coord":
		return t.Coord
	case "system":
		return t.System
	}
	return t.Text
}

// StateStyle is the style of a record's or a session's state, Text for one that
// is unknown. The state's word stands beside it always.
func (t *Theme) StateStyle(state string) Style {
	switch state {
	case "pending", "waiting", "starting":
		return t.Info
	case "claimed", "taken", "working":
		return t.Accent
	case "done", "cleared":
		return t.OK
	case "parked", "stalled", "expired":
		return t.Warn
	case "failed":
		return t.Danger
	case "deferred", "dropped", "released", "idle", "ended", "unknown":
		return t.Muted
	}
	return t.Text
}
