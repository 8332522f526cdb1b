package sqlite

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"binnacle/model/clean"
)

// process is one that holds a read of the database open.
type process struct {
	pid  int
	name string // "" where it can't be found out
}

// tooLong is the alarm about a log past its bound. Whoever writes truncates it,
// so it stays only where a read that is held open prevents that.
func tooLong(bytes int64, readers []process) string {
	said := fmt.Sprintf("the write-ahead log has grown to %d MiB: ", bytes>>20)
	switch len(readers) {
	case 0:
		return said + "some process holds a read open"
	case 1:
		return said + readers[0].String() + " holds a read open"
	}
	names := make([]string, len(readers))
	for i, p := range readers {
		names[i] = p.String()
	}
	return said + strings.Join(names, ", ") + " hold a read open"
}

func (p process) String() string {
	if p.pid == os.Getpid() {
		return "this process"
	}
	said := "process " + strconv.Itoa(p.pid)
	if p.name != "" {
		said += " (" + clean.Line(p.name) + ")"
	}
	return said
}
