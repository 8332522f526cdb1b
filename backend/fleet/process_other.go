//go:build !linux

package fleet

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// process says who a process is: its parent, its name and when it started (in
// the system's own units).
type process struct {
	parent  int
	name    string
	started int64
	tty     string // "": it is not told here
}

func lookProcess(pid int) (process, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p == nil || int(p.Proc.P_pid) != pid {
		return process{}, false
	}
	name, _, _ := bytes.Cut(p.Proc.P_comm[:], []byte{0})
	return process{parent: int(p.Eproc.Ppid), name: string(name), started: p.Proc.P_starttime.Sec*1e6 + int64(p.Proc.P_starttime.Usec)}, true
}

// pidSpace names the pid namespace of this process: there is only one here.
func pidSpace() string { return "" }
