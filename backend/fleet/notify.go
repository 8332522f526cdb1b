package fleet

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"

	"github.com/pelletier/go-toml/v2"
)

// notifyTime is how long a notify command has.
const notifyTime = 5 * time.Second

// notifier runs the notify command, where it may run.
type notifier struct {
	*core

	mu   sync.Mutex // guards lost
	lost int64
}

// notifyCommand is the configured command: the one from Options, or [notify]
// command of the repository's own .bay/config.toml, which is never trusted by
// itself.
func (f *notifier) notifyCommand() Notify {
	if f.opts.Notify.Command != "" {
		return f.opts.Notify
	}
	path := filepath.Join(f.repo.Root, ".bay", "config.toml")
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) > 1<<20 {
		return Notify{}
	}
	var c struct {
		Notify struct {
			Command string `toml:"command"`
		} `toml:"notify"`
	}
	if toml.Unmarshal(clean.CutBOM(raw), &c) != nil {
		return Notify{}
	}
	return Notify{Command: c.Notify.Command, File: path}
}

// notify runs the notify command for an event that this executor wrote: once,
// with the event on stdin, only PATH and HOME, and 5 seconds. Exit 0 is
// delivered; anything else is lost, counted, and never tried again, for the
// event stands in the log.
func (f *notifier) notify(ctx context.Context, e fleetmap.BayEvent) {
	n := f.notifyCommand()
	if n.Command == "" {
		return
	}
	err := f.trusted(n)
	if err == nil {
		var raw []byte
		if raw, err = e.Encode(); err == nil {
			err = f.deliver(ctx, n.Command, raw)
		}
	}
	if err != nil {
		f.mu.Lock()
		f.lost++
		f.mu.Unlock()
		f.alarm(err)
	}
}

// Lost is how many notices were not delivered since this Fleet was opened.
func (f *notifier) Lost() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

func (f *notifier) deliver(ctx context.Context, command string, event []byte) error {
	argv := strings.Fields(command)
	if len(argv) == 0 {
		return nil
	}
	program, err := f.notifyProgram(argv[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	cmd := exec.Command(program, argv[1:]...)
	cmd.Dir = f.repo.Root
	cmd.Env = []string{"PATH=" + f.variable("PATH"), "HOME=" + f.home}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), io.Discard, io.Discard
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = process.Grace + time.Second
	if err := cmd.Start(); err != nil {
		return model.Errorf(model.CodeInternal, "the notify command can't be started: %w", err)
	}
	err = process.Await(ctx, cmd, nil)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left running
	switch {
	case ctx.Err() != nil:
		return model.Errorf(model.CodeTimeout, "a notice was lost: the notify command did not end within 5 seconds")
	case err != nil:
		return model.Errorf(model.CodeInternal, "a notice was lost: the notify command failed: %w", err)
	}
	return nil
}

// notifyProgram finds the program: a path in the repository, links resolved,
// or a name on PATH.
func (f *notifier) notifyProgram(name string) (string, error) {
	if !strings.Contains(name, "/") {
		for _, dir := range filepath.SplitList(f.variable("PATH")) {
			p := filepath.Join(dir, name)
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(p) {
				return p, nil
			}
		}
		return "", model.Errorf(model.CodeInternal, "the notify command %s is not on PATH", clean.Line(name))
	}
	path := statefile.Resolve(f.repo.Root, name)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", model.Errorf(model.CodeInternal, "the notify command is not there: %w", err)
	}
	if rel, err := filepath.Rel(f.repo.Root, real); !filepath.IsAbs(name) && (err != nil || strings.HasPrefix(rel, "..")) {
		return "", model.Errorf(model.CodeUntrusted, "the notify command leads out of the repository")
	}
	return real, nil
}

func (f *notifier) programBytes(command string) []byte {
	argv := strings.Fields(command)
	if len(argv) == 0 {
		return nil
	}
	program, err := f.notifyProgram(argv[0])
	if err != nil {
		return []byte("none: " + argv[0])
	}
	return fileOrNone(program)
}

func fileOrNone(path string) []byte {
	// Opening a pipe would wait for a writer.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return []byte("none")
	}
	file, err := os.Open(path)
	if err != nil {
		return []byte("none")
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, 64<<20))
	if err != nil {
		return []byte("none")
	}
	return raw
}
