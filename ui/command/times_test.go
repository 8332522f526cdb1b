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

// TestQueueTimesAreLocalForPeople: in laneq's form, too, and a refusal says how
// long, which is the same everywhere.
func TestQueueTimesAreLocalForPeople(t *testing.T) {
	e := newEnv(t)
	e.Clock = clocktest.New(at).Read
	e.Zone = time.FixedZone("here", 5*3600+1800)
	e.run(t, 0, "init")
	e.run(t, 0, "queue", "push", "-b", "later")
	e.run(t, 0, "queue", "push", "-b", "now")
	e.run(t, 0, "work", "claim", "job", "--executor", "w")
	for _, c := range []struct {
		args string
		exit int
		want string // "" for no time of day at all
	}{
		{"queue defer 1 --for 1h --force", 0, at.Add(time.Hour).Std().In(e.Zone).Format(time.RFC3339)},
		{"queue next --id", 0, ""},
		{"queue touch 2 --lease 2h --force", 0, at.Add(2 * time.Hour).Std().In(e.Zone).Format(time.RFC3339)},
		{"queue list --all", 0, at.Add(2 * time.Hour).Std().In(e.Zone).Format(time.RFC3339)},
		{"queue show 1", 0, at.Add(time.Hour).Std().In(e.Zone).Format(time.RFC3339)},
		{"queue why 1", 0, at.Add(time.Hour).In(e.Zone)},
		{"work claim job --executor v", 1, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			e.run(t, c.exit, append(strings.Fields(c.args), "--no-json")...)
			out := e.out.String() + e.err.String()
			if !strings.Contains(out, c.want) || strings.Contains(out, "Z") || c.want == "" && strings.Contains(out, "T1") {
				t.Errorf("want %q and no UTC:\n%s", c.want, out)
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
