//go:build linux

package command_test

import (
	"strings"
	"testing"
	"time"
)

// What the terminal says by itself does nothing to the cockpit, whole or cut at
// each byte: no form opens, nothing is undone, the screen stays as it is.
func TestPTYRepliesDoNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	// Answers of its own would fall into the sequences that are cut below.
	s := begin(t, sessionOptions{dir: dir, mute: true})
	s.shows("compiled 119")
	for _, reply := range []string{
		"\x1bP>|tmux 3.4\x1b\\", "\x1bP1+r544e=787465726d\x1b\\", "\x1b]11;rgb:aaaa/dddd/aaaa\x07", "\x1b[?62;1;6c", "\x1b[12;40R", "\x1b[?2026;2$y",
		"\x1b_Gi=31;dadd\x1b\\", "\x1bXadd:/?\x1b\\", "\x1b^add:/?\x1b\\",
	} {
		s.send(reply)
		for i := range len(reply) {
			s.send(reply[i : i+1])
			time.Sleep(2 * time.Millisecond) // a pause in what is read, whatever it is cut into
		}
	}
	// What comes next is a key, and the first that counts.
	s.send("/")
	s.until("an empty filter", s.bottom("/"))
	s.mu.Lock()
	shown := s.em.String()
	s.mu.Unlock()
	for _, no := range []string{"Push a directive", "undo", "needs you 1 ", "pasted text"} {
		if strings.Contains(shown, no) {
			t.Errorf("%q is shown:\n%s", no, shown)
		}
	}
	s.send("ab👨\u200d👩\u200d👧\x7f")
	s.until("half of what was typed", s.bottom("/ab"))
	s.send("\x1b[200~cd\x1b")
	time.Sleep(30 * time.Millisecond)
	s.send("[201~")
	s.until("the paste", s.bottom("/abcd"))
	s.send("\x7f")
	s.until("a key after the paste", s.bottom("/abc"))
	s.send("\x1b[6")
	time.Sleep(80 * time.Millisecond)
	s.send("~x")
	s.until("no key of the cut one", s.bottom("/abcx"))
	s.send("\x1bP>|never ended\x03")
	if status := s.leaves(); status != 0 {
		t.Errorf("it ends with %d", status)
	}
	s.restored()
}

// Ctrl+c leaves in the midst of whatever never ends.
func TestPTYInterruptAlwaysLeaves(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]string{
		"a paste": "\x1b[200~abc", "a cut end of a paste": "\x1b[200~abc\x1b", "a string": "\x1bP1+r54", "a sequence": "\x1b[1;", "an OSC": "\x1b]11;",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := workspaceIn(t, dir)
			fill(t, openIn(t, w, nil))
			s := begin(t, sessionOptions{dir: dir})
			s.shows("compiled 119")
			s.send("/" + begun)
			s.send("\x03")
			if status := s.leaves(); status != 0 {
				t.Errorf("it ends with %d", status)
			}
			s.restored()
		})
	}
}
