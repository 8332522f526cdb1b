package process

// OfTool is the process of the tool that called a hook: the caller
// itself, or what stands above the shells in between. 0 when it can't be told.
func OfTool(pid int) (int, int64) {
	for range 6 {
		p, ok := Look(pid)
		if !ok || pid <= 1 {
			return 0, 0
		}
		if !shell(p.Name) {
			return pid, p.Started
		}
		pid = p.Parent
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

// Same says whether the process that was seen still runs: the same
// number alone may be another one by now.
func Same(pid int, started int64) bool {
	p, ok := Look(pid)
	return ok && p.Started == started
}
