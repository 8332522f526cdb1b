package fleet

// toolProcess is the process of the tool that called a hook: the caller
// itself, or what stands above the shells in between. 0 when it can't be told.
func toolProcess(pid int) (int, int64) {
	for range 6 {
		p, ok := lookProcess(pid)
		if !ok || pid <= 1 {
			return 0, 0
		}
		if !shell(p.name) {
			return pid, p.started
		}
		pid = p.parent
	}
	return 0, 0
}

func shell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout":
		return true
	}
	return false
}

// sameProcess says whether the process that was seen still runs: the same
// number alone may be another one by now.
func sameProcess(pid int, started int64) bool {
	p, ok := lookProcess(pid)
	return ok && p.started == started
}
