package command_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A machine on which everything is stopped, sleeps and wakes, and whose clock is
// set, as real processes see it: a holder of a claim, a rival that waits for the
// lane, a server with the duties, and a reader of --plain.

// machine is a pretended machine with a workspace.
type machine struct {
	t     *testing.T
	dir   string
	file  string
	now   clocks
	procs []*proc // that are stopped together
}

// proc is a real process on it.
type proc struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	mu    sync.Mutex
	said  bytes.Buffer // stdout and stderr
	ended chan error
}

func (p *proc) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(b)
}

func (p *proc) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, dir: t.TempDir()}
	m.file = filepath.Join(t.TempDir(), "clocks")
	m.set()
	m.run(0, "init")
	return m
}

// set writes the clocks down, whole for whoever reads them.
func (m *machine) set() {
	m.t.Helper()
	raw, err := json.Marshal(m.now)
	if err == nil {
		err = os.WriteFile(m.file+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(m.file+".new", m.file)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), clocksVar+"="+m.file, "HOME="+m.dir, "XDG_STATE_HOME="+m.dir, "BINNACLE_WORKSPACE=", "BINNACLE_JSON=",
		"BINNACLE_PRODUCER=tester")
	return cmd
}

// run runs a command to its end and returns what it wrote to stdout.
func (m *machine) run(want int, args ...string) string {
	m.t.Helper()
	cmd := m.command("binnacle-machine", args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != want {
		m.t.Fatalf("binnacle %q: %v, not %d; it says %s%s", args, err, want, out.String(), stderr.String())
	}
	return out.String()
}

// begin starts a process that is stopped with the machine.
func (m *machine) begin(name string, args ...string) *proc {
	m.t.Helper()
	p := &proc{cmd: m.command(name, args...), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	m.procs = append(m.procs, p)
	m.t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		_ = p.cmd.Process.Kill()
	})
	return p
}

// until waits for what must come.
func (m *machine) until(what string, ok func() bool) {
	m.t.Helper()
	end := time.Now().Add(60 * time.Second)
	for !ok() {
		if time.Now().After(end) {
			var said strings.Builder
			for _, p := range m.procs {
				text := p.text()
				said.WriteString("\n" + strings.Join(p.cmd.Args, " ") + ": " + text[max(0, len(text)-2000):])
			}
			m.t.Fatalf("never: %s%s", what, said.String())
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

func (m *machine) says(p *proc, text string) {
	m.t.Helper()
	m.until(text, func() bool { return strings.Contains(p.text(), text) })
}

// ends waits for a process and returns its exit status.
func (m *machine) ends(p *proc) int {
	m.t.Helper()
	m.until("the end of "+strings.Join(p.cmd.Args, " "), func() bool { return len(p.ended) > 0 })
	<-p.ended
	for i, x := range m.procs {
		if x == p {
			m.procs = append(m.procs[:i:i], m.procs[i+1:]...)
			break
		}
	}
	return p.cmd.ProcessState.ExitCode()
}

// rival is a process that waits for the lane, once it looks at the database.
func (m *machine) rival() *proc {
	m.t.Helper()
	p := m.begin("binnacle-machine", "queue", "next", "--wait", "10m", "--consumer", "rival")
	m.until("the rival waits", func() bool {
		fds, _ := filepath.Glob("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/fd/*")
		for _, fd := range fds {
			if name, err := os.Readlink(fd); err == nil && strings.HasSuffix(name, "binnacle.db") {
				return true
			}
		}
		return false
	})
	return p
}

// whileStopped stops every process, moves the clocks, and lets them go on. The
// time that this really takes did not pass on the machine.
func (m *machine) whileStopped(wall, up, awake time.Duration) {
	m.t.Helper()
	began := time.Now()
	for _, p := range m.procs {
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			m.t.Fatal(err)
		}
	}
	for _, p := range m.procs {
		m.until("everything is stopped", func() bool {
			raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/stat")
			if err != nil {
				m.t.Fatal(err)
			}
			_, state, _ := strings.Cut(string(raw), ") ")
			return strings.HasPrefix(state, "T")
		})
	}
	took := time.Since(began)
	m.now.Wall += wall - took
	m.now.Up += up - took
	m.now.Awake += awake - took
	m.set()
	for _, p := range m.procs {
		if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *machine) status(id int) string {
	m.t.Helper()
	raw := m.run(0, "queue", "show", strconv.Itoa(id))
	var v struct {
		Status  string `json:"status"`
		TakenBy string `json:"taken_by"`
	}
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		m.t.Fatal(err)
	}
	return v.Status + " " + v.TakenBy
}

func TestASleepingMachineLosesNoLease(t *testing.T) {
	const day = 24 * time.Hour
	m := newMachine(t)
	m.run(0, "queue", "push", "-b", "held work") // #1
	holder := m.begin("binnacle-holder")
	m.says(holder, "holds 1")
	server := m.begin("binnacle-machine", "serve")
	m.says(server, "holding the duties")
	plain := m.begin("binnacle-machine", "--plain", "--every", "200ms")
	m.says(plain, `"type":"snapshot"`)
	m.run(0, "queue", "push", "-b", "after the night", "--lane", "later", "--for", "2h") // #2

	// What each of them does once it has looked at the clocks again: the server
	// promotes what waited for the wall clock, and the rival takes what is new,
	// though the claim came first.
	next := 2
	kept := func(what string) {
		t.Helper()
		next++
		m.run(0, "queue", "push", "-b", "new work "+what, "--priority", "P2")
		rival := m.procs[len(m.procs)-1]
		if status := m.ends(rival); status != 0 || rival.text() != "new work "+what {
			t.Errorf("after %s the rival ends with %d and has %q", what, status, rival.text())
		}
		if got := m.status(1); got != "taken holder" {
			t.Errorf("after %s the claim is %s", what, got)
		}
		m.run(0, "queue", "done", strconv.Itoa(next), "--force")
	}

	m.rival()
	m.whileStopped(8*time.Hour, 8*time.Hour, 0) // a night asleep
	m.until("the server promotes", func() bool { return strings.HasPrefix(m.status(2), "pending") })
	kept("a night asleep")

	m.rival()
	m.whileStopped(2*day+time.Minute, 0, 0) // somebody sets the clock
	m.says(plain, "the clock was set forward by 2 d 0 h")
	m.says(server, "the clock was set forward by 2 d 0 h")
	kept("a clock set forward")

	m.rival()
	m.whileStopped(-5*day-2*time.Minute, 0, 0)
	m.says(plain, "the clock was set back by 3 d 0 h")
	m.says(server, "the clock was set back by 3 d 0 h")
	kept("a clock set back")
	if got := m.run(0, "status", "--no-json"); !strings.Contains(got, "the clock is 5 d 0 h behind the newest event") {
		t.Errorf("status does not say that the clock is behind:\n%s", got)
	}

	m.rival()
	m.whileStopped(30*time.Minute, 30*time.Minute, 30*time.Minute) // half of the lease is over
	kept("half an hour")

	if _, err := io.WriteString(holder.stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	if status := m.ends(holder); status != 0 {
		t.Errorf("the holder's done ends with %d: %s", status, holder.text())
	}

	// A lease that really ran out goes to the rival.
	m.run(0, "queue", "push", "-b", "given up")
	holder = m.begin("binnacle-holder")
	m.says(holder, "holds")
	rival := m.rival()
	m.whileStopped(61*time.Minute, 61*time.Minute, 61*time.Minute)
	m.run(0, "emit", "a/b", "{}") // whoever trusts a timer looks
	if status := m.ends(rival); status != 0 || rival.text() != "given up" {
		t.Errorf("the rival ends with %d and has %q", status, rival.text())
	}
	if _, err := io.WriteString(holder.stdin, "\n"); err != nil {
		t.Fatal(err)
	}
	if status := m.ends(holder); status != 1 || !strings.Contains(holder.text(), "the token is not that of a current claim") {
		t.Errorf("the late holder's done ends with %d: %s", status, holder.text())
	}
}
