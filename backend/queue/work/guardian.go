package work

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"binnacle/model"
)

// guardian is a process that outlives a worker that is killed, and then kills the
// groups of the commands that it left behind: nobody would renew their leases, and
// another worker will claim what they are at. It reads from a pipe whose other end
// only the worker has, so the pipe's end is the worker's, however it comes.
type guardian struct {
	mu     sync.Mutex
	groups map[int]bool
	pipe   *os.File
	child  *exec.Cmd
}

// vigil keeps a list of groups, one a line of "+ PID" or "- PID".
const vigil = `trap '' HUP INT TERM
g=
while read -r op id; do
	case $op in
	+) g="$g $id" ;;
	-) n=; for i in $g; do [ "$i" = "$id" ] || n="$n $i"; done; g=$n ;;
	esac
done
for i in $g; do kill -s KILL -- "-$i" 2>/dev/null; done`

func newGuardian() (*guardian, error) {
	g := &guardian{groups: map[int]bool{}}
	return g, g.start()
}

func (g *guardian) start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return model.Errorf(model.CodeInternal, "no pipe could be made: %w", err)
	}
	child := exec.Command("/bin/sh", "-c", vigil)
	child.Stdin, child.Dir, child.Env = r, "/", []string{"PATH=/usr/bin:/bin"}
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ctrl+c is not for it
	err = child.Start()
	_ = r.Close()
	if err != nil {
		_ = w.Close()
		return model.Errorf(model.CodeInternal, "/bin/sh, which watches over the commands, could not be started: %w", err)
	}
	g.pipe, g.child = w, child
	return nil
}

// add puts a command's group under guard.
func (g *guardian) add(pid int) { g.say('+', pid) }

// remove says that a command and its group ended.
func (g *guardian) remove(pid int) { g.say('-', pid) }

func (g *guardian) say(op byte, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if op == '+' {
		g.groups[pid] = true
	} else {
		delete(g.groups, pid)
	}
	if _, err := fmt.Fprintf(g.pipe, "%c %d\n", op, pid); err == nil {
		return
	}
	// Somebody killed it: the next one guards all that run.
	_ = g.pipe.Close()
	_ = g.child.Wait()
	if g.start() == nil {
		for pid := range g.groups {
			_, _ = fmt.Fprintf(g.pipe, "+ %d\n", pid)
		}
	}
}

// close ends the guardian; no command runs any more.
func (g *guardian) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = g.pipe.Close()
	_ = g.child.Wait()
}
