//go:build unix

package sqlitefile

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// fileSizeLimit is how large a file of this process may grow, in bytes; ok is
// false where nothing limits it.
func fileSizeLimit() (limit int64, ok bool) {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, false
	}
	return int64(r.Cur), true
}

// openFiles is how many files this process has open, and how many it may; ok is
// false where that can't be told.
func openFiles() (open, limit int64, ok bool) {
	var r unix.Rlimit
	list, err := os.ReadDir("/dev/fd")
	if err != nil || unix.Getrlimit(unix.RLIMIT_NOFILE, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, 0, false
	}
	return int64(len(list)), int64(r.Cur), true
}
