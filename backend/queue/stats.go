package queue

import (
	"context"
	"database/sql"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// Stats counts directives.
type Stats struct {
	ByStatus  []StatusCount   `json:"by_status"` // by priority, then by status; none is 0
	Consumers []ConsumerCount `json:"consumers"` // who holds how many, by name
	// What the next write moves: claims whose lease has run out, and deferrals
	// that wait for nothing any more. They are counted in ByStatus as they are.
	Lapsed int64 `json:"lapsed"`
	Due    int64 `json:"due"`
}

// StatusCount is one count.
type StatusCount struct {
	Priority directive.Priority `json:"priority"`
	Status   string             `json:"status"`
	Count    int64              `json:"count"`
}

// ConsumerCount is how many directives a consumer holds.
type ConsumerCount struct {
	Consumer string `json:"consumer"`
	Count    int64  `json:"count"`
}

const sqlConsumers = `SELECT coalesce(taken_by, '-'), count(*) FROM directives WHERE status = 'taken' AND ($1 = '' OR lane = $1) GROUP BY 1 ORDER BY 1`

// Stats counts the directives of one lane, or of all for "".
func (v *view) Stats(ctx context.Context, lane string) (Stats, error) {
	if lane != "" {
		if err := directive.CheckLane(lane); err != nil {
			return Stats{}, err
		}
	}
	var out Stats
	err := v.read(ctx, func(r store.Reader, now instant) (err error) {
		out, err = v.stats(r, lane, now.Reading)
		return err
	})
	return out, err
}

func (v *view) stats(r store.Reader, lane string, now model.Reading) (Stats, error) {
	s := Stats{ByStatus: []StatusCount{}, Consumers: []ConsumerCount{}}
	counts, err := r.Counts()
	if err != nil {
		return s, err
	}
	sum := map[StatusCount]int64{}
	for k, n := range counts {
		if k.Plane != model.PlaneQueue {
			continue
		}
		if l, p, status, ok := directive.LaneCounter(k.Name); ok && (lane == "" || l == lane) {
			sum[StatusCount{Priority: p, Status: status}] += n
		}
	}
	for p := directive.P0; p <= directive.P2; p++ {
		// laneq's order: by name.
		for _, status := range []string{
			directive.StatusDeferred, directive.StatusDone, directive.StatusDropped, directive.StatusParked, directive.StatusPending, directive.StatusTaken,
		} {
			if n := sum[StatusCount{Priority: p, Status: status}]; n > 0 {
				s.ByStatus = append(s.ByStatus, StatusCount{p, status, n})
			}
		}
	}
	err = each(r, func(rows *sql.Rows) error {
		var c ConsumerCount
		err := rows.Scan(&c.Consumer, &c.Count)
		s.Consumers = append(s.Consumers, c)
		return err
	}, sqlConsumers, lane)
	if err != nil {
		return s, err
	}
	due, err := v.due(r, lane, now)
	for _, d := range due {
		if d.Status == directive.StatusTaken {
			s.Lapsed++
		} else {
			s.Due++
		}
	}
	return s, err
}
