package views

import (
	"binnacle/keymap"
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Level says how grave a flash is.
type Level uint8

// The levels.
const (
	Said    Level = iota // it happened
	Noticed              // it happened, but look
	Refused              // it did not happen
)

// Flash is a message in the bottom line.
type Flash struct {
	Text  string // "" is none; not cleaned
	Level Level
}

// Footer is the bottom line: what can be done here, or what was just done, and
// how the workspace is open.
type Footer struct {
	Actions []keymap.Action // from Map.Line
	Flash   Flash
	Marked  int    // rows that are marked, in all panes
	Mode    string // "read-write", "read-only"; "" for none
}

// Draw draws the bottom line: exactly one line of w cells.
func (f Footer) Draw(w int, look canvas.Look) string {
	l := &look
	ln := canvas.NewLine(w, l)
	ln.Gap(1)
	end := ""
	if f.Mode != "" {
		end = "ws: " + clean.Line(f.Mode)
	}
	if f.Marked > 0 {
		marked := l.Glyphs.Mark + " " + canvas.Count(int64(f.Marked), "marked", "marked")
		if end != "" {
			marked += "  "
		}
		end = marked + end
	}
	if text.Width(end)+2 > w/2 {
		end = "" // the left part is of more use
	}
	room := w - text.Width(end) - 2
	if f.Flash.Text != "" {
		flash(l, &ln, f.Flash, room)
	} else {
		actions(l, &ln, f.Actions, room)
	}
	if end != "" {
		ln.Right(l.Theme.Muted, end+" ")
	}
	return ln.End()
}

func flash(l *canvas.Look, ln *canvas.Line, f Flash, room int) {
	tone, mark := l.Theme.OK, ""
	switch f.Level {
	case Noticed:
		tone, mark = l.Theme.Warn, l.Glyphs.Alert+" "
	case Refused:
		tone, mark = l.Theme.Danger, l.Glyphs.Bad+" "
	}
	ln.Put(tone, text.CutTail(mark+clean.Line(f.Text), max(room-ln.Used, 0), l.Glyphs.Ellipsis))
}

// actions writes as many as fit, whole. Neighbours that share their word share
// its place: "+/- priority".
func actions(l *canvas.Look, ln *canvas.Line, list []keymap.Action, room int) {
	for i := 0; i < len(list); {
		a := list[i]
		keys := shownKey(a)
		for i++; i < len(list) && list[i].Short == a.Short; i++ {
			keys += "/" + shownKey(list[i])
		}
		n := text.Width(keys) + 1 + text.Width(a.Short)
		if ln.Used > 1 {
			n += 2
		}
		if ln.Used+n > room {
			return
		}
		if ln.Used > 1 {
			ln.Gap(2)
		}
		ln.Put(l.Theme.Key, keys)
		ln.Put(themes.Style{}, " ")
		ln.Put(l.Theme.Muted, a.Short)
	}
}

func shownKey(a keymap.Action) string {
	if len(a.Keys) == 0 {
		return ""
	}
	return keymap.Label(a.Keys[0])
}
