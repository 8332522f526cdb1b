package fleet

import (
	"encoding/json"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"
)

func program(string) int { return 0 }

func TestOneMachineSeesTheOther(t *testing.T) {
	w := newWorld(t)
	a, b := w.node("a"), w.node("b")
	a.hook("s1", "SessionStart", `"source":"startup"`)
	a.hook("s1", "UserPromptSubmit", `"prompt":"go"`)
	a.clock.add(5 * time.Second)
	p := a.push()
	if p.Rows != 1 || p.Ref != "refs/bay/live/m-a" {
		t.Fatalf("pushed %+v", p)
	}
	if _, err := b.Map(bg()); model.CodeOf(err) != model.CodeNotFetched {
		t.Fatalf("before a fetch: %v", err)
	}
	b.fetch()
	m := b.fleet()
	got := sessionsOf(m, "m-a")
	if len(got) != 1 || got[0].State != session.Working || got[0].RowAge != 5*time.Second || got[0].Actor != "ada" {
		t.Fatalf("sessions %+v", m.Sessions)
	}
	b.clock.add(30 * time.Second)
	m = b.fleet()
	if got := sessionsOf(m, "m-a"); got[0].RowAge != 35*time.Second || m.FetchAge != 30*time.Second || m.Behind != nil {
		t.Fatalf("30 s later: %v, fetch %v, behind %v", got[0].RowAge, m.FetchAge, m.Behind)
	}
	raw, err := json.Marshal(m)
	must(t, err)
	if !json.Valid(raw) {
		t.Fatalf("not JSON: %s", raw)
	}
	t.Logf("%s", raw)
}
