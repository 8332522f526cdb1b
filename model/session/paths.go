package session

import (
	"sort"
	"strings"
)

// MaxPaths is how many paths a session's set holds before files are
// summed up as their folders.
const MaxPaths = 32

// MergePaths adds paths (slash separated, relative to the work tree) to a
// session's sorted set. "a/b/" is a folder and stands for all in it. A set that
// grows past MaxPaths is folded: the deepest level becomes folders,
// until it fits.
func MergePaths(set, more []string) []string {
	all := map[string]bool{}
	for _, list := range [][]string{set, more} {
		for _, p := range list {
			if p != "" && len(p) <= 1024 {
				all[p] = true
			}
		}
	}
	for fold := 0; ; fold++ {
		dropCovered(all)
		if len(all) <= MaxPaths || fold > 64 {
			break
		}
		foldDeepest(all)
	}
	out := make([]string, 0, len(all))
	for p := range all {
		out = append(out, p)
	}
	sort.Strings(out)
	if len(out) > MaxPaths {
		return []string{"./"} // too many names at the top level: the whole tree
	}
	return out
}

func dropCovered(all map[string]bool) {
	if all["./"] {
		clear(all)
		all["./"] = true
		return
	}
	for p := range all {
		for i := 0; i < len(p)-1; i++ {
			if p[i] == '/' && all[p[:i+1]] {
				delete(all, p)
				break
			}
		}
	}
}

func foldDeepest(all map[string]bool) {
	deepest := 0
	for p := range all {
		deepest = max(deepest, strings.Count(strings.TrimSuffix(p, "/"), "/"))
	}
	for p := range all {
		q := strings.TrimSuffix(p, "/")
		if strings.Count(q, "/") != deepest || deepest == 0 {
			continue
		}
		delete(all, p)
		all[q[:strings.LastIndexByte(q, '/')+1]] = true
	}
}

// Overlap says whether two paths may be about the same file: they are the same,
// one is a folder above the other, or one is a pattern, which counts up to its
// first wildcard, that the other may fall under.
func Overlap(a, b string) bool {
	x, y := ReachOf(a), ReachOf(b)
	return x.Covers(y) || y.Covers(x)
}

// Reach is what a path is about.
type Reach struct {
	Text string // up to its first wildcard, without a slash at its end; "" is the whole tree
	Wild bool   // it goes on with a wildcard
}

// ReachOf reads a path as sessions and notes name them: slash separated, relative
// to the work tree, which is "./" or ".".
func ReachOf(p string) Reach {
	p = strings.TrimPrefix(p, "./")
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		return Reach{p[:i], true}
	}
	if p == "." {
		p = ""
	}
	return Reach{Text: strings.TrimSuffix(p, "/")}
}

// Covers says whether what o begins with is the path, lies in it or may match it.
// Two paths overlap where either covers the other; of two that are sorted by
// their texts only the first can, unless the texts are the same.
func (r Reach) Covers(o Reach) bool {
	if !strings.HasPrefix(o.Text, r.Text) {
		return false
	}
	return r.Wild || r.Text == "" || len(o.Text) == len(r.Text) || o.Text[len(r.Text)] == '/'
}
