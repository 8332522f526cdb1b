package git

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sort"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// ReadConfig reads the repository's configuration. Git runs nothing for it; the
// files that it includes are read, and count as the repository's own.
func (r *Repo) ReadConfig(ctx context.Context) (Config, error) {
	res, err := r.run(ctx, child{dir: r.Root, args: []string{"config", "--list", "-z", "--show-scope"}})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "git does not read this repository: %s", res.why()).
			WithHint("git status in it says more")
	}
	return parseConfig(res.out), nil
}

// Remote is one remote's URL and the folder that is kept for it.
type Remote struct {
	in       *Repo
	URL      string // as configured: git applies its own rewriting
	pushURL  string
	Hash     string // of the URL that is reached in the end: another one's fetch does not count
	PushHash string // of the URL that is pushed to in the end
	Name     string // the repository's name among machines
	Dir      string
	Format   Format
	env      []string  // of the children that speak with it
	leftOut  []Setting // of the repository's own settings: nobody trusts what they run
}

// Live holds the machines' summaries.
func (r *Remote) Live() Bare { return Bare{r, filepath.Join(r.Dir, "live.git")} }

// Record holds trunk, without its files, the logs and the changes.
func (r *Remote) Record() Bare { return Bare{r, filepath.Join(r.Dir, "record.git")} }

// Publish holds our own summaries on their way out.
func (r *Remote) Publish() Bare { return Bare{r, filepath.Join(r.Dir, "publish.git")} }

func (r *Repo) use(config Config, url string) (*Remote, error) {
	leftOut, err := r.untrusted(&config)
	if err != nil {
		return nil, err
	}
	url = r.absoluteURL(url)
	effective := config.rewrite(url, "insteadof")
	m := &Remote{in: r, URL: url, pushURL: url, Hash: statefile.Hash(effective), Name: r.opts.Name, Format: SHA1, leftOut: leftOut}
	if p := config.first("remote." + r.opts.Remote + ".pushurl"); p != "" {
		m.pushURL = r.absoluteURL(p)
	}
	pushed := config.rewrite(m.pushURL, "pushinsteadof")
	if pushed == m.pushURL || m.pushURL != url {
		pushed = config.rewrite(m.pushURL, "insteadof") // as git does: a pushurl is rewritten as a url is
	}
	m.PushHash = statefile.Hash(pushed)
	if config.get("extensions.objectformat") == string(SHA256) {
		m.Format = SHA256
	}
	m.Name = cmp.Or(m.Name, fleetmap.RepoName(effective))
	forward := append(config.forward(r.opts.Remote, url, m.pushURL), Setting{"command", "remote." + remoteName + ".url", url})
	m.env = append(closedEnv(r.opts.Environ, forward), config.sshEnv()...)
	m.Dir = filepath.Join(r.opts.StateDir, "remotes", m.Hash)
	for _, b := range []Bare{m.Live(), m.Record(), m.Publish()} {
		if err := b.make(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// untrusted takes what may not run out of the configuration, and returns it. A
// remote that can't be reached without it is refused.
func (r *Repo) untrusted(config *Config) ([]Setting, error) {
	list := r.Programs(*config)
	if len(list) == 0 {
		return nil, nil
	}
	if ok, err := r.trustsPrograms(list); err != nil || ok {
		return nil, err
	}
	for _, s := range list {
		if strings.HasPrefix(s.Key, "remote."+r.opts.Remote+".") && (strings.HasSuffix(s.Key, ".url") || strings.HasSuffix(s.Key, ".pushurl")) {
			return nil, model.Errorf(model.CodeUntrusted, "the remote was not asked: its URL %s runs what came with this folder, and nobody here trusts that",
				clean.Line(HideSecret(s.Value))).WithHint("look at .git/config, then: binnacle trust")
		}
	}
	*config = config.withoutPrograms()
	return list, nil
}

// absoluteURL makes a relative path absolute: the children start elsewhere.
func (r *Repo) absoluteURL(url string) string {
	if relativePath(url) {
		return filepath.Join(r.Root, url)
	}
	return url
}

// settingNames names settings for people, each once.
func settingNames(list []Setting) string {
	seen := map[string]bool{}
	var names []string
	for _, s := range list {
		if !seen[s.Key] {
			seen[s.Key] = true
			names = append(names, clean.Line(HideSecret(s.Key)))
		}
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// Note is about settings of the repository's own that nobody trusted, "" where
// nothing was left out.
func (r *Remote) Note() string {
	if len(r.leftOut) == 0 {
		return ""
	}
	return "the repository's own " + settingNames(r.leftOut) + " can run programs and is left out: look at .git/config, then: binnacle trust"
}

// Hinted says of a remote that could not be reached that it may be for what was
// left out.
func (r *Remote) Hinted(err error) error {
	var e *model.Error
	if len(r.leftOut) == 0 || model.CodeOf(err) != model.CodeOffline || !errors.As(err, &e) {
		return err
	}
	hint := e.Hint
	if hint != "" {
		hint += "; "
	}
	return e.WithHint("%s", hint+r.Note())
}
