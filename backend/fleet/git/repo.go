package git

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// Options say how Git is run for a repository.
type Options struct {
	Environ      []string      // what children get is chosen from it
	StateDir     string        // the user's state folder: children start there, and our repositories stand there
	ChildTimeout time.Duration // of one child
	Remote       string        // the remote's name
	Trunk        string        // trunk's branch; "": the remote's HEAD says
	Prefix       string        // where the fleet's refs stand
	Name         string        // the repository's name among machines; "": made from the URL
}

// Repo is the user's repository. Git only reads it; what Git writes stands in
// bare repositories of ours, which its Remote has. Its methods may be called at
// the same time.
type Repo struct {
	Tree
	opts    Options
	Dir     string // <state>/repos/<hash>
	started atomic.Int64
}

// Open makes a Repo and its folder in the state folder. It starts no process.
func Open(tree Tree, o Options) (*Repo, error) {
	key := tree.Common
	if key == "" {
		key = tree.Root
	}
	r := &Repo{Tree: tree, opts: o, Dir: filepath.Join(o.StateDir, "repos", statefile.Hash(key))}
	return r, statefile.MakeDir(r.Dir)
}

// Started counts the git processes that were started.
func (r *Repo) Started() int64 { return r.started.Load() }

// Version is what git says of itself.
func (r *Repo) Version(ctx context.Context) (string, error) {
	res, err := r.run(ctx, child{args: []string{"--version"}})
	return strings.TrimPrefix(strings.TrimSpace(string(res.out)), "git version "), err
}

// Remote reads the repository's configuration and says which remote is meant.
// It costs one git process.
func (r *Repo) Remote(ctx context.Context) (*Remote, error) {
	if r.Common == "" {
		return nil, model.Errorf(model.CodeNoRemote, "%s is in no Git repository, so it has no fleet", clean.Line(r.Root)).
			WithHint("git init, or git clone, then add a remote")
	}
	config, err := r.ReadConfig(ctx)
	if err != nil {
		return nil, err
	}
	url := config.first("remote." + r.opts.Remote + ".url")
	if url == "" {
		return nil, model.Errorf(model.CodeNoRemote, "the repository has no remote %s", clean.Line(r.opts.Remote)).
			WithHint("git remote add %s URL", clean.Line(r.opts.Remote))
	}
	return r.use(config, url)
}
