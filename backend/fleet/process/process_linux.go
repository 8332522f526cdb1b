package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Info says who a process is: its parent, its name and when it started (in
// the system's own units).
type Info struct {
	Parent  int
	Name    string
	Started int64
	TTY     string // /dev/pts/3, "" for none or where it can't be told
}

// Look says who the process of a number is now; false where there is none, or it
// has ended.
func Look(pid int) (Info, bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Info{}, false
	}
	// The name stands in parentheses and may hold any character.
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return Info{}, false
	}
	rest := strings.Fields(string(raw[end+1:]))
	if len(rest) < 20 || rest[0] == "Z" || rest[0] == "X" {
		return Info{}, false
	}
	parent, err := strconv.Atoi(rest[1])
	started, err2 := strconv.ParseInt(rest[19], 10, 64)
	return Info{parent, string(raw[open+1 : end]), started, ttyName(rest[4])}, err == nil && err2 == nil
}

// ttyName names the terminal of a device number, as proc(5) has it.
func ttyName(text string) string {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return ""
	}
	major, minor := n>>8&0xfff, n&0xff|n>>12&0xfff00
	switch {
	case major >= 136 && major <= 143:
		return "/dev/pts/" + strconv.FormatUint(minor+(major-136)<<8, 10)
	case major == 4 && minor < 64:
		return "/dev/tty" + strconv.FormatUint(minor, 10)
	}
	return ""
}

// Space names the pid namespace of this process: a number means a process
// only within it. "" where it can't be told.
var Space = sync.OnceValue(func() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return name
})
