//go:build linux

package command_test

import "testing"

// The palette runs a command of this binary on the workspace that is open, and
// shows what it says and how it ended.
func TestPTYPaletteRunsACommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	s := begin(t, sessionOptions{dir: dir})
	s.shows("2 Planes", "compiled 119")
	s.send(":ledger verify")
	s.shows("first divergence")
	s.send("\r")
	s.shows("It takes --from")
	s.send("\r")
	s.shows("good:", "counts and records agree")
	s.send("\x1b")
	s.showsNot("counts and records agree")
	s.send(":queue show")
	s.shows("Print a directive")
	s.send("\r")
	s.shows("It takes ID")
	s.send("4711\r")
	s.shows("no item #4711", "exit status 1")
}
