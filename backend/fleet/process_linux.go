package fleet

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// process says who a process is: its parent, its name and when it started (in
// the system's own units).
type process struct {
	parent  int
	name    string
	started int64
}

func lookProcess(pid int) (process, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	// The name stands in parentheses and may hold any character.
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	rest := strings.Fields(string(raw[end+1:]))
	if len(rest) < 20 || rest[0] == "Z" || rest[0] == "X" {
		return process{}, false
	}
	parent, err := strconv.Atoi(rest[1])
	started, err2 := strconv.ParseInt(rest[19], 10, 64)
	return process{parent, string(raw[open+1 : end]), started}, err == nil && err2 == nil
}

// pidSpace names the pid namespace of this process: a number means a process
// only within it. "" where it can't be told.
var pidSpace = sync.OnceValue(func() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return name
})
