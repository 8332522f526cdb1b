package command

import (
	"encoding/json"
	"time"

	"binnacle/model"
)

// clockOf is a clock that goes on: ages of sessions are differences of it.
func clockOf() model.Clock { return func() model.Time { return model.TimeOf(time.Now()) } }

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}
