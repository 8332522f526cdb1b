package fleetmap

import (
	"strings"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"
)

func TestASessionIsShownAsLongAsItLives(t *testing.T) {
	fetched := model.Reading{Boot: "b", Up: time.Hour}
	for name, c := range map[string]struct {
		row   LiveRow
		had   time.Duration // since its summary came
		local bool
		shown bool
	}{
		"it waits for 14 minutes":         {LiveRow{Age: 14 * time.Minute, Alive: true}, 10 * time.Second, false, true},
		"the same, not known to be alive": {LiveRow{Age: 14 * time.Minute}, 10 * time.Second, false, false},
		"its machine fell silent":         {LiveRow{Age: 14 * time.Minute, Alive: true}, 2 * time.Minute, false, false},
		"just before":                     {LiveRow{Age: 14 * time.Minute, Alive: true}, 2*time.Minute - time.Millisecond, false, true},
		"seen alive long ago":             {LiveRow{Age: time.Second, Alive: true, AliveAge: 2 * time.Minute}, 0, false, false},
		"ours, alive":                     {LiveRow{Age: time.Hour, Alive: true}, 0, true, true},
		"ours, not known to be alive":     {LiveRow{Age: 2 * time.Minute}, 0, true, false},
		"ended":                           {LiveRow{State: session.Ended, Alive: true}, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.row
			r.Session, r.Agent = "s", "claude-code"
			if r.State == "" {
				r.State = session.Waiting
			}
			now := fetched
			now.Up += c.had
			in := Input{Self: "me", Now: now, Window: DefaultWindow, Fetched: &fetched}
			if c.local {
				in.Local = []LocalSession{{State: r.State, Row: r}}
			} else {
				// A summary is read back as it was written; a second row of one
				// session is an older one.
				old := r
				old.State, old.Age = session.Idle, r.Age+time.Second
				raw := Live{Repo: "r", Machine: "other", Rows: []LiveRow{r, old}}.Encode()
				live, err := ParseLive(raw)
				if err != nil {
					t.Fatal(err)
				}
				in.Machines = []SeenMachine{{Name: "other", Live: live, First: fetched, Readable: true}}
			}
			m := Join(in)
			want := 0
			if c.shown {
				want = 1
			}
			if len(m.Sessions) != want {
				t.Fatalf("%d sessions, want %d", len(m.Sessions), want)
			}
			if want == 1 && m.Sessions[0].RowAge != c.had+r.Age {
				t.Errorf("its age is %s", m.Sessions[0].RowAge)
			}
		})
	}
}

func TestASummaryBoundsWhatItSays(t *testing.T) {
	paths := strings.Repeat(`"p",`, 1000) + `"p"`
	for ctx, want := range map[string]session.ContextUse{
		`"used":9000000000000000,"max":100`: {Max: 100}, `"used":250,"max":100`: {Max: 100}, `"used":90,"max":100`: {Used: 90, Max: 100},
		`"used":9000000000000000`: {}, `"used":5,"max":9000000000000000`: {Used: 5},
	} {
		l, err := ParseLive([]byte(`{"schema":"bay.live/1","repo":"r","machine":"m","seq":1,"rows":[{"session":"s","state":"idle","age_ms":1,"ctx":{` +
			ctx + `},"paths":[` + paths + `]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if r := l.Rows[0]; len(r.Paths) != MaxLivePaths || r.Ctx != want || r.Alive {
			t.Errorf("%s: %d paths, ctx %+v, alive %t", ctx, len(r.Paths), r.Ctx, r.Alive)
		}
	}
}
