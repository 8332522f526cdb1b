package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

// Whatever stands in Git's files, what they lead to is an absolute, clean path
// or nothing.
func FuzzGitFile(f *testing.F) {
	f.Add("gitdir: /r/.git/worktrees/w", "../..")
	f.Add("gitdir: ../r/.git/worktrees/w", "/r/.git")
	f.Add("gitdir: ", "")
	f.Add("ref: refs/heads/main", ".git")
	f.Add("gitdir: a\x00b", "..\x00")
	f.Fuzz(func(t *testing.T, line, common string) {
		gitdir := gitdirIn(line, "/a/tree")
		if gitdir != "" && (!filepath.IsAbs(gitdir) || filepath.Clean(gitdir) != gitdir || strings.ContainsRune(gitdir, 0)) {
			t.Fatalf("the line %q leads to %q", line, gitdir)
		}
		if gitdir == "" {
			return
		}
		main := worktreeOf(common, gitdir)
		if main != "" && (!filepath.IsAbs(main) || filepath.Clean(main) != main || strings.ContainsRune(main, 0)) {
			t.Fatalf("the common folder %q leads to %q", common, main)
		}
	})
}

func FuzzTrackedBelow(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"), ".binnacle/")
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("x", 80)), ".binnacle/")
	f.Fuzz(func(t *testing.T, index []byte, prefix string) {
		for _, name := range trackedBelow(index, prefix) {
			if !strings.HasPrefix(name, prefix) {
				t.Errorf("%q does not begin with %q", name, prefix)
			}
		}
	})
}
