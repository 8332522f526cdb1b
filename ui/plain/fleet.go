package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/fleetmap"
)

// fleetEvery is how often the map is looked at: that costs a look at one file's
// date while nobody fetched.
const fleetEvery = 2 * time.Second

// fleetLine is the map of who works where.
type fleetLine struct {
	Type  string          `json:"type"`
	Fleet json.RawMessage `json:"fleet"`
}

// fleet writes the map when it says something else than the last time; ages
// are no news.
func (p *printer) fleet(ctx context.Context) error {
	d, err := p.desk.Detail(ctx, desk.Ref{Kind: model.KindCoord})
	if err != nil {
		return ctx.Err() // the next snapshot says what is wrong
	}
	raw, news, err := p.look(d.Fleet)
	if err != nil || raw == nil || !news {
		return err
	}
	p.line(fleetLine{Type: "fleet", Fleet: raw})
	return p.failed
}

// look writes the map, nil where there is none, and says whether it has news.
// What keeps the fleet silent is in the snapshots' alarms.
func (p *printer) look(v *fleetmap.Picture) (raw json.RawMessage, news bool, err error) {
	if v == nil || v.Own {
		return nil, false, nil
	}
	p.hasFleet = true
	if raw, err = json.Marshal(v.Map); err != nil {
		return nil, false, model.Errorf(model.CodeInternal, "the fleet's map can't be written as JSON: %w", err)
	}
	lasting, err := withoutAges(raw)
	if err != nil {
		return nil, false, err
	}
	news = !bytes.Equal(lasting, p.lastMap)
	p.lastMap = lasting
	return raw, news, nil
}

// withoutAges is the map without what time alone changes.
func withoutAges(raw []byte) ([]byte, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, model.Errorf(model.CodeInternal, "the fleet's map can't be read: %w", err)
	}
	strip(v)
	out, err := json.Marshal(v) // keys sorted: the same map gives the same bytes
	if err != nil {
		return nil, model.Errorf(model.CodeInternal, "the fleet's map can't be written as JSON: %w", err)
	}
	return out, nil
}

func strip(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			strip(x)
		}
	case map[string]any:
		for k, x := range v {
			if k == "fetched_at" || strings.HasSuffix(k, "age_s") || strings.HasSuffix(k, "skew_s") {
				delete(v, k)
				continue
			}
			strip(x)
		}
	}
}
