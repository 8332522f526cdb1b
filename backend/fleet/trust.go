package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"binnacle/backend/fleet/git"
	"binnacle/model"
	"binnacle/model/clean"
)

// trustHash stands for the command, the configuration it is in, the program's
// own bytes, and every file of the repository that the command names: a change
// of any of them asks again.
func (f *notifier) trustHash(n Notify) (string, error) {
	files, err := f.repo.CommandHash(n.Command)
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
func (f *notifier) trusted(n Notify) error {
	if n.Trusted {
		return nil
	}
	t, err := f.repo.ReadTrusts()
	if err != nil {
		return err
	}
	hash, err := f.trustHash(n)
	if err != nil {
		return err
	}
	if t[f.dir] != hash {
		return model.Errorf(model.CodeUntrusted, "the repository's notify command was not run: nobody here trusts it as it is now").
			WithHint("look at %s, then: binnacle trust", clean.Line(n.File))
	}
	return nil
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
func (f *notifier) Trust(ctx context.Context) (Trusted, error) {
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
		if programs, err = f.repo.ProgramsHash(list); err != nil {
			return out, err
		}
	}
	out.Trusted = true
	return out, f.repo.ChangeTrusts(func(t git.Trusts) {
		for name, hash := range map[string]string{f.dir: command, f.repo.GitTrust(): programs} {
			if delete(t, name); hash != "" {
				t[name] = hash
			}
		}
	})
}

// trustable lists what could be trusted.
func (f *notifier) trustable(ctx context.Context) (Trusted, []git.Setting, error) {
	out := Trusted{Command: f.notifyCommand().Command, Settings: []string{}}
	if f.repo.Common == "" {
		return out, nil, nil
	}
	config, err := f.repo.ReadConfig(ctx)
	if err != nil {
		return out, nil, err
	}
	list := f.repo.Programs(config)
	for _, s := range list {
		out.Settings = append(out.Settings, clean.Line(s.Key+"="+git.HideSecret(s.Value)))
	}
	return out, list, nil
}

// Untrust forgets what Trust recorded for this repository.
func (f *notifier) Untrust() error {
	return f.repo.ChangeTrusts(func(t git.Trusts) {
		delete(t, f.dir)
		delete(t, f.repo.GitTrust())
	})
}

// NotifyState says whether the notify command would run: "" command is none.
func (f *notifier) NotifyState() (command string, runs bool) {
	n := f.notifyCommand()
	var untrusted *model.Error
	return n.Command, n.Command != "" && !errors.As(f.trusted(n), &untrusted)
}
