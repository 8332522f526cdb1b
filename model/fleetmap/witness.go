package fleetmap

import "binnacle/model"

// Witness is a ledger's head as some machine published it, and as this machine
// saw it.
type Witness struct {
	Machine string     `json:"machine"` // whose ledger
	Ledger  LedgerHead `json:"ledger"`
	SeenAt  model.Time `json:"seen_at"` // by this machine's wall clock
	Signed  bool       `json:"signed"`  // the summary that carried it was signed by its agent
}

// WitnessFinding is what a comparison of a ledger with a witness says.
type WitnessFinding struct {
	Witness Witness `json:"witness"`
	OK      bool    `json:"ok"`
	Text    string  `json:"text"`
}

// CompareWitness checks a ledger against heads that others hold. hash returns
// the hash of the ledger's event at seq, "" when there is none. A head of
// another epoch proves nothing: the ledger was restored from a backup since.
func CompareWitness(epoch string, hash func(seq int64) (string, error), held []Witness) ([]WitnessFinding, error) {
	out := make([]WitnessFinding, 0, len(held))
	for _, w := range held {
		f := WitnessFinding{Witness: w, OK: true}
		switch {
		case w.Ledger.Seq == 0:
			f.Text = "the witness saw an empty ledger"
		case w.Ledger.Epoch != "" && w.Ledger.Epoch != epoch:
			f.Text = "the witness saw another incarnation of the ledger (it was restored since): nothing to compare"
		default:
			got, err := hash(w.Ledger.Seq)
			if err != nil {
				return nil, err
			}
			switch got {
			case w.Ledger.Hash:
				f.Text = "the ledger still has the head that the witness holds"
			case "":
				f.OK, f.Text = false, "the ledger is shorter than the head that the witness holds: its end was cut off"
			default:
				f.OK, f.Text = false, "the event has another hash than the witness holds: the history was rewritten"
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// FindingLevel says how bad a doctor's finding is.
type FindingLevel string

// The levels.
const (
	FindingOK   FindingLevel = "ok"
	FindingInfo FindingLevel = "info"
	FindingWarn FindingLevel = "warn"
	FindingBad  FindingLevel = "bad"
)

// Finding is one line of a doctor's report.
type Finding struct {
	Level FindingLevel `json:"level"`
	What  string       `json:"what"` // git, remote, refs, clock, hooks, keys, machine
	Text  string       `json:"text"`
	Hint  string       `json:"hint,omitempty"`
}
