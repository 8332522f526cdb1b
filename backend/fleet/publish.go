package fleet

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"binnacle/model"
)

// Pushed is what a push did.
type Pushed struct {
	Ref     string `json:"ref"`
	Commit  string `json:"commit"`
	Seq     int64  `json:"seq"`
	Rows    int    `json:"rows"`
	Dropped int64  `json:"dropped"`
	Signed  bool   `json:"signed"`
	Adopted bool   `json:"adopted"` // an earlier push whose end nobody saw had landed
}

// Push publishes one summary now, whatever the heartbeat says. Errors:
// CodeConflict when another machine publishes under this name, CodeRefRefused
// when the host takes no such refs, CodeRefsFull when it holds all that are
// read, CodeOffline when it can't be reached.
func (f *Fleet) Push(ctx context.Context) (Pushed, error) {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return Pushed{}, err
	}
	l, err := lock(ctx, filepath.Join(r.dir, "publish.lock"))
	if err != nil {
		return Pushed{}, err
	}
	defer l.unlock()
	ref := f.opts.Prefix + "/live/" + f.Machine()
	j, err := loadJournal(r, ref)
	if err != nil {
		return Pushed{}, err
	}
	p, err := f.publish(ctx, r, j)
	err = r.hinted(err)
	if err != nil {
		j.Failures++
		j.note(err)
	}
	if e := j.save(r); err == nil {
		err = e
	}
	return p, err
}

func (j *journal) note(err error) {
	switch model.CodeOf(err) {
	case model.CodeRefRefused:
		j.Refused = err.Error()
	case model.CodeConflict:
		if j.Conflict == "" {
			j.Conflict = "unknown"
		}
	}
}

func (f *Fleet) publish(ctx context.Context, r *remote, j *journal) (Pushed, error) {
	now := f.now()
	if _, err := f.SweepGone(ctx); err != nil {
		return Pushed{}, err
	}
	live, err := f.summary(ctx, r, now)
	if err != nil {
		return Pushed{}, err
	}
	live.Seq = model.NextSeq(j.Seq, now.Wall)
	id, objects, signed, err := f.makeSummary(r, live)
	if err != nil {
		return Pushed{}, err
	}
	out := Pushed{Ref: j.Ref, Commit: id, Seq: live.Seq, Rows: min(len(live.Rows), model.MaxLiveRows), Signed: signed}
	out.Dropped = int64(len(live.Rows) - out.Rows)
	if j.Old == "" {
		// Nothing is known of the ref: it may be there, ours or another's.
		if err := f.firstLook(ctx, r, j); err != nil {
			return out, err
		}
		out.Adopted = j.Old != ""
	}
	if err := j.intend(r, id, live.Seq, now); err != nil {
		return out, err
	}
	for range 3 {
		why, err := f.send(ctx, r.publish(), r, j.Ref, j.Old, id)
		if err != nil {
			return out, err
		}
		if why == "" {
			j.landed(id, now)
			dropObjects(r, objects)
			return out, nil
		}
		done, err := f.settle(ctx, r, j, id, why)
		if err != nil {
			return out, err
		}
		out.Adopted = true
		if done {
			j.landed(id, now)
			return out, nil
		}
	}
	return out, model.Errorf(model.CodeOffline, "the ref %s changed under each of three attempts", j.Ref)
}

// firstLook asks for the ref before its first push from here.
func (f *Fleet) firstLook(ctx context.Context, r *remote, j *journal) error {
	refs, err := f.askRefsAt(ctx, r, r.pushURL)
	if err != nil {
		return err
	}
	id := refs.live[f.Machine()]
	switch {
	case id == "" && len(refs.live) >= model.MaxMachines:
		return model.Errorf(model.CodeRefsFull, "the host holds %d live refs, as many as are read", len(refs.live)).
			WithHint("binnacle fleet forget MACHINE removes that of a machine that is gone")
	case id == "":
		return nil
	case f.ours(j, id), f.declared() && j.Seq == 0:
		// The lease still holds: of two that publish under one name at once, one
		// is refused.
		j.adopt(id)
		return nil
	default:
		return f.conflict(j, id)
	}
}

// settle finds out what a refused push means: done when the remote has our
// commit after all; a nil error without done is to try again.
func (f *Fleet) settle(ctx context.Context, r *remote, j *journal, id, why string) (done bool, err error) {
	refs, err := f.askRefsAt(ctx, r, r.pushURL)
	if err != nil {
		return false, err
	}
	at := refs.live[f.Machine()]
	switch {
	case at == id:
		return true, nil
	case at == j.Old:
		// The lease held, so it is the host that does not want it.
		return false, model.Errorf(model.CodeRefRefused, "the host refuses %s: %s", j.Ref, why).
			WithHint("allow refs under %s, or configure another prefix", f.opts.Prefix)
	case at == "":
		j.adopt("") // somebody deleted it: it may be made anew
		return false, nil
	case f.ours(j, at):
		j.adopt(at)
		return false, nil
	default:
		return false, f.conflict(j, at)
	}
}

func (f *Fleet) conflict(j *journal, id string) error {
	j.Conflict = id
	return model.Errorf(model.CodeConflict, "another machine publishes as %s: the remote has %.12s, which was not sent from here", f.Machine(), id).
		WithHint("the state folder was copied from one machine to another: binnacle fleet doctor --new-name gives this one a name of its own")
}

// makeSummary writes the summary's objects into the publishing repository and
// returns the commit, and all objects by name.
func (f *Fleet) makeSummary(r *remote, live model.Live) (commit string, objects map[string]bool, signed bool, err error) {
	key, done, err := f.signer()
	if err != nil {
		return "", nil, false, err
	}
	defer done()
	blob, err := putObject(r.publish(), r.format, "blob", live.Encode(), false)
	if err != nil {
		return "", nil, false, err
	}
	tree, err := putObject(r.publish(), r.format, "tree", oneFileTree("live.json", blob), false)
	if err != nil {
		return "", nil, false, err
	}
	body := commitBody(tree, nil, f.committer(), live.WrittenAt, "live "+f.Machine())
	if key != nil {
		if body, err = signCommit(body, r.format, key); err != nil {
			return "", nil, false, err
		}
	}
	if commit, err = putObject(r.publish(), r.format, "commit", body, false); err != nil {
		return "", nil, false, err
	}
	return commit, map[string]bool{blob: true, tree: true, commit: true}, key != nil, nil
}

// committer is who makes the fleet's commits: a machine, not a person.
func (f *Fleet) committer() string {
	name := f.Machine()
	if f.opts.Agent != "" {
		name = f.opts.Agent
	}
	return name + " <" + name + "@fleet.invalid>"
}

// send pushes one commit to one ref under a lease: old is what the remote must
// have, "" for nothing. There is no plus and no force: either would override
// the lease. why is the reason of a refusal, "" when it landed.
func (f *Fleet) send(ctx context.Context, gitDir string, r *remote, ref, old, id string) (why string, err error) {
	res, err := f.run(ctx, child{
		gitDir: gitDir,
		config: []string{"push.negotiate=false", "push.pushOption=", "push.gpgSign=false"},
		args: []string{
			"push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--no-recurse-submodules",
			"--force-with-lease=" + ref + ":" + old, "--", r.pushURL, id + ":" + ref,
		},
		env: r.env,
	})
	if err != nil && !errors.Is(err, errTooMuch) {
		return "", err
	}
	why, said := pushVerdict(string(res.out), ref)
	switch {
	case said && why != "":
		return why + res.remarks(), nil
	case said:
		return "", nil
	case res.code == 0:
		return "", nil
	default:
		return "", unreachable("pushing to the remote", res)
	}
}

// pushVerdict reads push's porcelain line about the ref.
func pushVerdict(out, ref string) (why string, said bool) {
	for _, line := range strings.Split(out, "\n") {
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) != 3 || !strings.HasSuffix(fields[1], ":"+ref) {
			continue
		}
		if fields[0] == "!" {
			return model.Clean(fields[2]), true
		}
		return "", true
	}
	return "", false
}
