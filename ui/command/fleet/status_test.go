package fleet

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"binnacle/backend/fleet"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/ui/command/cli"
)

// Names come from other machines: whatever they hold, columns stay true and no
// byte steers the terminal.
func TestTheMapForPeople(t *testing.T) {
	yes := true
	row := func(actor, change string) *fleetmap.LiveRow {
		return &fleetmap.LiveRow{
			Session: "s", Actor: actor, Agent: "codex", Change: change, State: session.Working, Event: "PreToolUse",
			Ctx: session.ContextUse{Used: 50_000, Max: 200_000}, LastWrite: "src/a", WriteAge: 5 * time.Second, Age: 2 * time.Second,
		}
	}
	m := fleetmap.Map{
		Repo: "host/app", Machine: "m-self", FetchedAt: 1, FetchAge: 3 * time.Minute, Behind: &yes, Truncated: true, Note: "a note",
		Machines: []fleetmap.Machine{
			{Machine: "m-other", Agent: "builder", Readable: true, Signed: true, Age: 4 * time.Second, Fresh: 2, Dropped: 3, Skew: -2 * time.Hour},
			{Machine: "m-self", Self: true, Readable: true},
			{Machine: "m-odd", Code: model.CodeMalformed, Why: "its tree has another shape"},
		},
		Sessions: []fleetmap.Session{
			{Machine: "m-other", LiveRow: row("日本", "C-1"), RowAge: 6 * time.Second, Behind: &yes},
			{Machine: "m-other", LiveRow: row("\x1b[2J\x9b", ""), RowAge: 70 * time.Second},
			{Machine: "m-self", LiveRow: &fleetmap.LiveRow{Change: "C-2", State: session.Untracked}, Reason: "no record here names it"},
		},
	}
	var out bytes.Buffer
	r := cli.NewRun(cli.Env{Stdout: &out})
	if err := showMap(r, m, &fleet.FetchReport{Vanished: []string{"m-gone"}}); err != nil {
		t.Fatal(err)
	}
	want := `repository    host/app
this machine  m-self
fetched       3m ago, so it is behind the remote; binnacle fleet status fetches
gone          m-gone
left out      the remote has more machines than the 256 that are read
note          a note

MACHINE  AGE  SESSIONS  SIGNED BY  NOTE
m-other   4s         2  builder    3 more sessions did not fit; its clock is 2h behind
m-self               0             this one
m-odd    now         0             unreadable; MALFORMED: its tree has another shape

MACHINE  ACTOR   AGENT  CHANGE  STATE      AGE  EVENT       CONTEXT  WROTE      NOTE
m-other  日本    codex  C-1     working     6s  PreToolUse     25 %  src/a 9s   trunk moved on
m-other  ␛[2J⟨9B⟩  codex          working     1m  PreToolUse     25 %  src/a 1m
m-self                  C-2     untracked                                       no record here names it
`
	got := out.String()
	if strings.ContainsAny(got, "\x1b\u009b") {
		t.Error("a control character got through")
	}
	// The one hostile name is compared by itself: how it is shown is the
	// cleaner's matter.
	strip := func(s string) []string {
		var out []string
		for _, l := range strings.Split(s, "\n") {
			if !strings.Contains(l, "[2J") {
				out = append(out, strings.Join(strings.Fields(l), " "))
			}
		}
		return out
	}
	if !reflect.DeepEqual(strip(got), strip(want)) {
		t.Errorf("the map is\n%s\nnot\n%s", got, want)
	}
}

func TestContextUse(t *testing.T) {
	for c, want := range map[session.ContextUse]string{
		{}: "", {Used: 999}: "999", {Used: 37_128}: "37k", {Used: 37_128, Max: 258_400}: "14 %", {Max: 200_000}: "",
	} {
		if got := contextUse(c); got != want {
			t.Errorf("%+v is %q, not %q", c, got, want)
		}
	}
}
