package fleet

import "testing"

// TestTheMapReadsNoFolderAgain: the machine's other workspaces are read again
// when one of them said something, and not with each map.
func TestTheMapReadsNoFolderAgain(t *testing.T) {
	w := newWorld(t)
	a := w.node("a")
	b := w.node("a2", func(o *Options) { o.StateDir, o.Clock = a.opts.StateDir, a.clock.now })
	b.hook("s1", "SessionStart")
	b.push()
	a.fetch()
	// A date of this moment is not to be relied on yet.
	walks := int64(-1)
	eventually(t, "a map without a walk", func() bool {
		before := a.folderWalks.Load()
		a.fleet()
		walks = a.folderWalks.Load()
		return walks == before
	})
	for range 5 {
		if n := len(a.fleet().Sessions); n != 1 {
			t.Fatalf("%d sessions, want the other workspace's", n)
		}
	}
	if n := a.folderWalks.Load() - walks; n != 0 {
		t.Fatalf("the folder was read %d times more, though nothing changed", n)
	}
	b.hook("s2", "SessionStart")
	b.push()
	if n := len(a.fleet().Sessions); n != 2 {
		t.Fatalf("%d sessions after the other workspace told of a second one", n)
	}
}
