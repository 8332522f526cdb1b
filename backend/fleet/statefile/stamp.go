package statefile

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// inodeOf is the file's number in its file system: writing a file anew gives
// it another one.
func inodeOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

// Stamp tells one version of a file from the next, so that a reader looks into
// it only when it changed.
type Stamp struct {
	inode uint64
	size  int64
	mod   time.Time
}

// StampOf is the zero stamp where there is no such file.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{inodeOf(info), info.Size(), info.ModTime()}
}
