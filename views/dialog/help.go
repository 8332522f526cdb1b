package dialog

import (
	"strings"

	"binnacle/keymap"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Help shows every key, by group.
type Help struct {
	Map keymap.Map
	Top int // the first line in sight; corrected at the end
}

// helpWidth is the least width of one column of help.
const helpWidth = 56

// lines lays the help out for a width, in as many columns as fit.
func (h Help) lines(l *canvas.Look, w int) []string {
	cols := max((w+2)/(helpWidth+2), 1)
	cw := (w - 2*(cols-1)) / cols
	var all [][]string
	for _, g := range keymap.Groups() {
		all = append(all, h.group(l, g, cw))
	}
	total := 0
	for _, g := range all {
		total += len(g) + 1
	}
	// Groups stay whole; each goes to the column that is filled so far the
	// least beyond its share.
	var stacks [][]string
	i := 0
	for c := range cols {
		var st []string
		for i < len(all) && (len(st) == 0 || len(st)+len(all[i])/2 <= total/cols || c == cols-1) {
			if len(st) > 0 {
				st = append(st, text.Spaces(cw))
			}
			st = append(st, all[i]...)
			i++
		}
		stacks = append(stacks, st)
	}
	n := 0
	for _, st := range stacks {
		n = max(n, len(st))
	}
	out := make([]string, n)
	for y := range out {
		var b strings.Builder
		for c, st := range stacks {
			if c > 0 {
				b.WriteString("  ")
			}
			if y < len(st) {
				b.WriteString(st[y])
			} else {
				b.WriteString(text.Spaces(cw))
			}
		}
		b.WriteString(text.Spaces(w - cols*cw - 2*(cols-1)))
		out[y] = b.String()
	}
	return out
}

func (h Help) group(l *canvas.Look, g keymap.Group, w int) []string {
	ln := canvas.NewLine(w, l)
	ln.Put(l.Theme.FocusHead, string(g))
	out := []string{ln.End()}
	const keys = 14
	for _, a := range h.Map.Actions() {
		if a.Group != g {
			continue
		}
		shown := make([]string, len(a.Keys))
		for i, k := range a.Keys {
			shown[i] = keymap.Label(k)
		}
		say := strings.Join(shown, " ")
		st := l.Theme.Key
		if say == "" {
			say, st = "(none)", l.Theme.Muted
		}
		for i, part := range text.Wrap(a.Help, max(w-keys-3, 1)) {
			ln := canvas.NewLine(w, l)
			ln.Gap(1)
			if i == 0 {
				ln.Cell(st, say, keys, false)
			} else {
				ln.Gap(keys)
			}
			ln.Gap(1)
			ln.Put(l.Theme.Text, part)
			out = append(out, ln.End())
		}
	}
	return out
}

// Height is how many lines the help has within a box of the size: scrolling
// goes from 0 to Height minus the box's height plus 2.
func (h Help) Height(s canvas.Size, look canvas.Look) int {
	return len(h.lines(&look, max(canvas.Inner(s).W-2, 0)))
}

// Draw draws the help.
func (h Help) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	lines := h.lines(l, max(in.W-2, 0))
	top := canvas.Window(len(lines), -1, h.Top, in.H)
	from, to := canvas.Thumb(int64(len(lines)), int64(top), in.H)
	seen := lines[top:min(top+in.H, len(lines))]
	return l.Box(canvas.Frame{
		Focus: true, Title: "Keys", Status: "esc closes", Tone: l.Theme.Muted, From: from, To: to,
	}, l.Inset(seen, in.W), s)
}
