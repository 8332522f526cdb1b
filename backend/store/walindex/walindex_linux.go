package walindex

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where things stand in the index of a write-ahead log (SQLite's WAL file
// format, "The WAL-Index File Format"), in bytes from its begin. Each read mark
// is the last frame of the log that readers who hold its lock see.
const (
	indexMaxFrame = 16
	indexMarks    = 100
	indexLocks    = 120 + 3 // of the first mark
	indexMarkMost = 5
)

// mostReaders bounds how many processes are named.
const mostReaders = 4

// OldestReaders returns who holds the oldest read of the database whose log has
// its index at path: what prevents the log from being begun anew. None where it
// can't be found out.
//
// The index is never opened: closing it would drop the locks that this process
// has on it. Its content is read through the file descriptor that SQLite has.
func OldestReaders(path string) []Process {
	index, err := os.Stat(path)
	if err != nil {
		return nil
	}
	marks, newest, ok := readMarks(index)
	if !ok {
		return nil
	}
	held := heldMarks(index)
	oldest := newest // whoever sees all of the log holds nothing up
	for i := range held {
		oldest = min(oldest, marks[i])
	}
	var pids []int
	for i, of := range held {
		if marks[i] == oldest && oldest < newest {
			pids = append(pids, of...)
		}
	}
	slices.Sort(pids)
	pids = slices.Compact(pids)
	var out []Process
	for _, pid := range pids[:min(len(pids), mostReaders)] {
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		out = append(out, Process{pid, strings.TrimSpace(string(name))})
	}
	return out
}

// readMarks reads the read marks and the newest frame from the index that this
// process has open.
func readMarks(index os.FileInfo) (marks [indexMarkMost]uint32, newest uint32, ok bool) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return marks, 0, false
	}
	for _, e := range open {
		info, err := os.Stat("/proc/self/fd/" + e.Name())
		if err != nil || !os.SameFile(info, index) {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		var head [indexMarks + 4*indexMarkMost]byte
		if n, err := syscall.Pread(fd, head[:], 0); err != nil || n < len(head) {
			continue
		}
		for i := range marks {
			marks[i] = binary.NativeEndian.Uint32(head[indexMarks+4*i:])
		}
		return marks, binary.NativeEndian.Uint32(head[indexMaxFrame:]), true
	}
	return marks, 0, false
}

// heldMarks says which processes hold each read mark, from the kernel's list of
// locks.
func heldMarks(index os.FileInfo) map[int][]int {
	text, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil
	}
	st, ok := index.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	held := map[int][]int{}
	for line := range strings.Lines(string(text)) {
		// "7: POSIX  ADVISORY  READ 4242 08:01:131 124 124"; who waits has "->" in it.
		f := strings.Fields(line)
		if len(f) != 8 || f[1] != "POSIX" || f[3] != "READ" {
			continue
		}
		pid, e1 := strconv.Atoi(f[4])
		from, e2 := strconv.Atoi(f[6])
		to, e3 := strconv.Atoi(f[7])
		if e1 != nil || e2 != nil || e3 != nil || pid <= 0 || !sameIndex(f[5], st, index, pid) {
			continue
		}
		for i := max(from-indexLocks, 0); i <= min(to-indexLocks, indexMarkMost-1); i++ {
			held[i] = append(held[i], pid)
		}
	}
	return held
}

// sameIndex says whether the kernel's name of a locked file, device and inode,
// is the index's. Some file systems show programs another device than the kernel
// has; then the process must have the file open.
func sameIndex(name string, st *syscall.Stat_t, index os.FileInfo, pid int) bool {
	device, found := strings.CutSuffix(name, ":"+strconv.FormatUint(st.Ino, 10))
	if !found {
		return false
	}
	if device == fmt.Sprintf("%02x:%02x", unix.Major(st.Dev), unix.Minor(st.Dev)) {
		return true
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	open, _ := os.ReadDir(dir)
	return slices.ContainsFunc(open, func(e os.DirEntry) bool {
		info, err := os.Stat(dir + "/" + e.Name())
		return err == nil && os.SameFile(info, index)
	})
}
