package fleet

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/process"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// lookForAgents is how often the machine's processes are looked through for
// agent programs that report nothing.
const lookForAgents = 10 * time.Second

// agentProcess is a process of an agent program, by what it was called with.
type agentProcess struct {
	pid    int
	parent int
	tool   string
	folder string // the one it is in
}

// keptAgents are the agent programs of this repository as they were seen last.
type keptAgents struct {
	at   *model.Reading
	list []agentProcess
}

// agentTool tells which agent program a command line is of: its own name, or
// the script's that an interpreter runs. "" is none.
func agentTool(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	name := filepath.Base(argv[0])
	switch name {
	case "node", "bun", "deno":
		for _, a := range argv[1:] {
			if !strings.HasPrefix(a, "-") {
				name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(a), ".js"), ".mjs")
				break
			}
		}
	}
	switch name {
	case "claude":
		return hooks.ToolClaude
	case hooks.ToolCodex, hooks.ToolGemini, hooks.ToolOpencode:
		return name
	}
	return ""
}

// agentsHere are the agent programs whose folder lies in this repository or in
// a work tree of it. Processes that belong together, such as a script's and the
// program's that it started, count as the first of them; heard are those that a
// hook reported for.
func (f *book) agentsHere(now model.Reading) []agentProcess {
	f.mu.Lock()
	kept := f.agents
	f.mu.Unlock()
	if kept.at != nil && fleetmap.Elapsed(*kept.at, now) < lookForAgents {
		return kept.list
	}
	var list []agentProcess
	for _, p := range agentProcesses() {
		where, err := git.FindTree(p.folder)
		if err != nil || where.Common != f.repo.Common || where.Common == "" && where.Root != f.repo.Root {
			continue
		}
		p.folder = where.Root
		list = append(list, p)
	}
	f.mu.Lock()
	f.agents = keptAgents{&now, list}
	f.mu.Unlock()
	return list
}

// unreported are the agent programs that run in this repository, and of which no
// hook was heard since they started.
func (f *book) unreported(rows Rows, others []keptSource, now model.Reading) []fleetmap.SeenProgram {
	list := f.agentsHere(now)
	if len(list) == 0 {
		return nil
	}
	heard := map[int]bool{}
	hear := func(pid int, started int64, space string) {
		if pid == 0 || space != process.Space() || !process.Same(pid, started) {
			return
		}
		for range 8 { // the process that calls the hooks may be a child's child
			heard[pid] = true
			p, ok := process.Look(pid)
			if pid = p.Parent; !ok || pid <= 1 {
				return
			}
		}
	}
	for i := range rows.list {
		hear(rows.list[i].PID, rows.list[i].start, rows.list[i].space)
	}
	for _, s := range others {
		for _, row := range s.Rows {
			hear(row.PID, row.Start, row.Space)
		}
	}
	agent := func(pid int) int { return slices.IndexFunc(list, func(p agentProcess) bool { return p.pid == pid }) }
	// Processes of one program: the one above stands for all.
	first := make([]int, len(list))
	reports := make([]bool, len(list))
	for i, p := range list {
		first[i] = i
		for up, n := p.parent, 0; up > 1 && n < 8; n++ {
			if at := agent(up); at >= 0 {
				first[i] = at
			}
			above, ok := process.Look(up)
			if !ok {
				break
			}
			up = above.Parent
		}
		if heard[p.pid] {
			reports[first[i]] = true
		}
	}
	var out []fleetmap.SeenProgram
	for i, p := range list {
		if first[i] == i && !reports[i] {
			out = append(out, fleetmap.SeenProgram{Tool: p.tool, PID: p.pid, Folder: p.folder})
		}
	}
	return out
}
