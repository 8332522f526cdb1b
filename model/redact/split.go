package redact

import (
	"strings"
	"unicode/utf8"
)

// A token that was split is a token still: by the end of a line, where a
// terminal or a mail wrapped it, or by a character that nobody sees.

// gapAt returns the length of what may split a token at i: the end of a line,
// or characters of no width; 0 where there is none.
func gapAt(text []byte, i int) int {
	switch c := text[i]; {
	case c == '\n':
		return 1
	case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		return 2
	case c < utf8.RuneSelf:
		return 0
	}
	switch r, n := utf8.DecodeRune(text[i:]); r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF:
		return n
	}
	return 0
}

func hasGap(text []byte) bool {
	for i := range text {
		if (text[i] == '\n' || text[i] >= utf8.RuneSelf) && gapAt(text, i) > 0 {
			return true
		}
	}
	return false
}

// joined is a text without its gaps.
type joined struct {
	text []byte
	gaps []int // ascending: where in text one was
	at   []int // beside gaps: where in the original the text goes on behind it
}

// place is where in the original the byte i of the text stands.
func (j *joined) place(i int) int {
	lo, hi := 0, len(j.gaps)
	for lo < hi {
		if mid := (lo + hi) / 2; j.gaps[mid] <= i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return i
	}
	return j.at[lo-1] + i - j.gaps[lo-1]
}

func join(text []byte) joined {
	j := joined{text: make([]byte, 0, len(text))}
	for i := 0; i < len(text); {
		if n := gapAt(text, i); n > 0 {
			i += n
			j.gaps, j.at = append(j.gaps, len(j.text)), append(j.at, i)
			continue
		}
		j.text = append(j.text, text[i])
		i++
	}
	return j
}

// findSplit adds the tokens that are whole only without the gaps in them. Only
// shapes are looked for: a line that ends with a name says nothing about the
// next one.
func (r *Redactor) findSplit(text []byte, spans []span) []span {
	if !hasGap(text) {
		return spans
	}
	j := join(text)
	var ends [alphabets]int
	next := 0 // the first gap behind i
	for i := 0; i+1 < len(j.text); i++ {
		for next < len(j.gaps) && j.gaps[next] <= i {
			next++
		}
		if r.shapes[j.text[i]] == nil || !r.hasPair(j.text[i], j.text[i+1]) {
			continue
		}
		s, ok := r.findShapeAcross(j.text, i, j.gaps[next:], &ends)
		if !ok {
			continue
		}
		from, to := j.place(s.from), j.place(s.to-1)+1
		if !overlaps(spans, from, to) {
			spans = append(spans, span{from, to, s.rule})
		}
		i = s.to - 1
	}
	return spans
}

// findShapeAcross finds a token that begins at i and has a gap inside; gaps are
// those behind i. It ends at a gap as soon as it is whole: what stands on the
// next line is another word.
func (r *Redactor) findShapeAcross(text []byte, i int, gaps []int, ends *[alphabets]int) (span, bool) {
	if len(gaps) == 0 || i > 0 && alnum.has(text[i-1]) {
		return span{}, false
	}
	for k := range r.shapes[text[i]] {
		s := &r.shapes[text[i]][k]
		if !hasPrefix(text[i:], s.prefix) {
			continue
		}
		start := i + len(s.prefix)
		end := s.of.runEnd(text, start, ends)
		if gaps[0] >= end {
			continue // it is in one piece
		}
		for _, to := range append(append([]int(nil), gaps[1:min(len(gaps), 1+mostGaps)]...), end) {
			if to > end {
				to = end
			}
			if to-start >= s.least && (s.check == nil || s.check(text[i:min(to, i+checkedBytes)])) {
				return span{i, to, s.rule}, true
			}
		}
	}
	return span{}, false
}

// mostGaps bounds in how many pieces a token is looked for.
const mostGaps = 8

func overlaps(spans []span, from, to int) bool {
	for _, s := range spans {
		if s.from < to && from < s.to {
			return true
		}
	}
	return false
}

// findCurl finds the password of curl -u name:password, where i is at the
// program's name. A command for this machine is a development's.
func findCurl(text []byte, i int) (span, bool) {
	if !hasPrefix(text[i:], "curl ") || i > 0 && alnum.has(text[i-1]) {
		return span{}, false
	}
	line := text[i:min(len(text), i+4*checkedBytes)]
	for k := 0; k < len(line); k++ {
		if c := line[k]; c == '\n' && (k == 0 || line[k-1] != '\\') || c == '|' || c == ';' {
			line = line[:k]
		}
	}
	if isLocal(string(line)) {
		return span{}, false
	}
	for k := 4; k < len(line); k++ {
		if line[k] != ' ' || k+1 == len(line) || line[k+1] != '-' {
			continue
		}
		rest := line[k+1:]
		n := 0
		for _, flag := range [...]string{"--proxy-user", "--user", "-u", "-U"} {
			if hasPrefix(rest, flag) {
				n = len(flag)
				break
			}
		}
		if n == 0 || n == len(rest) || n > 2 && rest[n] != ' ' && rest[n] != '=' {
			continue
		}
		for n < len(rest) && (rest[n] == ' ' || rest[n] == '=') {
			n++
		}
		stop := byte(' ')
		if n < len(rest) && (rest[n] == '\'' || rest[n] == '"') {
			stop = rest[n]
			n++
		}
		colon := -1
		to := n
		for to < len(rest) && rest[to] != stop && rest[to] != '\n' {
			if rest[to] == ':' && colon < 0 {
				colon = to
			}
			to++
		}
		if colon <= n || colon+1 >= to || isPlaceholder(rest[colon+1:to]) {
			continue
		}
		at := i + k + 1
		return span{at + colon + 1, at + to, "curl-password"}, true
	}
	return span{}, false
}

// isLocal says whether a text names this machine as a host.
func isLocal(text string) bool {
	for _, host := range [...]string{"localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"} {
		if strings.Contains(text, host) {
			return true
		}
	}
	return false
}

// findTelegram finds a bot's token, 123456789:AA…, where i is at the colon.
func findTelegram(text []byte, i int) (span, bool) {
	const tail = 35
	if len(text) < i+1+tail || !hasPrefix(text[i+1:], "AA") {
		return span{}, false
	}
	from := i
	for from > 0 && i-from < 11 && text[from-1] >= '0' && text[from-1] <= '9' {
		from--
	}
	to := i + 1
	for to < len(text) && to <= i+1+tail && slug.has(text[to]) {
		to++
	}
	if i-from < 8 || i-from > 10 || to != i+1+tail {
		return span{}, false
	}
	return span{from, to, "telegram-token"}, true
}
