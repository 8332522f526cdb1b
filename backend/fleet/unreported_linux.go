package fleet

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"binnacle/backend/fleet/process"
)

// agentProcesses looks through this user's processes for agent programs, by
// number. What ends meanwhile, or belongs to others, is left out.
func agentProcesses() []agentProcess {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []agentProcess
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("/proc", name, "cmdline"))
		if err != nil || len(raw) == 0 {
			continue
		}
		var argv []string
		for _, arg := range bytes.SplitN(raw, []byte{0}, 9) {
			argv = append(argv, string(arg))
		}
		tool := agentTool(argv)
		if tool == "" {
			continue
		}
		p, ok := process.Look(pid)
		folder, err := os.Readlink(filepath.Join("/proc", name, "cwd"))
		if !ok || err != nil {
			continue
		}
		out = append(out, agentProcess{pid: pid, parent: p.Parent, tool: tool, folder: folder})
	}
	return out
}
