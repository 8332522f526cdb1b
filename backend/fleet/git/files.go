package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// Files tells what stands at paths of a user's work tree, by the names that Git
// gives to what a file holds. It writes nothing, and nothing that the repository's
// own configuration names is run.
type Files struct{ repo *Repo }

// FilesOf makes the Files of a work tree; environ is what the children's
// environment is chosen from, within is how long one may take.
func FilesOf(tree Tree, environ []string, within time.Duration) Files {
	return Files{&Repo{Tree: tree, opts: Options{Environ: environ, ChildTimeout: within}}}
}

// Tracked says whether the work tree is in a Git repository.
func (f Files) Tracked() bool { return f.repo != nil && f.repo.Common != "" }

// Root is the work tree's folder.
func (f Files) Root() string { return f.repo.Root }

// Head is the commit that the work tree stands on, "" for none.
func (f Files) Head() string { return f.repo.Head() }

// At resolves a revision, and names the file that stands at the path in it; blob
// is "" where none does.
func (f Files) At(ctx context.Context, rev, path string) (commit, blob string, err error) {
	if strings.ContainsAny(rev, "\n\x00") || !f.Tracked() {
		return "", "", noRevision(rev)
	}
	found, err := f.stat(ctx, rev+"^{commit}")
	if err != nil {
		return "", "", err
	}
	if found[0].Kind != "commit" {
		return "", "", noRevision(rev)
	}
	commit = found[0].ID
	if found, err = f.stat(ctx, commit+":"+path); err != nil {
		return "", "", err
	}
	if found[0].Kind == "blob" {
		blob = found[0].ID
	}
	return commit, blob, nil
}

func noRevision(rev string) error {
	return model.Errorf(model.CodeInvalid, "there is no revision %q here", clean.Line(model.CutBytes(rev, 80))).
		WithHint("git rev-parse %s says what Git makes of it", clean.Line(model.CutBytes(rev, 80)))
}

// stat asks the user's repository what is there under each name.
func (f Files) stat(ctx context.Context, names ...string) ([]Object, error) {
	res, err := f.repo.run(ctx, child{
		dir: f.repo.Root, config: []string{"protocol.allow=never"}, args: []string{"cat-file", "--batch-check"},
		stdin: []byte(strings.Join(names, "\n") + "\n"),
	})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(res.out), "\n"), "\n")
	if res.code != 0 || len(lines) != len(names) {
		return nil, model.Errorf(model.CodeInternal, "git does not read this repository: %s", res.why()).
			WithHint("git status in it says more")
	}
	out := make([]Object, len(names))
	for i, line := range lines {
		if fields := strings.Fields(line); len(fields) == 3 && fleetmap.HexID(fields[0]) {
			out[i] = Object{ID: fields[0], Kind: fields[1]}
		}
	}
	return out, nil
}

// maxHashTries bounds how often the files that follow one that can't be read are
// asked for again.
const maxHashTries = 8

// Now names what each path's file holds as it lies in the work tree, "" where
// there is no file. A path whose file can't be read is left out, and so are all
// outside of Git. However many there are, it costs two git processes; where files
// can't be read, a few more.
func (f Files) Now(ctx context.Context, paths []string) map[string]string {
	now := map[string]string{}
	if !f.Tracked() || len(paths) == 0 {
		return now
	}
	root, err := os.OpenRoot(f.repo.Root)
	if err != nil {
		return now
	}
	defer func() { _ = root.Close() }() // it was only read from
	var files []string
	for _, p := range paths {
		info, err := root.Stat(p) // a link that leads out of the tree is refused
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() || err != nil && underFile(root, p):
			now[p] = ""
		case err == nil && info.Mode().IsRegular() && !isLink(root, p):
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		return now
	}
	safe, err := f.withoutFilters(ctx)
	if err != nil {
		return now
	}
	for range maxHashTries {
		ids := f.hash(ctx, files, safe)
		for i, id := range ids {
			now[files[i]] = id
		}
		// It ended at the first that can't be read: that one stays unknown.
		if len(ids)+1 >= len(files) || ctx.Err() != nil {
			break
		}
		files = files[len(ids)+1:]
	}
	return now
}

func isLink(root *os.Root, p string) bool {
	info, err := root.Lstat(p)
	return err != nil || info.Mode()&fs.ModeSymlink != 0
}

// underFile says whether a part of the path is a file, so that nothing can be
// below it.
func underFile(root *os.Root, p string) bool {
	for i := range p {
		if p[i] == '/' {
			if info, err := root.Stat(p[:i]); err == nil && !info.IsDir() {
				return true
			}
		}
	}
	return false
}

// hash names the files' content, up to the first that can't be read.
func (f Files) hash(ctx context.Context, files, config []string) []string {
	var in strings.Builder
	for _, p := range files {
		if p[0] == '"' { // else git takes it for a quoted name
			p = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p) + `"`
		}
		in.WriteString(p + "\n")
	}
	res, err := f.repo.run(ctx, child{
		dir: f.repo.Root, config: config, args: []string{"hash-object", "--stdin-paths"}, stdin: []byte(in.String()),
		maxOut: (64 + 1) * len(files),
	})
	if err != nil {
		return nil
	}
	ids := strings.Fields(string(res.out))
	for i, id := range ids {
		if !fleetmap.HexID(id) {
			return ids[:i]
		}
	}
	return ids[:min(len(ids), len(files))]
}

// withoutFilters are the settings that keep hash-object from running the programs
// that the repository's own configuration names. The user's own filters count.
func (f Files) withoutFilters(ctx context.Context) ([]string, error) {
	config, err := f.repo.ReadConfig(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range config {
		name, isFilter := strings.CutPrefix(s.Key, "filter.")
		dot := strings.LastIndexByte(name, '.')
		if !s.own() || !isFilter || dot < 0 {
			continue
		}
		for _, setting := range []string{".clean=", ".process=", ".required=false"} {
			out = append(out, "filter."+name[:dot]+setting)
		}
	}
	return out, nil
}

// Mail is the e-mail address that Git has for whoever works here, "" for none.
func (f Files) Mail(ctx context.Context) string {
	if !f.Tracked() {
		return ""
	}
	config, err := f.repo.ReadConfig(ctx)
	if err != nil {
		return ""
	}
	return config.get("user.email")
}
