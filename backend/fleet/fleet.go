package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
	"binnacle/model/redact"
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
	Redactor *redact.Redactor

	// ShareTitles publishes what sessions are about and what they ask.
	ShareTitles bool

	Actor    string // the person or role that sessions and changes are for
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
// methods may be called at the same time. It is put together of parts, none of
// which sees the whole.
type Fleet struct {
	*core
	*book
	*mirror
	*publisher
	*notifier
}

// Open makes a Fleet. It starts no process and touches no network: a hook
// opens one for each event.
func Open(opts Options) (*Fleet, error) {
	f := &core{opts: opts}
	if f.opts.Environ == nil {
		f.opts.Environ = os.Environ()
	}
	if f.opts.Clock == nil {
		f.opts.Clock = clock.Machine()
	}
	setDefault(&f.opts.Remote, "origin")
	setDefault(&f.opts.Prefix, DefaultPrefix)
	setDefault(&f.opts.Window, fleetmap.DefaultWindow)
	setDefault(&f.opts.Heartbeat, fleetmap.DefaultHeartbeat)
	setDefault(&f.opts.FetchEvery, 30*time.Second)
	setDefault(&f.opts.ChildTimeout, 30*time.Second)
	if err := git.CheckPrefix(f.opts.Prefix); err != nil {
		return nil, err
	}
	if strings.ContainsAny(f.opts.Trunk, " ~^:?*[\\") || clean.Line(f.opts.Trunk) != f.opts.Trunk || strings.HasPrefix(f.opts.Trunk, "-") {
		return nil, model.Errorf(model.CodeUsage, "%q is not a branch name", clean.Line(f.opts.Trunk))
	}
	if len(f.opts.Repo) > 256 || clean.Line(f.opts.Repo) != f.opts.Repo {
		return nil, model.Errorf(model.CodeUsage, "the repository's name must be clean text of at most 256 bytes").WithHint("set [fleet] repo anew")
	}
	if f.opts.Agent != "" {
		if err := fleetmap.CheckMachine(f.opts.Agent); err != nil {
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
	if err := fleetmap.CheckMachine(f.executor()); err != nil {
		return nil, err
	}
	b, m := &book{core: f}, &mirror{core: f}
	return &Fleet{core: f, book: b, mirror: m, publisher: &publisher{f, b, m}, notifier: &notifier{core: f}}, nil
}

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}
