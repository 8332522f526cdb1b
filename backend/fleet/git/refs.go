package git

import (
	"context"
	"errors"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// refPrefix is where the fleet's refs stand, without a slash at the end.
func CheckPrefix(p string) error {
	if !strings.HasPrefix(p, "refs/") || strings.HasSuffix(p, "/") || strings.ContainsAny(p, " ~^:?*[\\\x7f") ||
		strings.Contains(p, "..") || strings.Contains(p, "//") || strings.HasPrefix(p, "refs/heads/") || strings.HasPrefix(p, "refs/tags/") {
		return model.Errorf(model.CodeUsage, "%q can't hold the fleet's refs", clean.Line(p)).
			WithHint("give a prefix such as refs/bay, not one of branches or tags")
	}
	for _, r := range p {
		if r < ' ' {
			return model.Errorf(model.CodeUsage, "the prefix of the fleet's refs has a control character")
		}
	}
	return nil
}

// maxRefsOutput bounds what the remote may say of its refs: some 60,000 lines.
const maxRefsOutput = 4 << 20

// Refs is what the remote has, as far as it concerns a fleet.
type Refs struct {
	Head    string            // trunk's branch by the remote's HEAD, "" when it does not say
	Trunk   string            // trunk's tip, "" when there is none
	Live    map[string]string // machine -> commit; names that break the rule are left out
	Changes map[string]string // change -> commit
	Logs    map[string]string // executor -> commit
}

// Refs asks the remote for the fleet's refs and trunk, in one go.
func (r *Remote) Refs(ctx context.Context) (Refs, error) { return r.askAt(ctx, r.URL) }

// PushedRefs is ask of where is pushed to: what was pushed is to be looked for
// there.
func (r *Remote) PushedRefs(ctx context.Context) (Refs, error) { return r.askAt(ctx, r.pushURL) }

func (r *Remote) askAt(ctx context.Context, url string) (Refs, error) {
	p, trunk := r.in.opts.Prefix, r.in.opts.Trunk
	args := []string{"ls-remote", "--symref", "--", url, "HEAD", p + "/live/*", p + "/change/*", p + "/log/*"}
	if trunk != "" {
		args = append(args, "refs/heads/"+trunk)
	} else {
		args = append(args, "refs/heads/main", "refs/heads/master")
	}
	// In a repository of ours, so that none above the state folder has a say.
	res, err := r.Live().run(ctx, child{args: args, env: r.env, maxOut: maxRefsOutput})
	switch {
	case errors.Is(err, errTooMuch):
		return Refs{}, model.Errorf(model.CodeOffline, "the remote names more refs under %s than are read", p).
			WithHint("delete what is not the fleet's there")
	case err != nil:
		return Refs{}, err
	case res.code != 0:
		return Refs{}, Unreachable("asking the remote for its refs", res)
	}
	return parseRefs(string(res.out), p, trunk), nil
}

// parseRefs reads ls-remote's lines. The patterns match more than was meant
// (any ref that ends so), therefore names are compared whole.
func parseRefs(out, prefix, trunk string) Refs {
	a := Refs{Live: map[string]string{}, Changes: map[string]string{}, Logs: map[string]string{}}
	headID := ""
	usual := map[string]string{} // where HEAD leads nowhere, as in a bare repository that was never told
	for _, line := range strings.Split(out, "\n") {
		id, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(id, "ref: "); ok {
			if name == "HEAD" {
				a.Head = strings.TrimPrefix(target, "refs/heads/")
			}
			continue
		}
		if !fleetmap.HexID(id) {
			continue
		}
		switch {
		case name == "HEAD":
			headID = id
		case trunk != "" && name == "refs/heads/"+trunk:
			a.Trunk = id
		case name == "refs/heads/main" || name == "refs/heads/master":
			usual[strings.TrimPrefix(name, "refs/heads/")] = id
		default:
			a.take(strings.TrimPrefix(name, prefix+"/"), id)
		}
	}
	switch {
	case trunk != "":
		a.Head = trunk
	case headID != "":
		a.Trunk = headID
	case usual["main"] != "":
		a.Head, a.Trunk = "main", usual["main"]
	case usual["master"] != "":
		a.Head, a.Trunk = "master", usual["master"]
	}
	return a
}

// At is the commit of a ref by its name under the prefix, "" for none.
func (a Refs) At(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "live":
		return a.Live[rest]
	case "change":
		return a.Changes[rest]
	case "log":
		return a.Logs[rest]
	}
	return ""
}

func (a *Refs) take(name, id string) {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "live":
		if fleetmap.CheckMachine(rest) == nil {
			a.Live[rest] = id
		}
	case "change":
		if fleetmap.CheckChange(rest) == nil {
			a.Changes[rest] = id
		}
	case "log":
		if fleetmap.CheckMachine(rest) == nil {
			a.Logs[rest] = id
		}
	}
}
