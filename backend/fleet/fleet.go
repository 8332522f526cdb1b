package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
)

// DefaultPrefix is where the fleet's refs stand on the remote.
const DefaultPrefix = "refs/bay"

// Options say where a fleet is and how it behaves. Zero values mean the
// defaults that the comments name.
type Options struct {
	RepoDir  string                 // a folder of the user's work tree
	Called   string                 // how this program was called, for hooks that call it: os.Args[0]
	StateDir string                 // the user's state folder; $XDG_STATE_HOME/binnacle, ~/.local/state/binnacle
	Home     func() (string, error) // the user's home where HOME names none; the password file's
	Store    store.Store            // the workspace's ledger; nil: no local records
	Spool    string                 // where hooks write their reports first; <state>/repos/<hash>/hooks.spool where it can't be written, or is ""
	Clock    model.Clock            // clock.Machine()
	Environ  []string               // os.Environ(); what children get is chosen from it

	Remote string // the remote's name: origin
	Trunk  string // trunk's branch: the remote's HEAD
	Prefix string // DefaultPrefix
	Repo   string // the repository's name among machines: made from the URL (model.RepoName)

	// Redactor takes what looks like a secret out of what is recorded and
	// published; nil keeps everything as it comes.
	Redactor *model.Redactor

	// ShareTitles publishes what sessions are about and what they ask.
	ShareTitles bool

	Actor    string // the person or role that sessions are for
	Agent    string // the registry's name whose key signs; "" publishes unsigned
	KeyFile  string // that agent's private key, or a .pub whose key ssh-agent holds; <state>/keys/<agent>
	Executor string // the name under which this machine writes executor events: the machine's

	Window       time.Duration // model.DefaultWindow
	Heartbeat    time.Duration // model.DefaultHeartbeat
	FetchEvery   time.Duration // how often Run fetches by itself: 30 s; negative: never
	ChildTimeout time.Duration // 30 s
	// Offline asks the remote nothing, as --read-only wants it: Fetch is
	// refused (model.CodeReadOnly), and what reads takes the last fetch.
	Offline bool

	Notify Notify

	// Spawn starts `fleet push --due` detached, for a hook where nobody holds
	// the workspace's duties. nil: this program's own binary, so named.
	Spawn func() error
	// Alarm hears of what failed in the background, and of its end (nil). It
	// must not block.
	Alarm func(engine string, err error)
}

// Notify is the [notify] section of a configuration.
type Notify struct {
	Command string // a program of the repository, with arguments
	File    string // the configuration that it stands in
	// Trusted says that the configuration is the user's own. Else the command
	// runs only after Trust recorded it.
	Trusted bool
}

// Fleet is one repository's part in a fleet, as one process sees it. Its
// methods may be called at the same time.
type Fleet struct {
	opts   Options
	home   string                 // user's home, for the tools' settings
	system string                 // the root of the administrators' settings: "/"
	name   atomic.Pointer[string] // this machine's; RenewMachine changes it
	repo   *git.Repo
	dir    string // <state>/repos/<hash>

	rowReads    atomic.Int64 // how often the sessions' rows were read
	folderWalks atomic.Int64 // and the machine's other workspaces' parts

	mu     sync.Mutex // guards what follows
	remote *git.Remote
	lost   int64
	memory memory
	rows   keptRows
	agents keptAgents
	others keptSources
	tried  *model.Reading // when the configuration was last read in vain
	asked  struct {       // the state as the fetching duty read it last
		stamp statefile.Stamp
		state *fetched
	}
}

// Open makes a Fleet. It starts no process and touches no network: a hook
// opens one for each event.
func Open(opts Options) (*Fleet, error) {
	f := &Fleet{opts: opts}
	if f.opts.Environ == nil {
		f.opts.Environ = os.Environ()
	}
	if f.opts.Clock == nil {
		f.opts.Clock = clock.Machine()
	}
	setDefault(&f.opts.Remote, "origin")
	setDefault(&f.opts.Prefix, DefaultPrefix)
	setDefault(&f.opts.Window, model.DefaultWindow)
	setDefault(&f.opts.Heartbeat, model.DefaultHeartbeat)
	setDefault(&f.opts.FetchEvery, 30*time.Second)
	setDefault(&f.opts.ChildTimeout, 30*time.Second)
	if err := git.CheckPrefix(f.opts.Prefix); err != nil {
		return nil, err
	}
	if strings.ContainsAny(f.opts.Trunk, " ~^:?*[\\") || model.Clean(f.opts.Trunk) != f.opts.Trunk || strings.HasPrefix(f.opts.Trunk, "-") {
		return nil, model.Errorf(model.CodeUsage, "%q is no branch's name", model.Clean(f.opts.Trunk))
	}
	if len(f.opts.Repo) > 256 || model.Clean(f.opts.Repo) != f.opts.Repo {
		return nil, model.Errorf(model.CodeUsage, "the repository's name is no clean text of at most 256 bytes").WithHint("set [fleet] repo anew")
	}
	if f.opts.Agent != "" {
		if err := model.CheckMachine(f.opts.Agent); err != nil {
			return nil, model.Errorf(model.CodeUsage, "the agent's name: %w", err)
		}
	}
	f.home, f.system = f.variable("HOME"), "/"
	if f.opts.StateDir == "" {
		base, home := f.variable("XDG_STATE_HOME"), f.home
		if !filepath.IsAbs(base) {
			home = f.userHome()
		}
		if !filepath.IsAbs(base) && !filepath.IsAbs(home) {
			return nil, model.Errorf(model.CodeRefused, "neither HOME nor XDG_STATE_HOME names a folder, so the fleet has no place for its state").
				WithHint("set HOME")
		}
		if !filepath.IsAbs(base) {
			base = filepath.Join(home, ".local", "state")
		}
		f.opts.StateDir = filepath.Join(base, "binnacle")
	}
	var err error
	if f.opts.StateDir, err = filepath.Abs(f.opts.StateDir); err != nil {
		return nil, statefile.Error(err)
	}
	tree, err := git.FindTree(opts.RepoDir)
	if err != nil {
		return nil, err
	}
	f.repo, err = git.Open(tree, git.Options{
		Environ: f.opts.Environ, StateDir: f.opts.StateDir, ChildTimeout: f.opts.ChildTimeout,
		Remote: f.opts.Remote, Trunk: f.opts.Trunk, Prefix: f.opts.Prefix, Name: f.opts.Repo,
	})
	if err != nil {
		return nil, err
	}
	f.dir = f.repo.Dir
	name, err := f.nameOfMachine()
	if err != nil {
		return nil, err
	}
	f.name.Store(&name)
	return f, model.CheckMachine(f.executor())
}

// userHome is the user's home, for this program's own state. Where HOME names
// none, as under some services, it is looked up, so that no report is lost for
// it; whose settings a tool reads then is not ours to say.
func (f *Fleet) userHome() string {
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
func (f *Fleet) Machine() string {
	if name := f.name.Load(); name != nil {
		return *name
	}
	return ""
}

// executor is the name under which this machine writes executor events.
func (f *Fleet) executor() string {
	if f.opts.Executor != "" {
		return f.opts.Executor
	}
	return f.Machine()
}

// Root is the work tree, or the folder itself where there is no repository.
func (f *Fleet) Root() string { return f.repo.Root }

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

func (f *Fleet) variable(name string) string { return process.Environ(f.opts.Environ).Get(name) }

// Hooks are the tools' settings, as this work tree sees them.
func (f *Fleet) Hooks() hooks.Settings {
	return hooks.Settings{
		Environ: f.opts.Environ, Home: f.home, System: f.system, Root: f.repo.Root, Called: f.opts.Called, StateDir: f.opts.StateDir,
	}
}

func (f *Fleet) alarm(err error) {
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
			return name, model.CheckMachine(name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", statefile.Error(err)
		}
		random := make([]byte, 7)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		if err := statefile.CreateOnce(path, model.NewMachine(random)+"\n"); err != nil {
			return "", err
		}
	}
	return "", model.Errorf(model.CodeInternal, "the machine's name can't be kept in %s", model.Clean(path))
}

// RenewMachine gives this user's machine another name, the way out of
// MACHINE_ID_CONFLICT: the state folder was copied to another machine. Other
// processes see it when they start again.
func (f *Fleet) RenewMachine() (string, error) {
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

// remoteFor is the remote, with the folder of the rows that this machine's
// workspaces share on it. It costs one git process.
func (f *Fleet) remoteFor(ctx context.Context) (*git.Remote, error) {
	r, err := f.repo.Remote(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.remote = r
	f.mu.Unlock()
	return r, statefile.MakeDir(filepath.Join(r.Dir, "rows"))
}

func (f *Fleet) now() model.Reading { return f.opts.Clock() }
