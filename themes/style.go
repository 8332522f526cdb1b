package themes

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	_ "binnacle/themes/ground" // the terminal is not asked for its background
)

// closing ends every style; it is what text calls a reset.
const closing = "\x1b[0m"

// Style is how text looks: the sequence that begins it. The zero Style leaves
// text as it is.
type Style struct {
	open string
}

// Wrap returns s in the style. s holds no style of its own, for that would end
// this one. An empty s stays empty.
func (s Style) Wrap(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + closing
}

// Open is the sequence that begins the style, "" when it is plain.
func (s Style) Open() string { return s.open }

// Close is the sequence that ends it, "" when it is plain.
func (s Style) Close() string {
	if s.open == "" {
		return ""
	}
	return closing
}

// Plain says whether the style changes nothing.
func (s Style) Plain() bool { return s.open == "" }

// On returns s over a base: what s does not set, the base does. A row that is
// selected lays its columns' styles on its own.
func (s Style) On(base Style) Style {
	switch {
	case base.open == "" || s.open == base.open:
		return s
	case s.open == "":
		return base
	default:
		return Style{open: base.open + s.open}
	}
}

// renderer is lipgloss with its profile pinned, so that styles are the same
// under a test, a pipe and every terminal.
func renderer() *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.TrueColor)
	r.SetHasDarkBackground(true)
	return r
}

// style makes the Style of a checked spec.
func style(r *lipgloss.Renderer, s look) Style {
	st := r.NewStyle().
		Bold(s.bold).Faint(s.faint).Italic(s.italic).Reverse(s.reverse).
		Strikethrough(s.strike).
		Underline(s.underline)
	if s.fg != "" {
		st = st.Foreground(lipgloss.Color(s.fg))
	}
	if s.bg != "" {
		st = st.Background(lipgloss.Color(s.bg))
	}
	const probe = "x"
	out := st.Render(probe)
	for i := range len(out) {
		if out[i] == probe[0] {
			return Style{open: out[:i]}
		}
	}
	return Style{}
}
