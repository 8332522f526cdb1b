package fleet

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
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

// publisher sends this machine's summary to the remote.
type publisher struct {
	*core
	*book
	*mirror
}

// Push publishes one summary now, whatever the heartbeat says. Errors:
// CodeConflict when another machine publishes under this name, CodeRefRefused
// when the host takes no such refs, CodeRefsFull when it holds all that are
// read, CodeOffline when it can't be reached.
func (f *publisher) Push(ctx context.Context) (Pushed, error) {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return Pushed{}, err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "publish.lock"))
	if err != nil {
		return Pushed{}, err
	}
	defer l.Unlock()
	ref := f.opts.Prefix + "/live/" + f.Machine()
	j, err := loadJournal(r, ref)
	if err != nil {
		return Pushed{}, err
	}
	p, err := f.publish(ctx, r, j)
	err = r.Hinted(err)
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

func (f *publisher) publish(ctx context.Context, r *git.Remote, j *journal) (Pushed, error) {
	now := f.now()
	if _, err := f.SweepGone(ctx); err != nil {
		return Pushed{}, err
	}
	live, err := f.summary(ctx, r, now)
	if err != nil {
		return Pushed{}, err
	}
	live.Seq = fleetmap.NextSeq(j.Seq, now.Wall)
	ids, signed, err := f.own().Commit(r.Publish(), keys.FileCommit{Name: "live.json", Content: live.Encode(), Message: "live " + f.Machine(), At: live.WrittenAt})
	if err != nil {
		return Pushed{}, err
	}
	id := ids[2]
	out := Pushed{Ref: j.Ref, Commit: id, Seq: live.Seq, Rows: min(len(live.Rows), fleetmap.MaxLiveRows), Signed: signed}
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
		why, err := r.Publish().Push(ctx, j.Ref, j.Old, id)
		if err != nil {
			return out, err
		}
		if why == "" {
			j.landed(id, now)
			dropObjects(r, ids[:])
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
func (f *publisher) firstLook(ctx context.Context, r *git.Remote, j *journal) error {
	refs, err := r.PushedRefs(ctx)
	if err != nil {
		return err
	}
	id := refs.Live[f.Machine()]
	switch {
	case id == "" && len(refs.Live) >= fleetmap.MaxMachines:
		return model.Errorf(model.CodeRefsFull, "the host holds %d live refs, as many as are read", len(refs.Live)).
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
func (f *publisher) settle(ctx context.Context, r *git.Remote, j *journal, id, why string) (done bool, err error) {
	refs, err := r.PushedRefs(ctx)
	if err != nil {
		return false, err
	}
	at := refs.Live[f.Machine()]
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

func (f *publisher) conflict(j *journal, id string) error {
	j.Conflict = id
	return model.Errorf(model.CodeConflict, "another machine publishes as %s: the remote has %.12s, which was not sent from here", f.Machine(), id).
		WithHint("the state folder was copied from one machine to another: binnacle fleet doctor --new-name gives this one a name of its own")
}

// journal is publish.json: what was sent, so that a push whose end nobody saw
// is known again by its id. It is on disk before the push begins.
type journal struct {
	Ref      string         `json:"ref"`               // where Old and Pending count
	Seq      int64          `json:"seq"`               // of the last summary that was made
	Old      string         `json:"old"`               // what the remote's ref has, as far as is known; "" for: nothing
	Pending  []string       `json:"pending,omitempty"` // sent, outcome not known
	Mine     []string       `json:"mine,omitempty"`    // sent before, the newest last
	Pushed   *model.Reading `json:"pushed,omitempty"`
	Conflict string         `json:"conflict,omitempty"` // a foreign id under our name
	Refused  string         `json:"refused,omitempty"`  // why the host takes no such refs
	Failures int            `json:"failures"`
	Tried    *model.Reading `json:"tried,omitempty"`
}

// keptIDs is how many pushes back an id is known as ours.
const keptIDs = 256

// journalPath is by where is pushed to: a pushurl of its own has a journal of
// its own.
func journalPath(r *git.Remote) string {
	if r.PushHash == r.Hash {
		return filepath.Join(r.Dir, "publish.json")
	}
	return filepath.Join(r.Dir, "publish-"+r.PushHash+".json")
}

func loadJournal(r *git.Remote, ref string) (*journal, error) {
	j := &journal{}
	if err := statefile.ReadJSON(journalPath(r), j); err != nil {
		return nil, err
	}
	if j.Ref != ref {
		// Another name or prefix: a ref of which nothing is known yet.
		j.Mine = append(j.Mine, j.Pending...)
		if j.Old != "" {
			j.Mine = append(j.Mine, j.Old)
		}
		*j = journal{Ref: ref, Seq: j.Seq, Mine: j.Mine}
	}
	return j, nil
}

func (j *journal) save(r *git.Remote) error { return statefile.WriteJSON(journalPath(r), j) }

// intend notes an id that is about to be sent.
func (j *journal) intend(r *git.Remote, id string, seq int64, now model.Reading) error {
	j.Pending, j.Seq, j.Tried = append(j.Pending, id), seq, &now
	return j.save(r)
}

// landed notes that the remote has the id.
func (j *journal) landed(id string, now model.Reading) {
	if j.Old != "" {
		j.Mine = append(j.Mine, j.Old)
	}
	j.Mine = append(j.Mine, j.Pending...)
	if n := len(j.Mine); n > keptIDs {
		j.Mine = j.Mine[n-keptIDs:]
	}
	j.Old, j.Pending, j.Pushed = id, nil, &now
	j.Conflict, j.Refused, j.Failures = "", "", 0
}

// adopt takes an id of ours that the remote turned out to have.
func (j *journal) adopt(id string) {
	if j.Old != "" {
		j.Mine = append(j.Mine, j.Old)
	}
	j.Old = id
}

func (j *journal) knows(id string) bool {
	return id == j.Old || slices.Contains(j.Pending, id) || slices.Contains(j.Mine, id)
}

// ours says whether the id was sent from this state folder. The journals of
// other URLs count, too: one repository may have moved from one URL to another.
func (f *publisher) ours(j *journal, id string) bool {
	if j.knows(id) {
		return true
	}
	paths, _ := filepath.Glob(filepath.Join(f.opts.StateDir, "remotes", "*", "publish*.json")) // well formed
	for _, path := range paths {
		var other journal
		if statefile.ReadJSON(path, &other) == nil && other.knows(id) {
			return true
		}
	}
	return false
}

// dropObjects removes the objects of earlier summaries: nothing needs them
// once the remote has a newer one.
func dropObjects(r *git.Remote, keep []string) {
	loose, _ := filepath.Glob(filepath.Join(r.Publish().Dir, "objects", "??", "*")) // well formed
	for _, path := range loose {
		if id := filepath.Base(filepath.Dir(path)) + filepath.Base(path); !slices.Contains(keep, id) {
			_ = os.Remove(path) // the next push tries again
		}
	}
}
