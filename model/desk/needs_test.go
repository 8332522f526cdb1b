package desk

import (
	"reflect"
	"testing"

	"binnacle/model"
	"binnacle/model/directive"
)

const at = model.Time(1_790_000_000_000_000)

func TestNeeds(t *testing.T) {
	lease := model.Time(100e6)
	s := Snapshot{
		Signals: []model.Signal{{Key: "new", State: model.SignalPending, Since: at - 10}, {Key: "held", State: model.SignalClaimed, Since: 1}, {Key: "old", State: model.SignalPending, Since: at - 900e6}},
		Parked:  []directive.Directive{{ID: 5, Status: directive.StatusParked, Since: at - 500e6, Reason: "hold"}},
		Taken:   []directive.Directive{{ID: 6, Status: directive.StatusTaken, TakenAt: at - 90e6, LeaseUntil: at - 90e6 + lease}, {ID: 7, Status: directive.StatusTaken, TakenAt: at, LeaseUntil: at + lease}, {ID: 8, Status: directive.StatusTaken}},
		Work:    []model.Work{{Key: "job", State: model.WorkClaimed, Lease: 100, LeaseUntil: at + 1e6}},
	}
	var got []string
	for _, n := range NeedsOf(s, model.Reading{Wall: at}, "") {
		got = append(got, string(n.Kind)+" "+n.Key)
	}
	if want := []string{"signal old", "parked 5", "lapsing job", "lapsing 6", "signal new"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
