package themes

import "strings"

// Glyphs are the shapes of the chrome. Each is one cell wide unless it says
// otherwise. There is no emoji among them, and none whose width depends on the
// terminal's locale in practice.
type Glyphs struct {
	ASCII bool // every glyph is ASCII

	Border, Focus Edges // of a pane without and with the focus

	Cursor   string // beside the row under the cursor and the focused title
	Mark     string // beside a marked row
	Live     string // following
	Paused   string // one or two cells
	ReadOnly string
	Good     string // verified; ASCII is two cells
	Bad      string // diverged; ASCII is two cells
	Checking string // verification under way
	Times    string // before a count of folded rows
	Dash     string // where there is nothing to say
	Ellipsis string
	Alert    string // beside what is about to go wrong
	Cause    string // a link back
	Effect   string // a link on
	Thumb    string // the scroll bar's moving part
	Bullet   string // between words of a line
	Caret    string // under the place of a mistake
}

// Edges draw a box.
type Edges struct {
	H, V, TL, TR, BL, BR string
}

// Unicode is the set for terminals with UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Border: Edges{"─", "│", "╭", "╮", "╰", "╯"},
		Focus:  Edges{"━", "┃", "┏", "┓", "┗", "┛"},
		Cursor: "▸", Mark: "•", Live: "●", Paused: "‖", ReadOnly: "○", Good: "✓", Bad: "✗", Checking: "…", Times: "×", Dash: "—",
		Ellipsis: "…", Alert: "!", Cause: "‹", Effect: "›", Thumb: "▐", Bullet: "·", Caret: "^",
	}
}

// Plain is the set of ASCII.
func Plain() Glyphs {
	return Glyphs{
		ASCII:  true,
		Border: Edges{"-", "|", "+", "+", "+", "+"},
		Focus:  Edges{"=", "#", "#", "#", "#", "#"},
		Cursor: ">", Mark: "*", Live: "*", Paused: "||", ReadOnly: "o", Good: "ok", Bad: "XX", Checking: "..", Times: "x", Dash: "-",
		Ellipsis: "~", Alert: "!", Cause: "<", Effect: ">", Thumb: "#", Bullet: "-", Caret: "^",
	}
}

// GlyphsFor chooses the set: ASCII when it was asked for, or when the locale
// (LC_ALL, else LC_CTYPE, else LANG) names a character set that is not UTF-8.
// getenv is as os.Getenv.
func GlyphsFor(ascii bool, getenv func(string) string) Glyphs {
	if ascii {
		return Plain()
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		v = strings.ToLower(v)
		if strings.Contains(v, "utf-8") || strings.Contains(v, "utf8") {
			return Unicode()
		}
		return Plain()
	}
	// No locale at all is common in containers and over ssh, with terminals
	// that do speak UTF-8.
	return Unicode()
}
