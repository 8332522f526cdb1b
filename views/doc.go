// Package views draws the cockpit's panes and the lines above and below them,
// and lays them out. Every function here and in the packages below is pure: what
// to show, how large, and how it is looked at go in; text comes out. Below are
// canvas, on which all of them draw, dialog for what stands over the panes and
// is typed or pressed in, document for what is read and scrolled, summary for an
// event in one line, and text for the width of things.
//
// What they promise:
//
//   - The text is exactly as large as was asked for: h lines joined by \n, each
//     exactly w cells wide, at every size from 1x1 on. What does not fit is cut
//     with a mark or counted, never wrapped into the neighbour.
//   - There is no control in it but SGR sequences. Text from outside passes
//     clean.Line in here; callers hand it over as it was stored.
//   - What colour says, a word or a shape says too: the focused pane has
//     another border and a mark, the row under the cursor another mark.
//   - Nothing is ranged over whose order is not fixed, and no clock is read:
//     the same values give the same bytes.
//   - Widths of columns depend on the pane's width alone, not on its rows, so
//     that a new row moves nothing sideways.
//
// What never happens: a view that knows an engine, or one that keeps state.
package views
