package fleet

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// core is what every part of a fleet stands on: who and where this is.
type core struct {
	opts   Options
	home   string                 // user's home, for the tools' settings
	system string                 // the root of the administrators' settings: "/"
	name   atomic.Pointer[string] // this machine's; RenewMachine changes it
	repo   *git.Repo
	dir    string // <state>/repos/<hash>
}

// userHome is the user's home, for this program's own state. Where HOME names
// none, as under some services, it is looked up, so that no report is lost for
// it; whose settings a tool reads then is not ours to say.
func (f *core) userHome() string {
	if home := f.variable("HOME"); filepath.IsAbs(home) {
		return home
	}
	find := f.opts.Home
	if find == nil {
		find = func() (string, error) {
			u, err := user.Current()
			if err != nil {
				return "", err
			}
			return u.HomeDir, nil
		}
	}
	if home, err := find(); err == nil && filepath.IsAbs(home) && statefile.Exists(home) {
		return home
	}
	return ""
}

// Machine is this machine's name.
func (f *core) Machine() string {
	if name := f.name.Load(); name != nil {
		return *name
	}
	return ""
}

// executor is the name under which this machine writes executor events.
func (f *core) executor() string {
	if f.opts.Executor != "" {
		return f.opts.Executor
	}
	return f.Machine()
}

// Root is the work tree, or the folder itself where there is no repository.
func (f *core) Root() string { return f.repo.Root }

func (f *core) variable(name string) string { return process.Environ(f.opts.Environ).Get(name) }

// Hooks are the tools' settings, as this work tree sees them.
func (f *core) Hooks() hooks.Settings {
	return hooks.Settings{
		Environ: f.opts.Environ, Home: f.home, System: f.system, Root: f.repo.Root, Called: f.opts.Called, StateDir: f.opts.StateDir,
	}
}

func (f *core) alarm(err error) {
	if f.opts.Alarm != nil {
		f.opts.Alarm("fleet", err)
	}
}

// machineName reads the user's machine name, or makes it once. Of several
// processes that make it, the first one's counts.
func machineName(stateDir string) (string, error) {
	path := filepath.Join(stateDir, "machine")
	for range 3 {
		raw, err := os.ReadFile(path)
		if err == nil {
			name := strings.TrimSpace(string(raw))
			return name, fleetmap.CheckMachine(name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", statefile.Error(err)
		}
		random := make([]byte, 7)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		if err := statefile.CreateOnce(path, fleetmap.NewMachine(random)+"\n"); err != nil {
			return "", err
		}
	}
	return "", model.Errorf(model.CodeInternal, "the machine's name can't be saved in %s", clean.Line(path))
}

// RenewMachine gives this user's machine another name, the way out of
// MACHINE_ID_CONFLICT: the state folder was copied to another machine. Other
// processes see it when they start again.
func (f *core) RenewMachine() (string, error) {
	if f.variable(machineVariable) != "" {
		return "", model.Errorf(model.CodeRefused, "%s names this machine, so it gets no other name", machineVariable).
			WithHint("give the variable another value, or unset it")
	}
	path := filepath.Join(f.opts.StateDir, "machine")
	if err := os.Rename(path, path+".former"); err != nil {
		return "", statefile.Error(err)
	}
	name, err := machineName(f.opts.StateDir)
	if err != nil {
		return "", err
	}
	f.name.Store(&name)
	return name, nil
}

func (f *core) now() model.Reading { return f.opts.Clock() }

func (f *core) producer(tool string) string { return tool + "@" + f.Machine() }

// own is the agent that signs here.
func (f *core) own() keys.Own {
	return keys.Own{
		Agent: f.opts.Agent, Machine: f.Machine(), KeyFile: f.opts.KeyFile, StateDir: f.opts.StateDir,
		Socket: f.variable("SSH_AUTH_SOCK"), Timeout: f.opts.ChildTimeout,
	}
}

func (f *core) registryFile() string {
	return filepath.Join(f.repo.Root, filepath.FromSlash(keys.RegistryPath))
}

// View is the change that this work tree is bound to, "" for none.
func (f *core) View() string { return f.bindings().Of(f.repo.Root).Change }

func (f *core) bindings() change.Bindings { return change.Bindings(filepath.Join(f.dir, "views")) }

// nameOfMachine is the variable's name, else the state folder's. Nothing is
// derived from the host unasked: ids and host names are cloned with images, and
// two homes on one host may be at work at once.
func (f *core) nameOfMachine() (string, error) {
	switch name := f.variable(machineVariable); name {
	case "":
		return machineName(f.opts.StateDir)
	case hostName:
		return hostMachine()
	default:
		if err := fleetmap.CheckMachine(name); err != nil {
			return "", model.Errorf(model.CodeUsage, "%s: %w", machineVariable, err).WithHint("%s", model.HintOf(err))
		}
		return name, nil
	}
}

// declared says whether the user said who this machine is. Then what stands
// under that name before the first push from a new home is an earlier run's.
func (f *core) declared() bool { return f.variable(machineVariable) != "" }

// machineVariable names this machine in the fleet, in place of the state
// folder's name: for runs whose home is thrown away, which would otherwise be a
// new machine each time. hostName as its value is a name that is made of the
// host's id, its host name and the user.
const (
	machineVariable = "BINNACLE_MACHINE"
	hostName        = "@host"
)

// hostMachine is the same for a user of a host, whatever their home is.
func hostMachine() (string, error) {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		raw, err := os.ReadFile(path)
		id := strings.TrimSpace(string(raw))
		if err != nil || len(id) < 16 {
			continue
		}
		host, err := os.Hostname()
		if err != nil {
			return "", model.Errorf(model.CodeInternal, "the host's name can't be read: %w", err)
		}
		sum := sha256.Sum256([]byte("binnacle machine\x00" + id + "\x00" + host + "\x00" + strconv.Itoa(os.Getuid())))
		return fleetmap.NewMachine(sum[:7]), nil
	}
	return "", model.Errorf(model.CodeUsage, "this host has no id, so %s=%s names nothing", machineVariable, hostName).
		WithHint("set %s to a name of your choice", machineVariable)
}
