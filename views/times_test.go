package views_test

import (
	"strings"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/views"
	"binnacle/views/canvas"
)

// shown draws one event at the instant and returns its line.
func shown(t *testing.T, at model.Time, l canvas.Look, w int) string {
	t.Helper()
	e := event(1, 0, "note", "p", "t", "", "", `{"text":"x"}`)
	e.TS = at
	lines := strings.Split(plain(views.Events{Rows: []views.EventRow{{Event: e}}}.Draw(canvas.Size{W: w, H: 3}, l)), "\n")
	return lines[1]
}

func TestTimes(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	for _, c := range []struct {
		name  string
		at    model.Time
		times canvas.Times
		zone  *time.Location
		w     int
		want  string
	}{
		{"today by the clock", ago(time.Hour), canvas.Mixed, nil, 80, "11:04:31"},
		{"another day has a date", ago(25 * time.Hour), canvas.Mixed, nil, 100, "06-19 11:04"},
		{"a narrow pane has the date alone", ago(25 * time.Hour), canvas.Mixed, nil, 60, "06-19 "},
		{"another year has its number", ago(400 * 24 * time.Hour), canvas.Mixed, nil, 100, "2025-05-16"},
		{"by age", ago(25 * time.Hour), canvas.Ages, nil, 80, " 25h"},
		{"what is to come is now", later(time.Hour), canvas.Ages, nil, 80, " now"},
		{"in another zone", ago(time.Hour), canvas.Clocks, tokyo, 80, "20:04:31"},
		{"the zone's day counts", model.TimeOf(time.Date(2026, 6, 20, 2, 0, 0, 0, tokyo)), canvas.Clocks, tokyo, 80, "02:00:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := look(themes.Mono())
			l.Times, l.Zone = c.times, c.zone
			if got := shown(t, c.at, l, c.w); !strings.Contains(got, c.want) {
				t.Errorf("%q is not in %q", c.want, got)
			}
		})
	}
}

// TestColumnsStayWhereTheyAre: a row that comes moves nothing sideways.
func TestColumnsStayWhereTheyAre(t *testing.T) {
	l := look(themes.Mono())
	draw := func(rows []views.EventRow) string {
		return plain(views.Events{Rows: rows}.Draw(canvas.Size{W: 90, H: 12}, l))
	}
	rows := busyRows()[:4]
	odd := event(99999, 0, "directive", long, long, "41", "deferred", `{"action":"defer","why":`+quoted(long)+`}`)
	before, after := strings.Split(draw(rows), "\n"), strings.Split(draw(append([]views.EventRow{{Event: odd}}, rows...)), "\n")
	for i := range rows {
		if before[1+i] != after[2+i] {
			t.Errorf("line %d changed:\n%s\n%s", i, before[1+i], after[2+i])
		}
	}
}

func TestHeaderKeepsWhatMatters(t *testing.T) {
	h := header()
	h.Alarms = []desk.Alarm{{Engine: "store", Text: "the disk is full"}}
	h.Verified = desk.Verified{State: desk.VerifyFailed, At: 812, Finding: "the payload differs"}
	l := look(themes.Mono())
	for _, w := range []int{60, 80, 100, 120, 200} {
		got := plain(h.Draw(w, l))
		for _, want := range []string{"binnacle", "! store: the", "✗ at 812", "12:04"} {
			if !strings.Contains(got, want) {
				t.Errorf("at %d cells %q is missing in %q", w, want, got)
			}
		}
	}
	if got := plain(header().Draw(120, l)); !strings.Contains(got, "18,204 events ✓") || !strings.Contains(got, "needs you 3") {
		t.Errorf("%q", got)
	}
}

func TestFooterSharesAPlace(t *testing.T) {
	got := plain(footer().Draw(120, look(themes.Mono())))
	for _, want := range []string{"r requeue", "+/- priority", "? help", "ws: read-write"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

// TestHeaderShowsHowFarTheClockIsOff: the amount is not what is cut, also where
// the line is narrow.
func TestHeaderShowsHowFarTheClockIsOff(t *testing.T) {
	h := views.Header{Alarms: []desk.Alarm{{Engine: "clock", Text: "the clock is 23 h 59 m behind the newest event: times run ahead since #3 by alice"}}}
	for _, w := range []int{80, 100, 120, 200} {
		if line := plain(h.Draw(w, look(themes.Mono()))); !strings.Contains(line, "clock: is 23 h 59 m") {
			t.Errorf("%d: %q", w, line)
		}
	}
}
