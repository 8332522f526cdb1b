package ledger

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
)

// Status is the ledger at one instant. It costs the same however long the
// ledger is.
type Status struct {
	Head     model.Head                  `json:"head"`
	Epoch    string                      `json:"epoch"`
	Cursor   string                      `json:"cursor"`
	Planes   map[string]map[string]int64 `json:"planes"`
	DBBytes  int64                       `json:"db_bytes"`  // of the database file
	WALBytes int64                       `json:"wal_bytes"` // of its write-ahead log
	Alarms   []string                    `json:"alarms,omitempty"`
	ReadOnly bool                        `json:"read_only,omitempty"`
	Counts   model.Counts                `json:"-"`
}

// Status reads it.
func (l *Ledger) Status(ctx context.Context) (Status, error) {
	s := Status{Epoch: l.store.Epoch(), ReadOnly: l.store.ReadOnly()}
	err := l.store.Read(ctx, func(r store.Reader) error {
		var err error
		s.Alarms = nil
		if s.Head, err = r.Head(); err != nil {
			return err
		}
		if s.Counts, err = r.Counts(); err != nil {
			return err
		}
		if s.DBBytes, err = r.Inspect().Bytes(); err != nil {
			return err
		}
		behind, err := ClockBehind(r, s.Head, l.clock.Now())
		if behind != "" {
			s.Alarms = append(s.Alarms, behind)
		}
		return err
	})
	if err != nil {
		return s, err
	}
	s.Cursor = l.Cursor(s.Head.Seq).String()
	s.Planes = make(map[string]map[string]int64, 4)
	for _, plane := range []string{model.PlaneRecord, model.PlaneSignal, model.PlaneWork, model.PlaneQueue} {
		s.Planes[plane] = s.Counts.Plane(plane)
	}
	h := l.store.Health()
	s.WALBytes = h.WALBytes
	if h.WALAlarm != "" {
		s.Alarms = append(s.Alarms, h.WALAlarm)
	}
	if h.LastError != "" {
		s.Alarms = append(s.Alarms, "the last commit failed: "+h.LastError)
	}
	return s, nil
}
