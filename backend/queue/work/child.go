package work

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"binnacle/backend/guard"
	"binnacle/model/directive"
)

// child is a command that runs, in a process group of its own.
type child struct {
	pid    int
	done   chan syscall.WaitStatus // holds one: how it ended
	w      *Worker
	pipe   *os.File // what it writes
	log    *os.File // nil where it could not be made
	out    output
	copied chan struct{} // closed when all it wrote is read
}

// straggle is how long what left the group may keep the output open when the
// command has ended.
const straggle = time.Second

// start starts the command at a directive.
func (w *Worker) start(d directive.Directive, token string) (*child, error) {
	argv, stdin := w.o.Command, d.Body
	if w.o.Arg {
		if strings.ContainsRune(d.Body, 0) {
			return nil, errBody
		}
		argv, stdin = make([]string, len(w.o.Command)), ""
		for i, a := range w.o.Command {
			if argv[i] = a; i > 0 {
				argv[i] = strings.ReplaceAll(a, "{}", d.Body)
			}
		}
	}
	c := &child{w: w, done: make(chan syscall.WaitStatus, 1), copied: make(chan struct{})}
	var theirs *os.File
	var err error
	if c.pipe, theirs, err = os.Pipe(); err != nil {
		return nil, err
	}
	defer func() { _ = theirs.Close() }()
	cmd := &exec.Cmd{
		Path: w.program, Args: argv, Dir: w.o.WorkDir, Stdout: theirs, Stderr: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, Env: append(w.o.Environ[:len(w.o.Environ):len(w.o.Environ)],
			"BINNACLE_DIRECTIVE="+directive.Key(d.ID), "BINNACLE_LANE="+d.Lane, "BINNACLE_PRIORITY="+d.Priority.String(),
			"BINNACLE_ATTEMPT="+directive.Key(d.Attempt), "BINNACLE_CLAIM_TOKEN="+token, "BINNACLE_WORKSPACE="+w.o.Project),
	}
	if stdin != "" {
		r, err := feed(stdin)
		if err != nil {
			_ = c.pipe.Close()
			return nil, err
		}
		defer func() { _ = r.Close() }()
		cmd.Stdin = r
	}
	if err := cmd.Start(); err != nil {
		_ = c.pipe.Close()
		return nil, err
	}
	c.pid = cmd.Process.Pid
	w.guardian.add(c.pid)
	log, err := w.runs.create(d.ID, d.Attempt)
	if err != nil {
		w.o.Warn("#" + directive.Key(d.ID) + " runs without a log: " + err.Error())
	}
	c.log, c.out = log, output{to: log, redactor: w.o.Redactor, most: MaxLog, failed: err}
	if log != nil {
		if info, err := log.Stat(); err == nil {
			c.out.written = info.Size()
		}
	}
	guard.Go("queue output", func() {
		defer close(c.copied)
		for b := make([]byte, 32<<10); ; {
			n, err := c.pipe.Read(b)
			_, _ = c.out.Write(b[:n]) // it keeps its error
			if err != nil {
				return // the pipe's end, or its deadline
			}
		}
	})
	guard.Go("queue command", func() {
		_ = cmd.Wait() // what it says is in the state
		status := syscall.WaitStatus(255 << 8)
		if s := cmd.ProcessState; s != nil {
			status = s.Sys().(syscall.WaitStatus)
		}
		c.done <- status
	})
	return c, nil
}

// small is what every pipe holds: writing so much never waits.
const small = 4 << 10

// feed is a pipe that a body comes out of.
func feed(body string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	put := func() {
		_, _ = io.WriteString(w, body) // a command need not read it
		_ = w.Close()
	}
	if len(body) <= small {
		put()
	} else {
		guard.Go("queue body", put)
	}
	return r, nil
}

// signal sends one to the whole group.
func (c *child) signal(s syscall.Signal) { _ = syscall.Kill(-c.pid, s) }

// close ends what the command left behind and returns how long its log is.
func (c *child) close() int64 {
	c.signal(syscall.SIGKILL)
	c.w.guardian.remove(c.pid)
	_ = c.pipe.SetReadDeadline(time.Now().Add(straggle))
	<-c.copied
	_ = c.pipe.Close()
	c.out.end()
	if c.log != nil {
		_ = c.log.Close()
	}
	return c.out.written
}
