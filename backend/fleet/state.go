package fleet

import (
	"path/filepath"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

const (
	backoffFirst = 10 * time.Second
	backoffMost  = 5 * time.Minute
	// forgetMachine is how long a machine's highest sequence number outlives
	// its ref, so that deleting a ref is no way to replay it.
	forgetMachine = 90 * 24 * time.Hour
	maxWitnesses  = 32
)

// fetched is what this machine knows of one remote between processes: the file
// fetched.json. It is written whole, under the cache's lock.
type fetched struct {
	At           *model.Reading          `json:"fetched_at"` // the last whole fetch; nil: never
	Asked        *model.Reading          `json:"asked_at"`   // the last attempt
	Failures     int                     `json:"failures"`   // in a row
	Failure      string                  `json:"failure,omitempty"`
	Trunk        string                  `json:"trunk"`
	Branch       string                  `json:"branch"`
	Changes      map[string]string       `json:"changes"` // change -> commit
	Logs         map[string]string       `json:"logs"`    // executor -> commit
	LogFaults    map[string]string       `json:"log_faults,omitempty"`
	Machines     map[string]*seenMachine `json:"machines"`
	Truncated    bool                    `json:"machines_truncated"`
	KeyAlarm     string                  `json:"key_alarm,omitempty"` // why trunk's registry counts no more
	LeftOut      int                     `json:"left_out,omitempty"`
	ChangeFaults map[string]string       `json:"change_faults,omitempty"`
	Bad          map[string]string       `json:"quarantine,omitempty"` // commit -> why fetching it fails
	Fetches      int64                   `json:"fetches"`              // of summaries, for pruning
	Records      int64                   `json:"record_fetches"`
	Landed       string                  `json:"landed,omitempty"` // trunk, as far as the ledger has it
}

// seenMachine is what is remembered of one machine. It outlives its ref.
type seenMachine struct {
	Here    bool                     `json:"here"`    // was in the last fetch
	Commit  string                   `json:"commit"`  // as the remote named it
	Changed model.Time               `json:"changed"` // when the commit last changed, by our wall clock
	Blob    string                   `json:"blob"`
	First   map[string]model.Reading `json:"first"` // by blob: the reading before the fetch that first brought it
	Signed  int64                    `json:"seq_signed"`
	Plain   int64                    `json:"seq_plain"` // of summaries that no registry vouched for
	Heads   []fleetmap.Witness       `json:"heads,omitempty"`
}

func newFetched() *fetched {
	return &fetched{
		Changes: map[string]string{}, Logs: map[string]string{}, LogFaults: map[string]string{},
		Machines: map[string]*seenMachine{}, Bad: map[string]string{},
	}
}

func fetchedPath(r *git.Remote) string { return filepath.Join(r.Dir, "fetched.json") }

func loadFetched(r *git.Remote) (*fetched, error) {
	s := newFetched()
	if err := statefile.ReadJSON(fetchedPath(r), s); err != nil {
		return nil, err
	}
	fill := newFetched()
	if s.Changes == nil {
		s.Changes = fill.Changes
	}
	if s.Logs == nil {
		s.Logs = fill.Logs
	}
	if s.LogFaults == nil {
		s.LogFaults = fill.LogFaults
	}
	if s.Machines == nil {
		s.Machines = fill.Machines
	}
	if s.Bad == nil {
		s.Bad = fill.Bad
	}
	return s, nil
}

// pause is how long to leave a remote alone after failures in a row.
func pause(failures int) time.Duration {
	if failures == 0 {
		return 0
	}
	d := backoffFirst
	for range min(failures-1, 10) {
		d = min(2*d, backoffMost)
	}
	return d
}

// firstKey names a summary in First: its blob, or the commit where no blob can
// be told.
func firstKey(v keys.Verdict) string {
	if v.Blob == "" {
		return "commit " + v.Commit
	}
	return v.Blob
}

// see notes a machine's summary as it was judged: the first sight of its
// bytes, the highest sequence number (only of verified ones) and the head of
// its ledger.
func (m *seenMachine) see(v keys.Verdict, asked model.Reading) {
	key := firstKey(v)
	m.Blob = key
	if m.First == nil {
		m.First = map[string]model.Reading{}
	}
	if _, ok := m.First[key]; !ok {
		m.First[key] = asked
	}
	for k, first := range m.First {
		if k != key && fleetmap.Elapsed(first, asked) > fleetmap.FirstKept {
			delete(m.First, k)
		}
	}
	if v.Code != "" {
		return
	}
	if v.Signed {
		m.Signed = max(m.Signed, v.Live.Seq)
	} else {
		m.Plain = max(m.Plain, v.Live.Seq)
	}
	if h := v.Live.Ledger; h.Seq > 0 && h.Hash != "" && !m.replayed(v) {
		w := fleetmap.Witness{Machine: v.Live.Machine, Ledger: h, SeenAt: asked.Wall, Signed: v.Signed}
		if n := len(m.Heads); n == 0 || m.Heads[n-1].Ledger != h {
			m.Heads = append(m.Heads, w)
		}
		// The oldest stays, for it binds the most of what others hold; then the
		// newest ones.
		if n := len(m.Heads); n > maxWitnesses {
			m.Heads = append(m.Heads[:1], m.Heads[n-maxWitnesses+1:]...)
		}
	}
}

// replayed says whether an older summary than one that was verified before
// came back. A number that nobody signed does not count against signed ones.
func (m *seenMachine) replayed(v keys.Verdict) bool {
	if v.Signed {
		return v.Live.Seq < m.Signed
	}
	return v.Live.Seq < m.Plain
}

// forget drops what no longer serves.
func (s *fetched) forget(now model.Reading) {
	for name, m := range s.Machines {
		if !m.Here && now.Wall.Sub(m.Changed) > forgetMachine {
			delete(s.Machines, name)
		}
	}
	if len(s.Bad) > 4*fleetmap.MaxMachines {
		s.Bad = map[string]string{}
	}
}
