package scratch

import (
	"os"
	"syscall"
)

// Bounds of one cleaning: how many names are looked at, how many at a time, and
// how many leftovers are removed.
const (
	mostNames   = 50_000
	namesAtOnce = 1_000
	mostRemoved = 256
)

// Clean removes what killed processes left in parent. It is done before each
// NewFolder and NewFile; what can't be removed stays for the next time.
func Clean(parent string) {
	dir, err := os.Open(parent)
	if err != nil {
		return
	}
	defer dir.Close()
	var found []string
	for seen := 0; seen < mostNames && len(found) < mostRemoved; {
		names, err := dir.Readdirnames(namesAtOnce)
		for _, name := range names {
			if named(name) {
				found = append(found, name)
			}
		}
		if seen += len(names); err != nil || len(names) == 0 {
			break
		}
	}
	if len(found) == 0 {
		return
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		return
	}
	defer root.Close()
	for _, name := range found[:min(len(found), mostRemoved)] {
		cleanOne(root, name)
	}
}

// cleanOne removes one entry if nobody holds its lock. The lock is kept until
// the entry is gone, so that its owner, which may be about to lock it, sees that
// it was too late.
func cleanOne(root *os.Root, name string) {
	before, err := root.Lstat(name)
	if err != nil || !ours(before) {
		return
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if flock(f) != nil {
		return
	}
	// What was opened must be what was looked at, and must still have the name: an
	// owner that just finished gave it another.
	opened, err := f.Stat()
	if err != nil || !os.SameFile(before, opened) {
		return
	}
	if now, err := root.Lstat(name); err != nil || !os.SameFile(now, opened) {
		return
	}
	_ = root.RemoveAll(name)
}

// ours says whether it may be something of this user that this package made.
func ours(info os.FileInfo) bool {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
