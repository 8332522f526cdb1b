// Package ground tells lipgloss what the terminal's ground is before anybody
// asks the terminal.
//
// Bubble Tea asks lipgloss for the background in its own init, and lipgloss
// asks the terminal: two queries on the way to main, and up to five seconds of
// waiting where nothing answers. Go initialises packages that are ready in the
// order of their import paths, so this package, which imports lipgloss alone
// and whose path sorts before Bubble Tea's, answers first. It must never import
// anything else.
package ground

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
