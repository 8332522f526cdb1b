// Package canvas is what everything on the screen is drawn with: a Look, which
// says how it is looked at, lines of exactly so many cells, boxes around them,
// columns, times and numbers in words, and frames put together of parts. It
// knows no pane and no overlay.
package canvas
