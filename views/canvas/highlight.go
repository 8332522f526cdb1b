package canvas

import (
	"strings"

	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Marked writes s in exactly w cells with the words in it lit up. Words are
// compared as the filter does: letters of ASCII without their case.
func (l *Line) Marked(st, hit themes.Style, s string, words []string, w int) {
	w = min(w, l.Room())
	if w <= 0 {
		return
	}
	if len(words) == 0 || !anyWord(s, words) {
		l.Cell(st, s, w, false)
		return
	}
	n := text.Width(s)
	if n > w {
		s, n = text.FitTail(s, w, l.rest), w
	}
	l.foreign = l.foreign || !ascii(s)
	from := 0
	for from < len(s) {
		at, size := nextWord(s[from:], words)
		if size == 0 {
			break
		}
		at += from
		if !whole(s, at, at+size) {
			l.Put(st, s[from:at+size])
		} else {
			l.Put(st, s[from:at])
			l.Put(hit, s[at:at+size])
		}
		from = at + size
	}
	l.Put(st, s[from:])
	l.Gap(w - n)
}

func anyWord(s string, words []string) bool {
	_, n := nextWord(s, words)
	return n > 0
}

// nextWord finds the first of the words in s, the longest of those that begin
// at the same place.
func nextWord(s string, words []string) (at, size int) {
	at = -1
	for _, w := range words {
		if w == "" || len(w) > len(s) {
			continue
		}
		if i := indexFold(s, w); i >= 0 && (at < 0 || i < at || i == at && len(w) > size) {
			at, size = i, len(w)
		}
	}
	if at < 0 {
		return 0, 0
	}
	return at, size
}

// indexFold is strings.Index that does not tell ASCII's capitals apart.
func indexFold(s, w string) int {
	if i := strings.Index(s, w); i == 0 {
		return 0
	}
	for i := 0; i+len(w) <= len(s); i++ {
		if lower(s[i]) == lower(w[0]) && equalFold(s[i:i+len(w)], w) {
			return i
		}
	}
	return -1
}

func equalFold(a, b string) bool {
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// whole says whether s[from:to] begins and ends between graphemes.
func whole(s string, from, to int) bool {
	if ascii(s) {
		return true
	}
	begin := from == 0
	for i := 0; i < len(s); {
		n, _, _ := text.Next(s[i:])
		i += n
		if i == from {
			begin = true
		}
		if i >= to {
			return begin && i == to
		}
	}
	return false
}

// Lit writes s in exactly w cells, with the graphemes lit up that begin at the
// given bytes.
func (l *Line) Lit(st, hit themes.Style, s string, at []int, w int) {
	end := l.Used + min(w, l.Room())
	clean := clean.Line(s)
	if clean != s || len(at) == 0 || text.Width(s) > end-l.Used {
		l.Cell(st, clean, end-l.Used, false)
		return
	}
	for i, k := 0, 0; i < len(s); {
		n, _, _ := text.Next(s[i:])
		use := st
		for k < len(at) && at[k] < i {
			k++
		}
		if k < len(at) && at[k] < i+n {
			use = hit
		}
		l.Put(use, s[i:i+n])
		i += n
	}
	l.Gap(end - l.Used)
}
