package fleet

import (
	"io/fs"
	"syscall"
)

// inodeOf is the file's number in its file system: writing a file anew gives
// it another one.
func inodeOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
