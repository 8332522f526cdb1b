package git

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/fleetmap"
)

// LandingsAfter lists trunk's first-parent commits that are not reachable from
// after ("" for all), the oldest first: at most most, and how many there are.
func (b Bare) LandingsAfter(ctx context.Context, after, trunk string, most int) ([]fleetmap.Landing, int, error) {
	ids, err := b.Walk(ctx, after, trunk)
	if err != nil {
		return nil, 0, err
	}
	total := len(ids)
	if len(ids) > most {
		ids = ids[:most]
	}
	list, err := b.Describe(ctx, ids)
	return list, total, err
}

// Describe reads what each landing says and changed against its first parent.
func (b Bare) Describe(ctx context.Context, ids []string) ([]fleetmap.Landing, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const format = "%x01%H%x02%ct%x02%(trailers:key=Bay-Change,valueonly,separator=%x2C)%x02%s"
	res, err := b.run(ctx, child{
		config: []string{"log.showSignature=false", "i18n.logOutputEncoding=UTF-8"},
		args: []string{
			"log", "--stdin", "--no-walk=unsorted", "-z", "--name-only", "--no-renames", "--no-color",
			"--diff-merges=first-parent", "--root", "--format=" + format,
		},
		stdin: []byte(strings.Join(ids, "\n") + "\n"), maxOut: 64 << 20,
	})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "trunk's landings can't be read: %s", res.why())
	}
	return parseLandings(string(res.out)), nil
}

// parseLandings reads describe's output: each landing begins with byte 1, its
// fields are parted by byte 2, its paths end in NUL.
func parseLandings(out string) []fleetmap.Landing {
	var list []fleetmap.Landing
	for _, part := range strings.Split(out, "\x00\x01") {
		part = strings.TrimPrefix(part, "\x01")
		head, files, _ := strings.Cut(part, "\x00")
		// Where paths follow, git puts a line's end between them and the head.
		head, first, cut := strings.Cut(head, "\n")
		fields := strings.SplitN(head, "\x02", 4)
		if len(fields) != 4 || !fleetmap.HexID(fields[0]) {
			continue
		}
		l := fleetmap.Landing{Commit: fields[0], Title: strings.ToValidUTF8(fields[3], "?"), Paths: []string{}}
		if at, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			l.At = model.Time(at * 1e6)
		}
		if id, _, _ := strings.Cut(fields[2], ","); fleetmap.CheckChange(strings.TrimSpace(id)) == nil {
			l.Change = strings.TrimSpace(id)
		}
		if cut && first != "" {
			l.Paths = append(l.Paths, strings.ToValidUTF8(first, "?"))
		}
		for _, p := range strings.Split(strings.TrimPrefix(files, "\n"), "\x00") {
			if p != "" {
				l.Paths = append(l.Paths, strings.ToValidUTF8(p, "?"))
			}
		}
		l.Paths, l.Cut = boundPaths(l.Paths)
		list = append(list, l)
	}
	return list
}

// boundPaths sums up what is too much to list as top-level names.
func boundPaths(paths []string) ([]string, bool) {
	bytes := 0
	for _, p := range paths {
		bytes += len(p) + 4
	}
	if len(paths) <= fleetmap.MaxLandingPaths && bytes <= 96<<10 {
		return paths, false
	}
	top := map[string]bool{}
	for _, p := range paths {
		name, _, deeper := strings.Cut(p, "/")
		if deeper {
			name += "/"
		}
		top[name] = true
	}
	out := slices.Sorted(maps.Keys(top))
	if len(out) > fleetmap.MaxLandingPaths {
		out = []string{"./"}
	}
	return out, true
}
