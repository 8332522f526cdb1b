package store

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
