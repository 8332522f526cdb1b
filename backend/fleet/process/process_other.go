//go:build !linux

package process

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// Info says who a process is: its parent, its name and when it started (in
// the system's own units).
type Info struct {
	Parent  int
	Name    string
	Started int64
	TTY     string // "": it is not told here
}

// Look says who the process of a number is now; false where there is none, or it
// has ended.
func Look(pid int) (Info, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p == nil || int(p.Proc.P_pid) != pid {
		return Info{}, false
	}
	name, _, _ := bytes.Cut(p.Proc.P_comm[:], []byte{0})
	return Info{Parent: int(p.Eproc.Ppid), Name: string(name), Started: p.Proc.P_starttime.Sec*1e6 + int64(p.Proc.P_starttime.Usec)}, true
}

// Space names the pid namespace of this process: there is only one here.
func Space() string { return "" }
