package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"binnacle/model"

	"github.com/pelletier/go-toml/v2"
)

// notifyTime is how long a notify command has.
const notifyTime = 5 * time.Second

// notifyCommand is the configured command: the one from Options, or [notify]
// command of the repository's own .bay/config.toml, which is never trusted by
// itself.
func (f *Fleet) notifyCommand() Notify {
	if f.opts.Notify.Command != "" {
		return f.opts.Notify
	}
	path := filepath.Join(f.repo.root, ".bay", "config.toml")
	raw, err := os.ReadFile(path)
	if err != nil || len(raw) > 1<<20 {
		return Notify{}
	}
	var c struct {
		Notify struct {
			Command string `toml:"command"`
		} `toml:"notify"`
	}
	if toml.Unmarshal(model.CutBOM(raw), &c) != nil {
		return Notify{}
	}
	return Notify{Command: c.Notify.Command, File: path}
}

// notify runs the notify command for an event that this executor wrote: once,
// with the event on stdin, only PATH and HOME, and 5 seconds. Exit 0 is
// delivered; anything else is lost, counted, and never tried again, for the
// event stands in the log.
func (f *Fleet) notify(ctx context.Context, e model.BayEvent) {
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
func (f *Fleet) Lost() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

func (f *Fleet) deliver(ctx context.Context, command string, event []byte) error {
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
	cmd.Dir = f.repo.root
	cmd.Env = []string{"PATH=" + f.variable("PATH"), "HOME=" + f.home}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), io.Discard, io.Discard
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = childGrace + time.Second
	if err := cmd.Start(); err != nil {
		return model.Errorf(model.CodeInternal, "the notify command can't be started: %w", err)
	}
	err = f.await(ctx, cmd, nil)
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
func (f *Fleet) notifyProgram(name string) (string, error) {
	if !strings.Contains(name, "/") {
		for _, dir := range filepath.SplitList(f.variable("PATH")) {
			p := filepath.Join(dir, name)
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(p) {
				return p, nil
			}
		}
		return "", model.Errorf(model.CodeInternal, "the notify command %s is not on PATH", model.Clean(name))
	}
	path := resolveFrom(f.repo.root, name)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", model.Errorf(model.CodeInternal, "the notify command is not there: %w", err)
	}
	if rel, err := filepath.Rel(f.repo.root, real); !filepath.IsAbs(name) && (err != nil || strings.HasPrefix(rel, "..")) {
		return "", model.Errorf(model.CodeUntrusted, "the notify command leads out of the repository")
	}
	return real, nil
}

// trusts is trust.json: by repository, what may run there.
type trusts map[string]string

func (f *Fleet) trustPath() string { return filepath.Join(f.opts.StateDir, "trust.json") }

// trustHash stands for the command, the configuration it is in, and the
// program's own bytes: a change of any of them asks again.
func (f *Fleet) trustHash(n Notify) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(n.Command), fileOrNone(n.File), f.programBytes(n.Command)} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (f *Fleet) programBytes(command string) []byte {
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

func (f *Fleet) trusted(n Notify) error {
	if n.Trusted {
		return nil
	}
	t := trusts{}
	if err := readJSON(f.trustPath(), &t); err != nil {
		return err
	}
	if t[f.dir] != f.trustHash(n) {
		return model.Errorf(model.CodeUntrusted, "the repository's notify command was not run: nobody here trusts it as it is now").
			WithHint("look at %s, then: binnacle trust", model.Clean(n.File))
	}
	return nil
}

// Trust records that this repository's notify command, as it is now, may run,
// and returns it. Untrust takes that back.
func (f *Fleet) Trust() (string, error) {
	n := f.notifyCommand()
	if n.Command == "" {
		return "", model.Errorf(model.CodeEmpty, "this repository has no notify command")
	}
	return n.Command, f.changeTrust(func(t trusts) { t[f.dir] = f.trustHash(n) })
}

// Untrust forgets what Trust recorded for this repository.
func (f *Fleet) Untrust() error { return f.changeTrust(func(t trusts) { delete(t, f.dir) }) }

func (f *Fleet) changeTrust(change func(trusts)) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	l, err := lock(ctx, f.trustPath()+".lock")
	if err != nil {
		return err
	}
	defer l.unlock()
	t := trusts{}
	if err := readJSON(f.trustPath(), &t); err != nil {
		return err
	}
	change(t)
	return writeJSON(f.trustPath(), t)
}

// NotifyState says whether the notify command would run: "" command is none.
func (f *Fleet) NotifyState() (command string, runs bool) {
	n := f.notifyCommand()
	var untrusted *model.Error
	return n.Command, n.Command != "" && !errors.As(f.trusted(n), &untrusted)
}
