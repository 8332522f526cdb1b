//go:build linux

package command_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// takenAway are the ways in which a workspace goes from under a process.
var takenAway = map[string]func(t *testing.T, dir string){
	"deleted": func(t *testing.T, dir string) {
		err := os.RemoveAll(filepath.Join(dir, ".binnacle"))
		for range 1000 { // the process may be making a file in it just now
			if err == nil {
				break
			}
			err = os.RemoveAll(filepath.Join(dir, ".binnacle"))
		}
		must(t, err)
	},
	"moved": func(t *testing.T, dir string) {
		must(t, os.Rename(filepath.Join(dir, ".binnacle"), filepath.Join(dir, "elsewhere")))
	},
	"replaced": func(t *testing.T, dir string) {
		other := t.TempDir()
		workspaceIn(t, other)
		must(t, os.Rename(filepath.Join(dir, ".binnacle"), filepath.Join(dir, "elsewhere")))
		must(t, os.Rename(filepath.Join(other, ".binnacle"), filepath.Join(dir, ".binnacle")))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A process that goes on without its workspace says so and ends with an error,
// and acknowledges nothing after the removal.
func TestGroundGoes(t *testing.T) {
	t.Parallel()
	for how, take := range takenAway {
		for _, what := range []string{"emit", "plain", "serve", "next"} {
			t.Run(what+" "+how, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				workspaceIn(t, dir)
				args := map[string][]string{
					"emit":  {"emit", "t", "--kind", "note", "--stdin", "--ack"},
					"plain": {"--plain"},
					"serve": {"serve"},
					"next":  {"queue", "next", "--wait", "80s"},
				}[what]
				p := beginProcess(t, dir, args...)
				switch what {
				case "emit":
					p.write(`{"text":"before"}`)
					p.says(`"last":1`)
				case "plain":
					p.says(`"type":"snapshot"`)
				case "serve":
					p.says("holding the duties")
				case "next":
					p.holds(filepath.Join(dir, ".binnacle", "binnacle.db-shm"))
				}
				take(t, dir)
				if what == "emit" {
					p.write(`{"text":"after"}`)
				}
				p.fails()
				out := p.text()
				if !strings.Contains(out, "the workspace was") || !strings.Contains(out, "while it was open here") {
					t.Errorf("it says %q", out)
				}
				if what == "emit" && (strings.Contains(out, `"last":2`) || strings.Contains(out, `"accepted":2`)) {
					t.Errorf("what came after the removal was acknowledged: %s", out)
				}
				if what == "plain" && !strings.Contains(out, `"type":"error","code":"GONE"`) {
					t.Errorf("no error line: %s", out)
				}
			})
		}
		t.Run("cockpit "+how, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			workspaceIn(t, dir)
			s := begin(t, sessionOptions{dir: dir})
			s.shows("live", "2 Planes")
			take(t, dir)
			s.shows("gone", "R opens it anew")
			s.send("R")
			if how == "replaced" {
				s.shows("live", "2 Planes")
				return
			}
			s.shows("No workspace here")
		})
	}
}

// process is a run of the program whose output is read as it comes.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bytes.Buffer
	lines chan string
	ended chan error
}

func beginProcess(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(built(t), args...)
	cmd.Dir, cmd.Env = dir, cleanEnv(dir)
	r, w, err := os.Pipe()
	must(t, err)
	cmd.Stdout, cmd.Stderr = w, w
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	_ = w.Close()
	p := &process{t: t, cmd: cmd, in: in, out: &bytes.Buffer{}, lines: make(chan string, 1000), ended: make(chan error, 1)}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := r.Read(buf)
			if n > 0 {
				p.lines <- string(buf[:n])
			}
			if err != nil {
				close(p.lines)
				p.ended <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = in.Close()
		for range p.lines {
		}
	})
	return p
}

func (p *process) write(line string) {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

// says waits until the text stands in the output.
func (p *process) says(text string) {
	p.t.Helper()
	over := time.After(patience)
	for !strings.Contains(p.out.String(), text) {
		select {
		case s, ok := <-p.lines:
			if p.out.WriteString(s); !ok {
				p.t.Fatalf("it ended without %q: %s", text, p.out)
			}
		case <-over:
			p.t.Fatalf("no %q in %s", text, p.out)
		}
	}
}

// holds waits until the process has the file open.
func (p *process) holds(path string) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.cmd.Process.Pid))
		for _, fd := range fds {
			if to, err := os.Readlink(fd); err == nil && to == path {
				return
			}
		}
	}
	p.t.Fatalf("it never opened %s", path)
}

// fails waits until the process has ended with a status that is not 0.
func (p *process) fails() {
	p.t.Helper()
	over := time.After(patience)
	for {
		select {
		case s, ok := <-p.lines:
			p.out.WriteString(s)
			if !ok {
				if err := <-p.ended; err == nil {
					p.t.Errorf("it ended with 0: %s", p.out)
				}
				return
			}
		case <-over:
			p.t.Fatalf("it goes on: %s", p.out)
		}
	}
}

func (p *process) text() string { return p.out.String() }
