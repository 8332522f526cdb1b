package fleet

import (
	"os"
	"path/filepath"
	"slices"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

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
func (f *Fleet) ours(j *journal, id string) bool {
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
