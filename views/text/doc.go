// Package text is the one place that knows terminal cells: how wide a string
// is, where it may be cut, how it is padded and wrapped.
//
// What it promises:
//
//   - Width is counted in cells, by grapheme cluster (github.com/charmbracelet/x/ansi),
//     never by rune: a flag, a ZWJ family and an e with its accent are one thing.
//   - Pad, PadLeft, Fit and Block return exactly the width asked for,
//     whatever comes in. A wide grapheme that would straddle the edge is
//     replaced with spaces.
//   - Styling (SGR sequences, as lipgloss writes them) has no width, survives a
//     cut, and never leaks past the end of a cut or wrapped line.
//   - Any other control is dropped when a string is rebuilt and has no width.
//     Text from outside is made visible by the model before it comes here; this
//     is the second fence, not the first.
//
// What never happens: a grapheme cut in half, a negative width taken for an
// error (it is zero), a panic on invalid UTF-8 (an invalid byte is U+FFFD, one
// cell wide).
package text
