package model

import (
	"reflect"
	"strings"
	"testing"
)

func TestMachineTables(t *testing.T) {
	tests := []struct {
		machine Machine
		states  []string
		final   []string
	}{
		{SignalMachine(), []string{"pending", "claimed", "expired", "cleared"}, []string{"expired", "cleared"}},
		{WorkMachine(), []string{"claimed", "done", "failed", "released", "expired"}, []string{"done", "failed"}},
		{DirectiveMachine(), []string{"pending", "deferred", "taken", "done", "parked", "dropped"}, []string{"done", "dropped"}},
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
		machine Machine
		want    string
	}{
		{SignalMachine(), "-raise->pending pending-claim->claimed pending-expire->expired claimed-clear->cleared claimed-release->pending claimed-expire->expired"},
		{WorkMachine(), "-claim->claimed claimed-heartbeat->claimed claimed-complete->done claimed-fail->failed claimed-release->released" +
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
	m := DirectiveMachine()
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
		machine           Machine
		key, from, action string
		code              Code
		want, hint        string
	}{
		{SignalMachine(), "disk", "cleared", "claim", CodeRefused, `signal "disk" is cleared, so it can't be claimed`, "cleared is final"},
		{SignalMachine(), "disk", "pending", "clear", CodeRefused, `signal "disk" is pending, so it can't be cleared`, "possible from pending: claim, expire"},
		{SignalMachine(), "a\x1bb", "", "claim", CodeNotFound, `there is no signal "a␛b", so it can't be claimed`, ""},
		{WorkMachine(), "job", "done", "heartbeat", CodeRefused, `work "job" is done, so it can't be kept alive by a heartbeat`, "done is final"},
		{WorkMachine(), "job", "released", "complete", CodeRefused, `work "job" is released, so it can't be completed`, "possible from released: claim"},
		{DirectiveMachine(), "41", "done", "drop", CodeRefused, `#41 is done, so it can't be dropped`, "done is final"},
		{DirectiveMachine(), "41", "parked", "take", CodeRefused, `#41 is parked, so it can't be taken`, "possible from parked: unpark"},
		{DirectiveMachine(), "41", "pending", "touch", CodeRefused, `#41 is pending, so it can't be extended`, "possible from pending: next, defer, drop, reprioritize, park"},
		{DirectiveMachine(), "41", "dropped", "defer", CodeRefused, "can't be deferred", "final"},
		{DirectiveMachine(), "41", "pending", "done", CodeRefused, "can't be done", "possible from pending"},
		{DirectiveMachine(), "41", "done", "requeue", CodeRefused, "can't be requeued", "final"},
		{DirectiveMachine(), "41", "done", "park", CodeRefused, "can't be parked", "final"},
		{ChangeMachine(), "C-1", "closed", "hold", CodeRefused, "can't be held", "final"},
	}
	for _, tt := range tests {
		e := tt.machine.Refuse(tt.key, tt.from, tt.action)
		if e.Code != tt.code || !strings.Contains(e.Message, tt.want) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s of %s: %s %q (%q), want %q (%q)", tt.action, tt.from, e.Code, e.Message, e.Hint, tt.want, tt.hint)
		}
	}
}
