package document

import (
	"bytes"
	"encoding/json"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// maxJSONLines bounds a payload's lines; a payload at its largest would have
// tens of thousands, and nobody reads those here.
const maxJSONLines = 4000

// printer writes JSON indented, in the order in which it is, with long strings
// wrapped. Characters that are unsafe to show are written as \u escapes before,
// so what stands there is still the same JSON.
type printer struct {
	l    *canvas.Look
	w    int
	out  []string
	ln   canvas.Line
	over bool // there were more lines than maxJSONLines
}

// prettyJSON appends the lines of raw, each exactly w cells.
func prettyJSON(l *canvas.Look, out []string, raw []byte, w int) []string {
	if w < 1 || len(raw) == 0 {
		return out
	}
	if !json.Valid(raw) {
		// Nothing of ours writes this; it is shown as it is.
		out = l.Paragraph(out, l.Theme.Danger, l.Glyphs.Bad+" damaged JSON:", w)
		return l.Paragraph(out, l.Theme.Text, string(raw), w)
	}
	p := printer{l: l, w: w}
	p.begin(0)
	safe := clean.AppendJSON(make([]byte, 0, len(raw)+64), raw)
	p.value(safe, 0, "")
	p.flush()
	out = append(out, p.out...)
	if p.over {
		ln := canvas.NewLine(w, l)
		ln.Put(l.Theme.Stale, l.Glyphs.Ellipsis+" the rest of "+canvas.Count(int64(len(raw)), "byte", "bytes")+" is not shown here")
		out = append(out, ln.End())
	}
	return out
}

func (p *printer) begin(indent int) {
	p.ln = canvas.NewLine(p.w, p.l)
	p.ln.Gap(min(indent, p.w/2))
}

func (p *printer) flush() {
	if len(p.out) >= maxJSONLines {
		p.over = true
		return
	}
	p.out = append(p.out, p.ln.End())
}

// next ends the line and starts another.
func (p *printer) next(indent int) {
	p.flush()
	p.begin(indent)
}

// value writes one value, and end (a comma or nothing) behind it.
func (p *printer) value(b []byte, indent int, end string) {
	if p.over || len(b) == 0 {
		return
	}
	switch b[0] {
	case '{', '[':
		p.nest(b, indent, end)
	case '"':
		p.wrap(p.l.Theme.JSONString, string(b), indent, end)
	default:
		p.wrap(p.l.Theme.JSONNumber, string(b), indent, end)
	}
}

func (p *printer) nest(b []byte, indent int, end string) {
	opening, closing := string(b[0]), "}"
	if b[0] == '[' {
		closing = "]"
	}
	items := elements(b)
	if len(items) == 0 {
		p.bracket(opening+closing+end, indent)
		return
	}
	p.bracket(opening, indent)
	for i, it := range items {
		if p.over {
			return
		}
		p.next(indent + 2)
		comma := ","
		if i == len(items)-1 {
			comma = ""
		}
		if it.key != nil {
			p.wrap(p.l.Theme.JSONKey, string(it.key), indent+2, ":")
			p.ln.Gap(1)
		}
		p.value(it.value, indent+2, comma)
	}
	p.next(indent)
	p.bracket(closing+end, indent)
}

// bracket writes brackets whole, on the next line where there is no room.
func (p *printer) bracket(s string, indent int) {
	if len(s) > p.ln.Room() {
		p.next(indent + 2)
	}
	p.ln.Put(p.l.Theme.Text, s)
}

// wrap writes a scalar over as many lines as it needs; those after the first
// stand two cells further in. A line also ends after a newline in a string.
func (p *printer) wrap(st themes.Style, s string, indent int, end string) {
	for s != "" && !p.over {
		room := p.ln.Room()
		if fits := text.Width(s) + len(end); fits <= room && newline(s) == len(s) {
			p.ln.Put(st, s)
			break
		}
		head := text.Cut(s[:newline(s)], max(room, 0))
		if head == "" {
			if p.ln.Used <= min(indent+2, p.w/2) {
				// Not one grapheme fits on a line of its own: it is skipped.
				n, _, _ := text.Next(s)
				s = s[n:]
				continue
			}
			p.next(indent + 2)
			continue
		}
		p.ln.Put(st, head)
		s = s[len(head):]
		if s != "" {
			p.next(indent + 2)
		}
	}
	if len(end) > p.ln.Room() {
		p.next(indent + 2)
	}
	p.ln.Put(p.l.Theme.Text, end)
}

// newline returns the index after the first \n escape of a JSON string that
// does not end it, or its length.
func newline(s string) int {
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] == 'n' && s[i+2] != '"' {
			return i + 2
		}
		i++
	}
	return len(s)
}

// element is one element of an array, or a member: its key as it is written.
type element struct{ key, value []byte }

// elements splits an object or an array of valid JSON.
func elements(b []byte) []element {
	var out []element
	object := b[0] == '{'
	i := model.SkipSpace(b, 1)
	for i < len(b) && b[i] != '}' && b[i] != ']' {
		var e element
		if object {
			end := model.SkipString(b, i)
			e.key = b[i:end]
			i = model.SkipSpace(b, end)
			i = model.SkipSpace(b, i+1) // the colon
		}
		end := model.SkipValue(b, i)
		e.value = bytes.TrimRight(b[i:end], " \n\t\r")
		out = append(out, e)
		i = model.SkipSpace(b, end)
		if i < len(b) && b[i] == ',' {
			i = model.SkipSpace(b, i+1)
		}
	}
	return out
}
