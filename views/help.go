package views

import (
	"strings"

	"binnacle/keymap"
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
func (h Help) lines(l *Look, w int) []string {
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

func (h Help) group(l *Look, g keymap.Group, w int) []string {
	ln := newLine(w, l)
	ln.put(l.Theme.FocusHead, string(g))
	out := []string{ln.end()}
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
			ln := newLine(w, l)
			ln.gap(1)
			if i == 0 {
				ln.cell(st, say, keys, false)
			} else {
				ln.gap(keys)
			}
			ln.gap(1)
			ln.put(l.Theme.Text, part)
			out = append(out, ln.end())
		}
	}
	return out
}

// Height is how many lines the help has within a box of the size: scrolling
// goes from 0 to Height minus the box's height plus 2.
func (h Help) Height(s Size, look Look) int { return len(h.lines(&look, max(inner(s).W-2, 0))) }

// Draw draws the help.
func (h Help) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	lines := h.lines(l, max(in.W-2, 0))
	top := Window(len(lines), -1, h.Top, in.H)
	from, to := thumb(int64(len(lines)), int64(top), in.H)
	seen := lines[top:min(top+in.H, len(lines))]
	return l.box(frame{
		focus: true, title: "Keys", status: "esc closes", tone: l.Theme.Muted, from: from, to: to,
	}, l.inset(seen, in.W), s)
}
