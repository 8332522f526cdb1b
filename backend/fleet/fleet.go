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
	"binnacle/backend/scratch"
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
	opts    Options
	home    string                 // user's home, for the tools' settings
	system  string                 // the root of the administrators' settings: "/"
	name    atomic.Pointer[string] // this machine's; RenewMachine changes it
	repo    repository
	dir     string // <state>/repos/<hash>
	started atomic.Int64

	rowReads    atomic.Int64 // how often the sessions' rows were read
	folderWalks atomic.Int64 // and the machine's other workspaces' parts

	mu     sync.Mutex // guards what follows
	remote *remote
	lost   int64
	memory memory
	rows   keptRows
	agents keptAgents
	others keptSources
	tried  *model.Reading // when the configuration was last read in vain
	asked  struct {       // the state as the fetching duty read it last
		stamp stamp
		state *fetched
	}
}

// repository is the user's repository as its folders say, without a git
// process.
type repository struct {
	root   string // the work tree, resolved; the folder itself where there is no repository
	common string // the folder that all work trees share, "" where there is no repository
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
	if err := checkPrefix(f.opts.Prefix); err != nil {
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
		return nil, folderError(err)
	}
	if f.repo, err = findRepository(opts.RepoDir); err != nil {
		return nil, err
	}
	key := f.repo.common
	if key == "" {
		key = f.repo.root
	}
	f.dir = filepath.Join(f.opts.StateDir, "repos", shortHash(key))
	if err := makeDir(f.dir); err != nil {
		return nil, err
	}
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
	if home, err := find(); err == nil && filepath.IsAbs(home) && exists(home) {
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
func (f *Fleet) Root() string { return f.repo.root }

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

func (f *Fleet) variable(name string) string {
	for _, kv := range f.opts.Environ {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			return v
		}
	}
	return ""
}

func (f *Fleet) alarm(err error) {
	if f.opts.Alarm != nil {
		f.opts.Alarm("fleet", err)
	}
}

// findRepository walks up to the folder that holds .git. A linked work tree's
// .git is a file that leads to its own folder, and that one's commondir to the
// shared one.
func findRepository(dir string) (repository, error) {
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return repository{}, model.Errorf(model.CodeUsage, "the folder %s can't be opened: %w", model.Clean(dir), err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		if common, ok := commonDir(filepath.Join(at, ".git")); ok {
			return repository{root: at, common: common}, nil
		}
		if at == filepath.Dir(at) {
			return repository{root: abs}, nil
		}
	}
}

func commonDir(dotGit string) (string, bool) {
	info, err := os.Stat(dotGit)
	if err != nil {
		return "", false
	}
	gitDir := dotGit
	if !info.IsDir() {
		raw, err := os.ReadFile(dotGit)
		target, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
		if err != nil || !ok {
			return "", false
		}
		gitDir = resolveFrom(filepath.Dir(dotGit), target)
	}
	if !exists(filepath.Join(gitDir, "HEAD")) {
		return "", false
	}
	if raw, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		gitDir = resolveFrom(gitDir, strings.TrimSpace(string(raw)))
	}
	real, err := filepath.EvalSymlinks(gitDir)
	return real, err == nil
}

// NearestFolder is the folder, or what is left above it: agents' work trees are
// removed under them.
func NearestFolder(dir string) string {
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// MainTree is the work tree that holds the repository of a linked one; "" where
// that can't be told.
func MainTree(dir string) string {
	r, err := findRepository(dir)
	if err != nil || filepath.Base(r.common) != ".git" {
		return ""
	}
	return filepath.Dir(r.common)
}

func resolveFrom(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
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
			return "", folderError(err)
		}
		random := make([]byte, 7)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		if err := createOnce(path, model.NewMachine(random)+"\n"); err != nil {
			return "", err
		}
	}
	return "", model.Errorf(model.CodeInternal, "the machine's name can't be kept in %s", model.Clean(path))
}

// createOnce writes a file that is complete from its first moment, unless
// there is one.
func createOnce(path, text string) error {
	tmp, err := scratch.NewFile(filepath.Dir(path), "state")
	if err != nil {
		return folderError(err)
	}
	defer tmp.Discard()
	_, err = tmp.WriteString(text)
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = tmp.Publish(path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return folderError(err)
}

// RenewMachine gives this user's machine another name, the way out of
// MACHINE_ID_CONFLICT: the state folder was copied to another machine. Other
// processes see it when they start again.
func (f *Fleet) RenewMachine() (string, error) {
	if f.variable(machineVariable) != "" {
		return "", model.Errorf(model.CodeRefused, "%s names this machine, so it gets no other name", machineVariable).
			WithHint("give the variable another value, or take it away")
	}
	path := filepath.Join(f.opts.StateDir, "machine")
	if err := os.Rename(path, path+".former"); err != nil {
		return "", folderError(err)
	}
	name, err := machineName(f.opts.StateDir)
	if err != nil {
		return "", err
	}
	f.name.Store(&name)
	return name, nil
}

// remoteFor reads the repository's configuration and says which remote is
// meant. It costs one git process.
func (f *Fleet) remoteFor(ctx context.Context) (*remote, error) {
	if f.repo.common == "" {
		return nil, model.Errorf(model.CodeNoRemote, "%s is in no Git repository, so it has no fleet", model.Clean(f.repo.root)).
			WithHint("git init, or git clone, then add a remote")
	}
	config, err := f.readConfig(ctx)
	if err != nil {
		return nil, err
	}
	url := config.first("remote." + f.opts.Remote + ".url")
	if url == "" {
		return nil, model.Errorf(model.CodeNoRemote, "the repository has no remote %s", model.Clean(f.opts.Remote)).
			WithHint("git remote add %s URL", model.Clean(f.opts.Remote))
	}
	return f.useRemote(config, url)
}

// readConfig reads the repository's configuration. Git runs nothing for it; the
// files that it includes are read, and count as the repository's own.
func (f *Fleet) readConfig(ctx context.Context) (gitConfig, error) {
	r, err := f.run(ctx, child{dir: f.repo.root, args: []string{"config", "--list", "-z", "--show-scope"}, env: closedEnv(f.opts.Environ, nil)})
	if err != nil {
		return nil, err
	}
	if r.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "git does not read this repository: %s", r.why()).
			WithHint("git status in it says more")
	}
	return parseConfig(r.out), nil
}

// remote is one remote's URL and the folder that is kept for it.
type remote struct {
	url      string // as configured: git applies its own rewriting
	pushURL  string
	hash     string // of the URL that is reached in the end: another one's fetch does not count
	pushHash string // of the URL that is pushed to in the end
	repo     string // the repository's name among machines
	dir      string
	format   format
	env      []string  // of the children that speak with it
	leftOut  []setting // of the repository's own settings: nobody trusts what they run
}

func (r *remote) live() string    { return filepath.Join(r.dir, "live.git") }
func (r *remote) record() string  { return filepath.Join(r.dir, "record.git") }
func (r *remote) publish() string { return filepath.Join(r.dir, "publish.git") }

func (f *Fleet) useRemote(config gitConfig, url string) (*remote, error) {
	leftOut, err := f.untrusted(&config)
	if err != nil {
		return nil, err
	}
	url = f.absoluteURL(url)
	effective := config.rewrite(url, "insteadof")
	r := &remote{url: url, pushURL: url, hash: shortHash(effective), repo: f.opts.Repo, format: formatSHA1, leftOut: leftOut}
	if p := config.first("remote." + f.opts.Remote + ".pushurl"); p != "" {
		r.pushURL = f.absoluteURL(p)
	}
	pushed := config.rewrite(r.pushURL, "pushinsteadof")
	if pushed == r.pushURL || r.pushURL != url {
		pushed = config.rewrite(r.pushURL, "insteadof") // as git does: a pushurl is rewritten as a url is
	}
	r.pushHash = shortHash(pushed)
	if config.get("extensions.objectformat") == string(formatSHA256) {
		r.format = formatSHA256
	}
	setDefault(&r.repo, model.RepoName(effective))
	forward := append(config.forward(f.opts.Remote, url, r.pushURL), setting{"command", "remote." + remoteName + ".url", url})
	r.env = append(closedEnv(f.opts.Environ, forward), config.sshEnv()...)
	r.dir = filepath.Join(f.opts.StateDir, "remotes", r.hash)
	if err := makeDir(filepath.Join(r.dir, "rows")); err != nil {
		return nil, err
	}
	for _, d := range []string{r.live(), r.record(), r.publish()} {
		if err := makeBare(d, r.format); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	f.remote = r
	f.mu.Unlock()
	return r, nil
}

// untrusted takes what may not run out of the configuration, and returns it. A
// remote that can't be reached without it is refused.
func (f *Fleet) untrusted(config *gitConfig) ([]setting, error) {
	list := f.programs(*config)
	if len(list) == 0 {
		return nil, nil
	}
	if ok, err := f.trustsPrograms(list); err != nil || ok {
		return nil, err
	}
	for _, s := range list {
		if strings.HasPrefix(s.key, "remote."+f.opts.Remote+".") && (strings.HasSuffix(s.key, ".url") || strings.HasSuffix(s.key, ".pushurl")) {
			return nil, model.Errorf(model.CodeUntrusted, "the remote was not asked: its URL %s runs what came with this folder, and nobody here trusts that",
				model.Clean(hideSecret(s.value))).WithHint("look at .git/config, then: binnacle trust")
		}
	}
	*config = config.withoutPrograms()
	return list, nil
}

// absoluteURL makes a relative path absolute: the children start elsewhere.
func (f *Fleet) absoluteURL(url string) string {
	if relativePath(url) {
		return filepath.Join(f.repo.root, url)
	}
	return url
}

func (f *Fleet) now() model.Reading { return f.opts.Clock() }
