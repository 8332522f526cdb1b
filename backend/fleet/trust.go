package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"time"

	"binnacle/model"
)

// trusts is trust.json: by repository, what may run there.
type trusts map[string]string

func (f *Fleet) trustPath() string { return filepath.Join(f.opts.StateDir, "trust.json") }

// gitTrust is under which name the repository's Git settings are trusted.
func (f *Fleet) gitTrust() string { return f.dir + " git" }

// trustHash stands for the command, the configuration it is in, the program's
// own bytes, and every file of the repository that the command names: a change
// of any of them asks again.
func (f *Fleet) trustHash(n Notify) (string, error) {
	files, err := f.commandHash(n.Command)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(n.Command), fileOrNone(n.File), f.programBytes(n.Command), []byte(files)} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// trusted is nil where the notify command may run as it is.
func (f *Fleet) trusted(n Notify) error {
	if n.Trusted {
		return nil
	}
	t := trusts{}
	if err := readJSON(f.trustPath(), &t); err != nil {
		return err
	}
	hash, err := f.trustHash(n)
	if err != nil {
		return err
	}
	if t[f.dir] != hash {
		return model.Errorf(model.CodeUntrusted, "the repository's notify command was not run: nobody here trusts it as it is now").
			WithHint("look at %s, then: binnacle trust", model.Clean(n.File))
	}
	return nil
}

// trustsPrograms says whether the repository's own Git settings that run
// programs are trusted as they are.
func (f *Fleet) trustsPrograms(list []setting) (bool, error) {
	t := trusts{}
	if err := readJSON(f.trustPath(), &t); err != nil || t[f.gitTrust()] == "" {
		return false, err
	}
	hash, err := f.programsHash(list)
	return err == nil && t[f.gitTrust()] == hash, nil
}

// Trusted is what Trust recorded.
type Trusted struct {
	Command  string   `json:"command"`  // the notify command, "" for none
	Settings []string `json:"settings"` // the repository's Git settings that run programs, as name=value
	Trusted  bool     `json:"trusted"`
}

// Trust records that this repository's notify command, and the Git settings of
// its own that run programs, may run as they are now, and returns them.
// Untrust takes that back.
func (f *Fleet) Trust(ctx context.Context) (Trusted, error) {
	out, list, err := f.trustable(ctx)
	if err != nil {
		return out, err
	}
	if out.Command == "" && len(list) == 0 {
		return out, model.Errorf(model.CodeEmpty, "this repository has no notify command, and no Git setting that runs a program")
	}
	command, programs := "", ""
	if out.Command != "" {
		if command, err = f.trustHash(f.notifyCommand()); err != nil {
			return out, err
		}
	}
	if len(list) > 0 {
		if programs, err = f.programsHash(list); err != nil {
			return out, err
		}
	}
	out.Trusted = true
	return out, f.changeTrust(func(t trusts) {
		for name, hash := range map[string]string{f.dir: command, f.gitTrust(): programs} {
			if delete(t, name); hash != "" {
				t[name] = hash
			}
		}
	})
}

// trustable lists what could be trusted.
func (f *Fleet) trustable(ctx context.Context) (Trusted, []setting, error) {
	out := Trusted{Command: f.notifyCommand().Command, Settings: []string{}}
	if f.repo.common == "" {
		return out, nil, nil
	}
	config, err := f.readConfig(ctx)
	if err != nil {
		return out, nil, err
	}
	list := f.programs(config)
	for _, s := range list {
		out.Settings = append(out.Settings, model.Clean(s.key+"="+hideSecret(s.value)))
	}
	return out, list, nil
}

// Untrust forgets what Trust recorded for this repository.
func (f *Fleet) Untrust() error {
	return f.changeTrust(func(t trusts) {
		delete(t, f.dir)
		delete(t, f.gitTrust())
	})
}

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
