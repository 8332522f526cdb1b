package canvas

import (
	"binnacle/model/directive"
	"binnacle/model/session"
	"binnacle/themes"
)

// PriorityTone lights up what comes first.
func (l *Look) PriorityTone(p directive.Priority) themes.Style {
	switch p {
	case directive.P0:
		return l.Theme.Danger
	case directive.P2:
		return l.Theme.Muted
	}
	return l.Theme.Text
}

// Shape is a session's state as a shape, for whoever sees no colour.
func (l *Look) Shape(state string) string {
	switch state {
	case session.Working:
		return l.Glyphs.Live
	case session.Idle:
		return l.Glyphs.ReadOnly
	case session.Waiting:
		return l.Glyphs.Alert
	case session.Starting:
		return l.Glyphs.Bullet
	case session.Untracked, session.Unknown, session.Seen:
		return "?"
	}
	return l.Glyphs.Dash
}

// SessionTone lights up what wants somebody.
func (l *Look) SessionTone(state string) themes.Style {
	switch state {
	case session.Waiting, session.Unknown, session.Untracked, session.Seen:
		return l.Theme.Warn
	}
	return l.Theme.StateStyle(state)
}

// ContextTone lights up a context that is nearly full.
func (l *Look) ContextTone(c session.ContextUse) themes.Style {
	if c.Max > 0 && c.Used*100/c.Max >= 80 {
		return l.Theme.Warn
	}
	return l.Theme.Muted
}
