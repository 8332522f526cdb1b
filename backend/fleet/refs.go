package fleet

import (
	"context"
	"errors"
	"sort"
	"strings"

	"binnacle/model"
)

// maxRefsOutput bounds what the remote may say of its refs: some 60,000 lines.
const maxRefsOutput = 4 << 20

// advertised is what the remote has, as far as it concerns a fleet.
type advertised struct {
	head    string            // trunk's branch by the remote's HEAD, "" when it does not say
	trunk   string            // trunk's tip, "" when there is none
	live    map[string]string // machine -> commit; names that break the rule are left out
	changes map[string]string // change -> commit
	logs    map[string]string // executor -> commit
}

// askRefs asks the remote for the fleet's refs and trunk, in one go.
func (f *Fleet) askRefs(ctx context.Context, r *remote) (advertised, error) {
	return f.askRefsAt(ctx, r, r.url)
}

// askRefsAt is askRefs of a URL of the remote: what was pushed is to be looked
// for where it was pushed to.
func (f *Fleet) askRefsAt(ctx context.Context, r *remote, url string) (advertised, error) {
	p := f.opts.Prefix
	args := []string{"ls-remote", "--symref", "--", url, "HEAD", p + "/live/*", p + "/change/*", p + "/log/*"}
	if f.opts.Trunk != "" {
		args = append(args, "refs/heads/"+f.opts.Trunk)
	} else {
		args = append(args, "refs/heads/main", "refs/heads/master")
	}
	// In a repository of ours, so that none above the state folder has a say.
	res, err := f.run(ctx, child{gitDir: r.live(), args: args, env: r.env, maxOut: maxRefsOutput})
	switch {
	case errors.Is(err, errTooMuch):
		return advertised{}, model.Errorf(model.CodeOffline, "the remote names more refs under %s than are read", p).
			WithHint("delete what is not the fleet's there")
	case err != nil:
		return advertised{}, err
	case res.code != 0:
		return advertised{}, unreachable("asking the remote for its refs", res)
	}
	return parseRefs(string(res.out), p, f.opts.Trunk), nil
}

// parseRefs reads ls-remote's lines. The patterns match more than was meant
// (any ref that ends so), therefore names are compared whole.
func parseRefs(out, prefix, trunk string) advertised {
	a := advertised{live: map[string]string{}, changes: map[string]string{}, logs: map[string]string{}}
	headID := ""
	usual := map[string]string{} // where HEAD leads nowhere, as in a bare repository that was never told
	for _, line := range strings.Split(out, "\n") {
		id, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(id, "ref: "); ok {
			if name == "HEAD" {
				a.head = strings.TrimPrefix(target, "refs/heads/")
			}
			continue
		}
		if !model.HexID(id) {
			continue
		}
		switch {
		case name == "HEAD":
			headID = id
		case trunk != "" && name == "refs/heads/"+trunk:
			a.trunk = id
		case name == "refs/heads/main" || name == "refs/heads/master":
			usual[strings.TrimPrefix(name, "refs/heads/")] = id
		default:
			a.take(strings.TrimPrefix(name, prefix+"/"), id)
		}
	}
	switch {
	case trunk != "":
		a.head = trunk
	case headID != "":
		a.trunk = headID
	case usual["main"] != "":
		a.head, a.trunk = "main", usual["main"]
	case usual["master"] != "":
		a.head, a.trunk = "master", usual["master"]
	}
	return a
}

// at is the commit of a ref by its name under the prefix, "" for none.
func (a advertised) at(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "live":
		return a.live[rest]
	case "change":
		return a.changes[rest]
	case "log":
		return a.logs[rest]
	}
	return ""
}

func (a *advertised) take(name, id string) {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "live":
		if model.CheckMachine(rest) == nil {
			a.live[rest] = id
		}
	case "change":
		if model.CheckChange(rest) == nil {
			a.changes[rest] = id
		}
	case "log":
		if model.CheckMachine(rest) == nil {
			a.logs[rest] = id
		}
	}
}

// choose picks the machines to read: this one, then those that were listed
// before, then those that changed most recently, then by name. So the choice
// stays as it is for as long as those machines do. It says how many were left
// out.
func choose(live map[string]string, seen map[string]*seenMachine, self string) (names []string, left int) {
	for name := range live {
		names = append(names, name)
	}
	rank := func(name string) (int, int64) {
		s := seen[name]
		switch {
		case name == self:
			return 0, 0
		case s != nil && s.Here:
			return 1, 0
		case s == nil || s.Commit != live[name]:
			return 2, 0 // changed just now, or new
		default:
			return 3, -int64(s.Changed)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, at := rank(names[i])
		b, bt := rank(names[j])
		if a != b {
			return a < b
		}
		if at != bt {
			return at < bt
		}
		return names[i] < names[j]
	})
	if len(names) > model.MaxMachines {
		names, left = names[:model.MaxMachines], len(names)-model.MaxMachines
	}
	sort.Strings(names)
	return names, left
}
