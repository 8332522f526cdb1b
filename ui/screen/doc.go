// Package screen is the terminal: what comes from it becomes Bubble Tea
// messages, and a frame's text becomes the fewest bytes that show it.
//
// It has three parts:
//
//   - a Grid is a frame as cells (grapheme, width, style); golden files are
//     made from it, too (Golden);
//   - Diff turns two grids into bytes. Its law, tested against an emulator that
//     is not ours: what a terminal that shows a shows after Diff(a, b) is b, for
//     any two frames of any size. Painter does the same for frames of text, and
//     skips the lines that did not change;
//   - a Terminal is tcell's screen over a Tty whose drawing is muted. tcell
//     keeps raw mode, size, modes, suspend and resume; the bytes of a frame are
//     written by us, and what comes in is cut into tokens by us. A Runner runs a Bubble Tea model over it.
//
// What it promises:
//
//   - No control byte of a frame reaches the terminal but the SGR sequences it
//     was styled with, re-encoded.
//   - A frame is one write, bracketed as synchronized output; an unchanged
//     frame is no write at all.
//   - One frame is under way at most: a status request (DSR 5) follows it, and
//     the terminal's answer is its receipt. On a slow line a frame is cut into
//     slices of whole rows, what a key did first, each made from the newest
//     frame. A terminal that does not answer gets frames as they come.
//   - Nothing but that is asked of the terminal: not before the first frame, and
//     never but while a program runs on it.
//   - Autowrap may be on or off: the cursor is never used after a write to the
//     last column before it has been placed anew. The same holds after any
//     grapheme on whose width terminals disagree.
//   - What the terminal says by itself is never a key, however it is cut, and
//     ctrl+c comes out of every state of the input.
//   - The terminal is restored exactly once on every way out: Close, a panic in
//     any goroutine started through a Guard, a signal, a lost terminal.
//
// What never happens: a blocked Update because the terminal is slow, a frame
// that is kept back for ever because an answer does not come, a spinning reader
// after the terminal has gone.
package screen
