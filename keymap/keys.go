package keymap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/clean"
)

// names of the keys that are no character, as Bubble Tea writes them.
func keyNames() []string {
	return []string{
		"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end",
		"pgup", "pgdown", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
	}
}

// Normal brings a key into the one form that this package uses: as Bubble Tea
// writes it, but "space" for " ". It does not check it.
func Normal(key string) string {
	switch key {
	case " ":
		return "space"
	case "alt+ ":
		return "alt+space"
	}
	return key
}

// Parse reads a key as people write it in config.toml: one character, or a
// name, with ctrl+, alt+ or shift+ before it.
func Parse(key string) (string, error) {
	k := Normal(key)
	rest := k
	var ctrl, alt, shift bool
	for {
		var ok bool
		switch {
		case !ctrl && !shift && cut(&rest, "ctrl+"):
			ctrl, ok = true, true
		case !alt && !ctrl && !shift && cut(&rest, "alt+"):
			alt, ok = true, true
		case !shift && cut(&rest, "shift+"):
			shift, ok = true, true
		}
		if !ok {
			break
		}
	}
	if r, n := utf8.DecodeRuneInString(rest); n == len(rest) && n > 0 {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r) || clean.Line(rest) != rest:
			return "", badKey(key, "it is not a character that can be typed")
		case shift:
			return "", badKey(key, "write the character itself, "+string(unicode.ToUpper(r))+" for one")
		case ctrl && (r < 'a' || r > 'z') && !strings.ContainsRune(`@[\]^_`, r):
			return "", badKey(key, "ctrl+ goes with a small letter")
		}
		return k, nil
	}
	for _, name := range keyNames() {
		if rest == name {
			return k, nil
		}
	}
	if near := nearest(rest, keyNames()); near != "" {
		return "", badKey(key, "did you mean "+strings.TrimSuffix(k, rest)+near+"?")
	}
	return "", badKey(key, "the names are "+strings.Join(keyNames(), ", "))
}

func cut(s *string, prefix string) bool {
	rest, ok := strings.CutPrefix(*s, prefix)
	if ok && rest != "" {
		*s = rest
		return true
	}
	return false
}

func badKey(key, why string) error {
	return model.Errorf(model.CodeInvalid, "%q is not a key: %s", clean.Line(key), why).
		WithHint("write one character, or a name such as pgup, ctrl+l, alt+x, shift+tab")
}

// Label is how a key is shown: names of keys that stand on a keyboard.
func Label(key string) string {
	switch key {
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	}
	return key
}

// nearest returns the candidate that differs least from s, "" when none is
// near. The first of equals wins.
func nearest(s string, candidates []string) string {
	best, at := 3, ""
	for _, c := range candidates {
		if d := distance(s, c); d < best && d < max(len(c), len(s)) {
			best, at = d, c
		}
	}
	return at
}

// distance is how many letters must be added, taken away, replaced or swapped
// with their neighbour, in bytes.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	before := make([]int, len(b)+1)
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			step := above[j]
			if a[i] != b[j] {
				step++
			}
			row[j+1] = min(step, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
