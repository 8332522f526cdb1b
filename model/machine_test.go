package model_test

import (
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
)

func TestMachineTables(t *testing.T) {
	tests := []struct {
		machine model.Machine
		states  []string
		final   []string
	}{
		{model.SignalMachine(), []string{"pending", "claimed", "expired", "cleared"}, []string{"expired", "cleared"}},
		{model.WorkMachine(), []string{"claimed", "done", "failed", "released", "expired"}, []string{"done", "failed"}},
		{directive.Machine(), []string{"pending", "deferred", "taken", "done", "parked", "dropped"}, []string{"done", "dropped"}},
	}
	for _, tt := range tests {
		if got := tt.machine.States(); !reflect.DeepEqual(got, tt.states) {
			t.Errorf("%s has the states %v, want %v", tt.machine.Noun, got, tt.states)
		}
		var final []string
		for _, s := range tt.machine.States() {
			if tt.machine.Final(s) {
				final = append(final, s)
			}
		}
		if !reflect.DeepEqual(final, tt.final) {
			t.Errorf("%s: %v are final, want %v", tt.machine.Noun, final, tt.final)
		}
		seen := map[[2]string]bool{}
		for _, s := range tt.machine.Steps {
			if seen[[2]string{s.From, s.Action}] {
				t.Errorf("%s: %s from %q leads to two states", tt.machine.Noun, s.Action, s.From)
			}
			seen[[2]string{s.From, s.Action}] = true
			if to, ok := tt.machine.To(s.From, s.Action); !ok || to != s.To || !tt.machine.Can(s.From, s.To) {
				t.Errorf("%s: %+v is not in the table", tt.machine.Noun, s)
			}
		}
	}
}

// The arrows are the contract's, and no others.
func TestMachineArrows(t *testing.T) {
	for _, tt := range []struct {
		machine model.Machine
		want    string
	}{
		{model.SignalMachine(), "-raise->pending pending-claim->claimed pending-expire->expired claimed-clear->cleared claimed-release->pending claimed-expire->expired"},
		{model.WorkMachine(), "-claim->claimed claimed-heartbeat->claimed claimed-complete->done claimed-fail->failed claimed-release->released" +
			" claimed-expire->expired released-claim->claimed expired-claim->claimed"},
	} {
		var arrows []string
		for _, s := range tt.machine.Steps {
			arrows = append(arrows, s.From+"-"+s.Action+"->"+s.To)
		}
		if got := strings.Join(arrows, " "); got != tt.want {
			t.Errorf("%s: the arrows are\n%s, want\n%s", tt.machine.Noun, got, tt.want)
		}
	}
}

func TestMachineSaysNo(t *testing.T) {
	m := directive.Machine()
	for _, tt := range []struct{ from, action string }{
		{"done", "requeue"},
		{"dropped", "take"},
		{"pending", "done"},
		{"parked", "take"},
		{"deferred", "take"},
		{"", "take"},
		{"nonsense", "push"},
	} {
		if to, ok := m.To(tt.from, tt.action); ok {
			t.Errorf("%s from %q leads to %s", tt.action, tt.from, to)
		}
	}
	if m.Can("done", "pending") || m.Can("parked", "done") {
		t.Error("what is final or held may go on")
	}
}

func TestRefuse(t *testing.T) {
	tests := []struct {
		machine           model.Machine
		key, from, action string
		code              model.Code
		want, hint        string
	}{
		{model.SignalMachine(), "disk", "cleared", "claim", model.CodeRefused, `signal "disk" is cleared, so it can't be claimed`, "cleared is final"},
		{model.SignalMachine(), "disk", "pending", "clear", model.CodeRefused, `signal "disk" is pending, so it can't be cleared`, "possible from pending: claim, expire"},
		{model.SignalMachine(), "a\x1bb", "", "claim", model.CodeNotFound, `there is no signal "a␛b", so it can't be claimed`, ""},
		{model.WorkMachine(), "job", "done", "heartbeat", model.CodeRefused, `work "job" is done, so it can't be kept alive by a heartbeat`, "done is final"},
		{model.WorkMachine(), "job", "released", "complete", model.CodeRefused, `work "job" is released, so it can't be completed`, "possible from released: claim"},
		{directive.Machine(), "41", "done", "drop", model.CodeRefused, `#41 is done, so it can't be dropped`, "done is final"},
		{directive.Machine(), "41", "parked", "take", model.CodeRefused, `#41 is parked, so it can't be taken`, "possible from parked: unpark"},
		{directive.Machine(), "41", "pending", "touch", model.CodeRefused, `#41 is pending, so it can't be extended`, "possible from pending: next, defer, drop, reprioritize, park"},
		{directive.Machine(), "41", "dropped", "defer", model.CodeRefused, "can't be deferred", "final"},
		{directive.Machine(), "41", "pending", "done", model.CodeRefused, "can't be done", "possible from pending"},
		{directive.Machine(), "41", "done", "requeue", model.CodeRefused, "can't be requeued", "final"},
		{directive.Machine(), "41", "done", "park", model.CodeRefused, "can't be parked", "final"},
		{fleetmap.ChangeMachine(), "C-1", "closed", "hold", model.CodeRefused, "can't be held", "final"},
	}
	for _, tt := range tests {
		e := tt.machine.Refuse(tt.key, tt.from, tt.action)
		if e.Code != tt.code || !strings.Contains(e.Message, tt.want) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s of %s: %s %q (%q), want %q (%q)", tt.action, tt.from, e.Code, e.Message, e.Hint, tt.want, tt.hint)
		}
	}
}
