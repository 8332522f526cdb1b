//go:build !linux

package fleet

// agentProcesses is empty: where a process is can't be told here without C.
func agentProcesses() []agentProcess { return nil }
