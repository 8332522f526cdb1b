package command_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// waitForReader waits until a thread of the process sleeps in a read from its
// terminal.
func waitForReader(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		names, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/syscall")
		for _, name := range names {
			// "0 0x0 …" is read(0, …): the number of read is 0 on amd64 and 63 on arm64.
			text, err := os.ReadFile(name)
			if f := strings.Fields(string(text)); err == nil && len(f) > 1 && (f[0] == "0" || f[0] == "63") && f[1] == "0x0" {
				return
			}
		}
	}
	t.Fatal("the process does not read its terminal")
}
