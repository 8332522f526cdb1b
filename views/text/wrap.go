package text

import "strings"

// Wrap breaks s into lines of at most w cells, at spaces where there are any
// and inside a word, between graphemes, where it is longer than a line. A
// newline always ends a line; tabs are expanded first. A style that is open at
// the end of a line is closed there and opened again on the next.
//
// With w < 1 nothing fits and the result is nil. A grapheme wider than w (a
// wide one, with w of 1) is shown as a space. The result of an empty s is one
// empty line.
func Wrap(s string, w int) []string {
	if w < 1 {
		return nil
	}
	if plainASCII(s) && len(s) <= w {
		return []string{s}
	}
	p := wrapper{width: w}
	for para := range strings.SplitSeq(ExpandTabs(s, 8), "\n") {
		if _, clean, _ := measure(para); !clean {
			para = cleaned(para)
		}
		p.paragraph(para)
	}
	return p.lines
}

// piece is one cluster, with the styling that came just before it.
type piece struct {
	sgr   string
	text  string
	width int
}

// wrapper carries what is open from line to line.
type wrapper struct {
	width int
	lines []string
	open  []string // SGR sequences since the last reset
}

// paragraph wraps one line of input. Spaces at which a line is broken are
// dropped; those at its start are kept, for indentation.
func (p *wrapper) paragraph(s string) {
	pieces, tail := p.split(s)
	start := 0
	for {
		end, next := p.line(pieces, start)
		last := next >= len(pieces)
		if last {
			p.emit(pieces[start:end], pieces[end:], tail)
			return
		}
		p.emit(pieces[start:end], pieces[end:next], "")
		start = next
	}
}

// line returns where the line that starts at start ends, and where the next
// one starts.
func (p *wrapper) line(pieces []piece, start int) (end, next int) {
	used, i := 0, start
	lastSpace := -1 // index of the newest space after some text
	seen := false
	for ; i < len(pieces); i++ {
		if used+pieces[i].width > p.width {
			break
		}
		used += pieces[i].width
		if pieces[i].text == " " {
			if seen {
				lastSpace = i
			}
		} else {
			seen = true
		}
	}
	if i == len(pieces) {
		return i, i
	}
	switch {
	case pieces[i].text == " ":
		end = i
	case lastSpace >= 0:
		end = lastSpace
	default:
		return i, i // one long word: broken where the line is full
	}
	next = end
	for next < len(pieces) && pieces[next].text == " " {
		next++
	}
	for end > start && pieces[end-1].text == " " {
		end--
	}
	return end, next
}

// split turns s into pieces; styling after the last of them is returned apart.
func (p *wrapper) split(s string) (pieces []piece, tail string) {
	pieces = make([]piece, 0, len(s))
	var sgr string
	for len(s) > 0 {
		n, w, k := Next(s)
		part := s[:n]
		s = s[n:]
		if k == Style {
			sgr += part
			continue
		}
		if w > p.width {
			part, w = " ", 1
		}
		pieces = append(pieces, piece{sgr: sgr, text: part, width: w})
		sgr = ""
	}
	return pieces, sgr
}

// emit writes one line, and takes the styling of the dropped pieces and the
// tail into account for the next.
func (p *wrapper) emit(line, dropped []piece, tail string) {
	var b strings.Builder
	for _, s := range p.open {
		b.WriteString(s)
	}
	for i := range line {
		p.style(line[i].sgr)
		b.WriteString(line[i].sgr)
		b.WriteString(line[i].text)
	}
	if len(p.open) > 0 {
		b.WriteString(reset)
	}
	for i := range dropped {
		p.style(dropped[i].sgr)
	}
	p.style(tail)
	p.lines = append(p.lines, b.String())
}

// style records the SGR sequences in s as open, or forgets all at a reset.
func (p *wrapper) style(s string) {
	for len(s) > 0 {
		n, _, _ := Next(s)
		if isReset(s[:n]) {
			p.open = p.open[:0]
		} else {
			p.open = append(p.open, s[:n])
		}
		s = s[n:]
	}
}
