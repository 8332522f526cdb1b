package fleet

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
)

// maxLandingList bounds how many ids one walk over trunk may name: a quarter
// of a million.
const maxLandingList = 16 << 20

// landingsAfter lists trunk's first-parent commits that are not reachable from
// after ("" for all), the oldest first: at most most, and how many there are.
func (f *Fleet) landingsAfter(ctx context.Context, r *remote, after, trunk string, most int) ([]model.Landing, int, error) {
	ids, err := f.walk(ctx, r, after, trunk)
	if err != nil {
		return nil, 0, err
	}
	total := len(ids)
	if len(ids) > most {
		ids = ids[:most]
	}
	list, err := f.describe(ctx, r, ids)
	return list, total, err
}

// walk names the first-parent commits from after (not included) to tip, the
// oldest first.
func (f *Fleet) walk(ctx context.Context, r *remote, after, tip string) ([]string, error) {
	if tip == "" || after == tip {
		return nil, nil
	}
	args := []string{"rev-list", "--first-parent", "--reverse", tip}
	if after != "" {
		args = append(args, "^"+after)
	}
	res, err := f.run(ctx, child{gitDir: r.record(), args: append(args, "--"), env: closedEnv(f.opts.Environ, nil), maxOut: maxLandingList})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, model.Errorf(model.CodeInternal, "the fleet's cache can't be walked: %s", res.why())
	}
	return strings.Fields(string(res.out)), nil
}

// ancestor says whether a commit is in the history of another.
func (f *Fleet) ancestor(ctx context.Context, r *remote, commit, of string) (bool, error) {
	if commit == of {
		return true, nil
	}
	res, err := f.run(ctx, child{
		gitDir: r.record(), args: []string{"merge-base", "--is-ancestor", commit, of}, env: closedEnv(f.opts.Environ, nil),
	})
	// Any other status says that the commit is not there at all.
	return res.code == 0, err
}

// describe reads what each landing says and changed against its first parent.
func (f *Fleet) describe(ctx context.Context, r *remote, ids []string) ([]model.Landing, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const format = "%x01%H%x02%ct%x02%(trailers:key=Bay-Change,valueonly,separator=%x2C)%x02%s"
	res, err := f.run(ctx, child{
		gitDir: r.record(), config: []string{"log.showSignature=false", "i18n.logOutputEncoding=UTF-8"},
		args: []string{
			"log", "--stdin", "--no-walk=unsorted", "-z", "--name-only", "--no-renames", "--no-color",
			"--diff-merges=first-parent", "--root", "--format=" + format,
		},
		stdin: []byte(strings.Join(ids, "\n") + "\n"), env: closedEnv(f.opts.Environ, nil), maxOut: 64 << 20,
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
func parseLandings(out string) []model.Landing {
	var list []model.Landing
	for _, part := range strings.Split(out, "\x00\x01") {
		part = strings.TrimPrefix(part, "\x01")
		head, files, _ := strings.Cut(part, "\x00")
		// Where paths follow, git puts a line's end between them and the head.
		head, first, cut := strings.Cut(head, "\n")
		fields := strings.SplitN(head, "\x02", 4)
		if len(fields) != 4 || !model.HexID(fields[0]) {
			continue
		}
		l := model.Landing{Commit: fields[0], Title: strings.ToValidUTF8(fields[3], "?"), Paths: []string{}}
		if at, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			l.At = model.Time(at * 1e6)
		}
		if id, _, _ := strings.Cut(fields[2], ","); model.CheckChange(strings.TrimSpace(id)) == nil {
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
	if len(paths) <= model.MaxLandingPaths && bytes <= 96<<10 {
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
	out := sortedKeys(top)
	if len(out) > model.MaxLandingPaths {
		out = []string{"./"}
	}
	return out, true
}

// landingPayload is a ref.landed fact: ids, and under untrusted what people
// named.
type landingPayload struct {
	Commit    string `json:"commit"`
	Change    string `json:"change,omitempty"`
	Rewritten bool   `json:"rewritten,omitempty"` // trunk does not go on from what was there before
	Untrusted struct {
		Ref   string   `json:"ref"`
		Paths []string `json:"paths"`
		Cut   bool     `json:"paths_cut,omitempty"`
	} `json:"untrusted"`
}

// NoteLandings brings trunk's landings since the last time into the ledger, as
// coord events (ref.landed), in order, each once; it says how many. The first
// time it only notes where trunk is. It reads the cache and asks nobody.
func (f *Fleet) NoteLandings(ctx context.Context) (int, error) {
	if f.opts.Store == nil || f.opts.Store.ReadOnly() {
		return 0, nil
	}
	v, err := f.look(ctx)
	if err != nil || v.state.At == nil || v.state.Trunk == "" {
		return 0, err
	}
	name := "landed " + v.remote.hash
	was, err := f.mark(ctx, name)
	if err != nil || was == v.state.Trunk {
		return 0, err
	}
	var list []model.Landing
	rewritten := false
	if was != "" {
		ok, err := f.ancestor(ctx, v.remote, was, v.state.Trunk)
		if err != nil {
			return 0, err
		}
		if rewritten = !ok; rewritten {
			list, err = f.describe(ctx, v.remote, []string{v.state.Trunk})
		} else {
			list, _, err = f.landingsAfter(ctx, v.remote, was, v.state.Trunk, model.MaxLandings)
		}
		if err != nil {
			return 0, err
		}
	}
	to := v.state.Trunk
	if len(list) > 0 {
		to = list[len(list)-1].Commit // more follow with the next call
	}
	err = f.opts.Store.Write(ctx, func(tx store.Tx) error {
		now := ""
		if err := readMark(tx, name, &now); err != nil || now != was {
			return err // another process was first
		}
		for _, l := range list {
			if err := f.appendLanding(tx, l, v.state.Branch, rewritten); err != nil {
				return err
			}
		}
		return putMark(tx, name, to)
	})
	return len(list), err
}

func (f *Fleet) appendLanding(tx store.Tx, l model.Landing, branch string, rewritten bool) error {
	branch, _ = f.opts.Redactor.RedactText(branch)
	p := landingPayload{Commit: l.Commit, Change: l.Change, Rewritten: rewritten}
	p.Untrusted.Ref, p.Untrusted.Paths, p.Untrusted.Cut = branch, f.opts.Redactor.RedactTexts(l.Paths), l.Cut
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	d := model.Draft{
		Topic: model.TopicRefLanded, Producer: "fleet@" + f.Machine(), Kind: model.KindCoord, Key: l.Commit, State: "landed", Payload: raw,
	}
	if err := d.Check(); err != nil {
		return err
	}
	_, err = tx.Append(d)
	return err
}

func (f *Fleet) mark(ctx context.Context, name string) (string, error) {
	value := ""
	err := f.opts.Store.Read(ctx, func(r store.Reader) error { return readMark(r, name, &value) })
	return value, err
}

func putMark(tx store.Tx, name, value string) error {
	_, err := tx.Exec(store.Upsert("fleet_marks", "name", "value"), name, value)
	return err
}

func readMark(r store.Reader, name string, value *string) error {
	*value = ""
	rows, err := r.Query(`SELECT value FROM fleet_marks WHERE name = $1`, name)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(value); err != nil {
			return err
		}
	}
	return rows.Err()
}
