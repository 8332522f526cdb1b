//go:build linux

package command_test

import (
	"strings"
	"testing"
)

// The terminal is asked nothing but for its receipts, after the first frame at
// the earliest, and only by the cockpit; the answer is never left for the shell.
func TestPTYAsksForReceiptsOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	for _, args := range [][]string{{"--version"}, {"watch", "--plain", "--once"}, {"status"}, {"log"}, {"queue", "list"}, {"help"}} {
		s := begin(t, sessionOptions{dir: dir, args: args})
		s.leaves()
		if raw := s.written(); raw == "" || strings.Contains(raw, statusRequest) {
			t.Errorf("%v writes %q", args, raw)
		}
	}
	for _, mute := range []bool{false, true} {
		s := begin(t, sessionOptions{dir: dir, mute: mute})
		s.shows("2 Planes", "compiled 119", "quit")
		s.send("?")
		s.shows("Go one row up")
		s.send("\x1b")
		s.showsNot("Go one row up")
		s.send("q")
		if status := s.leaves(); status != 0 {
			t.Errorf("it ends with %d", status)
		}
		s.restored()
		raw := s.written()
		if asked, framed := strings.Index(raw, statusRequest), strings.Index(raw, syncOff); asked < framed || framed < 0 {
			t.Errorf("the terminal is asked at %d, the first frame is whole at %d", asked, framed)
		}
		if n := strings.Count(raw, statusRequest); mute && n != 1 || !mute && n < 2 {
			t.Errorf("mute %t: it is asked %d times", mute, n)
		}
		for _, other := range []string{"\x1b[6n", "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b]11;?"} {
			if strings.Contains(raw, other) {
				t.Errorf("it is asked %q", other)
			}
		}
		if strings.Contains(s.screen(), "[0n") {
			t.Errorf("an answer is left for the shell:\n%s", s.screen())
		}
	}
}
