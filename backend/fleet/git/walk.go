package git

import (
	"context"
	"strings"

	"binnacle/model"
	"binnacle/model/fleetmap"
)

// maxLandingList bounds how many ids one walk over trunk may name: a quarter
// of a million.
const maxLandingList = 16 << 20

// Walk names the first-parent commits from after (not included) to tip, the
// oldest first.
func (b Bare) Walk(ctx context.Context, after, tip string) ([]string, error) {
	if tip == "" || after == tip {
		return nil, nil
	}
	args := []string{"rev-list", "--first-parent", "--reverse", tip}
	if after != "" {
		args = append(args, "^"+after)
	}
	res, err := b.run(ctx, child{args: append(args, "--"), maxOut: maxLandingList})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "the fleet's cache can't be walked: %s", res.why())
	}
	return strings.Fields(string(res.out)), nil
}

// Ancestor says whether a commit is in the history of another.
func (b Bare) Ancestor(ctx context.Context, commit, of string) (bool, error) {
	if commit == of {
		return true, nil
	}
	res, err := b.run(ctx, child{args: []string{"merge-base", "--is-ancestor", commit, of}})
	// Any other status says that the commit is not there at all.
	return res.code == 0, err
}

// Passed says for each base whether trunk has commits that are not reachable
// from it; nil where the cache does not hold the base.
//
// Trunk's tip is reachable from a base iff it stands in the base's history, and
// it can only stand there among the commits that are not reachable from the
// tip's own parents. So one walk over those, for all bases together, is enough.
func (b Bare) Passed(ctx context.Context, trunk string, bases []string) (map[string]*bool, error) {
	rd, err := b.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	found, err := rd.Read(append([]string{trunk}, bases...), 1<<20)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*bool, len(bases))
	var lines strings.Builder
	walk := false
	for i, base := range bases {
		o := found[i+1]
		switch {
		case o.Kind != "commit" || found[0].Kind != "commit":
			out[base] = nil
		case base == trunk:
			out[base] = boolean(false)
		default:
			out[base] = boolean(true)
			lines.WriteString(base + "\n")
			walk = true
		}
	}
	if !walk {
		return out, nil
	}
	args := []string{"rev-list", "--parents", "--stdin", "--ignore-missing"}
	for _, p := range parentsOf(found[0].Body) {
		lines.WriteString("^" + p + "\n")
	}
	res, err := b.run(ctx, child{args: args, stdin: []byte(lines.String()), maxOut: 16 << 20})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "the fleet's cache can't be walked: %s", res.why())
	}
	parents := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(res.out)), "\n") {
		if ids := strings.Fields(line); len(ids) > 0 {
			parents[ids[0]] = ids[1:]
		}
	}
	for base, behind := range out {
		if behind != nil && *behind {
			out[base] = boolean(!reaches(parents, base, trunk))
		}
	}
	return out, nil
}

func reaches(parents map[string][]string, from, to string) bool {
	seen := map[string]bool{}
	for stack := []string{from}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		if !seen[at] {
			seen[at] = true
			stack = append(stack, parents[at]...)
		}
	}
	return false
}

func parentsOf(commit []byte) []string {
	var out []string
	for _, line := range strings.Split(string(commit), "\n") {
		if line == "" {
			break
		}
		if p, ok := strings.CutPrefix(line, "parent "); ok && fleetmap.HexID(p) {
			out = append(out, p)
		}
	}
	return out
}

func boolean(b bool) *bool { return &b }

// LastChange names the first-parent commit of trunk that last changed a path, ""
// where there is none.
func (b Bare) LastChange(ctx context.Context, trunk, path string) (string, error) {
	res, err := b.run(ctx, child{
		args: []string{"--literal-pathspecs", "log", "-1", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--format=%H", trunk, "--", path},
	})
	if err != nil || res.code != 0 {
		return "", err
	}
	return hexOrNone(strings.TrimSpace(string(res.out))), nil
}
