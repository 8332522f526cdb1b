package command

import (
	"strings"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
)

// TestTimesAreLocalForPeople: with the offset where a date is shown; JSON is in
// UTC.
func TestTimesAreLocalForPeople(t *testing.T) {
	e := newEnv(t)
	e.Clock = clocktest.New(at).Read
	e.Zone = time.FixedZone("here", 5*3600+1800)
	e.run(t, 0, "init")
	e.run(t, 0, "emit", "--no-json", "a/b", `{"text":"x"}`)
	e.run(t, 0, "emit", "a/b", `{"summary":"look"}`, "--kind", "signal", "--key", "s")
	e.run(t, 0, "ledger", "work", "claim", "job", "--executor", "w")
	e.run(t, 0, "queue", "push", "-b", "do it")
	local, utc := at.In(e.Zone), at.String()
	if !strings.HasSuffix(local, " +05:30") || at.In(nil) != at.In(time.UTC) {
		t.Fatalf("local is %q", local)
	}
	for _, args := range [][]string{
		{"ledger", "log"},
		{"ledger", "status"},
		{"ledger", "signal", "show", "s"},
		{"ledger", "work", "show", "job"},
		{"queue", "show", "1"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			e.run(t, 0, append(args, "--no-json")...)
			if out := e.out.String(); !strings.Contains(out, local) {
				t.Errorf("no local time in:\n%s", out)
			}
			e.run(t, 0, append(args, "--json")...)
			if out := e.out.String(); !strings.Contains(out, utc) || strings.Contains(out, "+05:30") {
				t.Errorf("the JSON is not in UTC:\n%s", out)
			}
		})
	}
}

// TestStatusNamesAClockThatIsBehind: with the amount, and the event from which
// the ledger's times run ahead; plain has it, too.
func TestStatusNamesAClockThatIsBehind(t *testing.T) {
	m := clocktest.New(at)
	e := newEnv(t)
	e.Clock = m.Read
	e.run(t, 0, "init")
	e.run(t, 0, "emit", "a/b", `{"text":"in time"}`)
	m.Step(25 * time.Hour)
	e.run(t, 0, "emit", "a/b", `{"text":"ahead"}`, "--producer", "alice")
	m.Step(-25 * time.Hour)
	e.run(t, 0, "emit", "a/b", `{"text":"after it"}`)
	want := "the clock is 25 h 0 m behind the newest event: times run ahead since #2 by alice"
	e.run(t, 0, "ledger", "status", "--no-json")
	if out := e.out.String(); !strings.Contains(out, want) {
		t.Errorf("status:\n%s", out)
	}
	e.run(t, 0, "ledger", "status", "--json")
	if out := e.out.String(); !strings.Contains(out, want) {
		t.Errorf("status as JSON:\n%s", out)
	}
	e.run(t, 0, "--plain", "--once")
	if out := e.out.String(); !strings.Contains(out, `{"engine":"clock","text":"`+want+`"`) {
		t.Errorf("plain:\n%s", out)
	}
	m.Advance(25 * time.Hour)
	e.run(t, 0, "ledger", "status", "--no-json")
	if out := e.out.String(); strings.Contains(out, "behind") {
		t.Errorf("status after it caught up:\n%s", out)
	}
}
