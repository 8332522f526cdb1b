package document

import (
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// sheet collects a detail's lines.
type sheet struct {
	l   *canvas.Look
	w   int
	out []string
}

// labelWidth is how wide the names of fields are.
const labelWidth = 12

func (p *sheet) head(title string) {
	if len(p.out) > 0 {
		p.out = append(p.out, text.Spaces(p.w))
	}
	ln := canvas.NewLine(p.w, p.l)
	ln.Put(p.l.Theme.FocusHead, title)
	p.out = append(p.out, ln.End())
}

// field writes a name and a value, which is not cleaned, over as many lines as
// it needs. An empty value is left out.
func (p *sheet) field(label string, st themes.Style, value string) {
	if value == "" {
		return
	}
	indent := min(labelWidth, p.w/2)
	for i, part := range text.Wrap(clean.Line(text.Clip(value, 4*text.MaxShown)), max(p.w-indent, 1)) {
		ln := canvas.NewLine(p.w, p.l)
		if i == 0 {
			ln.Cell(p.l.Theme.Muted, label, max(indent-1, 0), false)
		}
		ln.Gap(indent - ln.Used)
		ln.Put(st, part)
		p.out = append(p.out, ln.End())
	}
}

func (p *sheet) number(label string, n int64) {
	if n != 0 {
		p.field(label, p.l.Theme.Text, canvas.Thousands(n))
	}
}

func (p *sheet) time(label string, t model.Time) {
	if t != 0 {
		p.field(label, p.l.Theme.Text, p.l.Moment(t))
	}
}

// prose writes text of several lines.
func (p *sheet) prose(st themes.Style, s string) {
	if p.w < 1 {
		return
	}
	for _, ln := range clean.Lines(s) {
		for _, part := range text.Wrap(ln, p.w) {
			l := canvas.NewLine(p.w, p.l)
			l.Put(st, part)
			p.out = append(p.out, l.End())
		}
	}
}

func (p *sheet) sentences(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.head(title)
	for _, s := range list {
		p.prose(p.l.Theme.Text, s)
	}
}
