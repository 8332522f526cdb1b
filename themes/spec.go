package themes

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// spec is a style as people write it: attributes, a colour, and after "on" the
// colour behind it, e.g. "bold #e5c07b on #202020" or "underline bright-red".
// It is a struct so that the TOML decoder asks it to read itself, which it does
// not for a kind of string.
type spec struct{ text string }

// look is a spec that was read. Colours are as lipgloss takes them: #rrggbb or
// a number from 0 to 255; "" leaves the terminal's own.
type look struct {
	fg, bg                                          string
	bold, faint, italic, underline, reverse, strike bool
}

// names of the sixteen colours, at their numbers.
func ansiNames() []string {
	return []string{
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
		"bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
		"bright-white",
	}
}

// UnmarshalText checks a spec as it is read from a file, so that the mistake is
// reported with its line.
func (s *spec) UnmarshalText(b []byte) error {
	if _, err := parseSpec(string(b)); err != nil {
		return err
	}
	s.text = string(b)
	return nil
}

func parseSpec(s string) (look, error) {
	var l look
	words := strings.Fields(s)
	behind := false
	for i, w := range words {
		switch w {
		case "bold":
			l.bold = true
		case "faint":
			l.faint = true
		case "italic":
			l.italic = true
		case "underline":
			l.underline = true
		case "reverse":
			l.reverse = true
		case "strike":
			l.strike = true
		case "plain":
		case "on":
			if behind || i == len(words)-1 {
				return look{}, badSpec(s, "\"on\" needs one colour after it")
			}
			behind = true
		default:
			c, ok := parseColour(w)
			if !ok {
				return look{}, badSpec(s, "\""+clean.Line(w)+"\" is neither a colour nor an attribute")
			}
			if behind && l.bg == "" {
				l.bg = c
			} else if !behind && l.fg == "" {
				l.fg = c
			} else {
				return look{}, badSpec(s, "it has one colour too many")
			}
		}
	}
	if behind && l.bg == "" {
		return look{}, badSpec(s, "\"on\" needs one colour after it")
	}
	return l, nil
}

const specHint = "write attributes (bold, faint, italic, underline, reverse, strike) and colours, " +
	"e.g. \"bold #e5c07b on #202020\", \"bright-red\" or \"208\""

func badSpec(s, why string) error {
	return model.Errorf(model.CodeInvalid, "the style %q can't be read: %s", clean.Line(s), why).
		WithHint("%s", specHint)
}

// parseColour reads #rgb, #rrggbb, a number from 0 to 255, or a name of the
// sixteen.
func parseColour(w string) (string, bool) {
	if hex, ok := strings.CutPrefix(w, "#"); ok {
		for i := range len(hex) {
			c := hex[i] | 0x20
			if !(hex[i] >= '0' && hex[i] <= '9' || c >= 'a' && c <= 'f') {
				return "", false
			}
		}
		switch len(hex) {
		case 3:
			return "#" + string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]}), true
		case 6:
			return w, true
		}
		return "", false
	}
	for i, name := range ansiNames() {
		if w == name {
			return strconv.Itoa(i), true
		}
	}
	if n, err := strconv.Atoi(w); err == nil && n >= 0 && n <= 255 && strconv.Itoa(n) == w {
		return w, true
	}
	return "", false
}
