package pane

import (
	"slices"
	"testing"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
	"binnacle/themes"
	"binnacle/views"
	"binnacle/views/canvas"
)

// instant has something for every pane but Events and Fleet. The lane "a" holds
// two directives more than it lists.
func instant() desk.Snapshot {
	lane := func(name string, more int64, ids ...int64) desk.Lane {
		l := desk.Lane{Name: name, More: more}
		for _, id := range ids {
			l.Directives = append(l.Directives, directive.Directive{ID: id, Lane: name, Status: directive.StatusPending, Rev: id})
		}
		return l
	}
	return desk.Snapshot{
		Lanes:   []desk.Lane{lane("a", 2, 1, 2), lane("b", 0, 3)},
		Signals: []model.Signal{{Key: "disk", State: model.SignalPending}},
		Work:    []model.Work{{Key: "job-1", State: model.WorkClaimed}},
		Needs:   []desk.Need{{Kind: desk.NeedSignal, Key: "disk"}, {Kind: desk.NeedParked, Key: "1"}},
	}
}

func newSet() *Set {
	look := &canvas.Look{Theme: themes.Mono(), Glyphs: themes.Unicode()}
	return NewSet(look, NewEvents(Source{}), &Planes{}, &Lanes{}, &Leases{}, &Fleet{}, &Needs{})
}

func TestFocusGoesThroughWhatIsOnTheScreen(t *testing.T) {
	s := newSet()
	s.Show(instant())
	for _, c := range []struct {
		size canvas.Size
		want []views.Pane // from Events on, and round
	}{
		{canvas.Size{W: 80, H: 24}, []views.Pane{views.PanePlanes, views.PaneLanes, views.PaneLeases, views.PaneNeeds, views.PaneEvents}},
		{canvas.Size{W: 120, H: 40}, []views.Pane{views.PanePlanes, views.PaneLanes, views.PaneLeases, views.PaneEvents}},
		{canvas.Size{W: 200, H: 60}, []views.Pane{views.PanePlanes, views.PaneLanes, views.PaneNeeds, views.PaneLeases, views.PaneEvents}},
	} {
		s.Resize(c.size)
		s.SetFocus(views.PaneEvents)
		var got []views.Pane
		for range c.want {
			s.Cycle(1)
			got = append(got, s.Focus().Name())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.size, got, c.want)
		}
	}
	if slices.Contains(s.Names(), views.PaneFleet) {
		t.Error("a fleet is shown where there is none")
	}
	with := instant()
	with.Fleet = &fleetmap.Picture{}
	if s.Show(with); !slices.Contains(s.Names(), views.PaneFleet) {
		t.Error("the fleet is not shown")
	}
	s.SetFocus(views.PaneLanes)
	if s.Beside(-1); s.Focus().Name() != views.PaneEvents {
		t.Errorf("on the left of Lanes is %s", s.Focus().Name().Title())
	}
}

// TestALaneIsWalkedAndFolded: the cursor passes the line that only counts,
// closing goes up first, and marks go with the rows that fold away.
func TestALaneIsWalkedAndFolded(t *testing.T) {
	p := &Lanes{}
	p.Resize(canvas.Size{W: 60, H: 12}, true, nil)
	p.Show(instant())
	walk := func(n int) (got []string) {
		for range len(p.ids) {
			t, _ := p.Target()
			got = append(got, t.Key)
			p.Move(n)
		}
		return got
	}
	if got, want := walk(1), []string{"a", "1", "2", "b", "3", "3"}; !slices.Equal(got, want) {
		t.Errorf("down: %v, want %v", got, want)
	}
	if got, want := walk(-1), []string{"3", "b", "2", "1", "a", "a"}; !slices.Equal(got, want) {
		t.Errorf("up: %v, want %v", got, want)
	}
	p.Move(2)
	on, _ := p.Target()
	p.Marks().Toggle(on.ID)
	if got := p.Targets(); len(got) != 1 || got[0].Key != "2" || got[0].Rev != 2 {
		t.Errorf("the targets are %+v", got)
	}
	if !p.Fold(Close) || p.cursor.Key != "a" {
		t.Errorf("closing from a directive went to %v", p.cursor)
	}
	if !p.Fold(Close) || len(p.ids) != 3 || len(p.marks.on) != 0 {
		t.Errorf("closed, the rows are %v with marks on %v", p.ids, p.marks.on)
	}
	if p.Fold(Close) || !p.Fold(Toggle) || p.Fold(Open) || len(p.ids) != 6 {
		t.Errorf("opened again, the rows are %v", p.ids)
	}
	p.Marks().Toggle(views.DirectiveID(1))
	if gone, _ := p.Show(desk.Snapshot{}); gone != 1 {
		t.Errorf("%d marks went with their rows", gone)
	}
}

// TestWhatIsNotDrawnIsNoTarget: in no pane, and no mark outlives UnmarkAll.
func TestWhatIsNotDrawnIsNoTarget(t *testing.T) {
	s := newSet()
	s.Show(instant())
	s.Resize(canvas.Size{W: 120, H: 40})
	for _, p := range []views.Pane{views.PanePlanes, views.PaneLanes, views.PaneLeases, views.PaneNeeds} {
		s.SetFocus(p)
		if got, ok := s.Target(); !ok || got.Key == "" {
			t.Errorf("%s has no row: %+v", p.Title(), got)
		}
		s.Mark()
	}
	if n := s.Marked(); n != 4 {
		t.Errorf("%d rows are marked", n)
	}
	s.Unmark(views.SignalID("disk")) // it stands in Planes and in Needs you
	if n := s.UnmarkAll(); n != 2 || s.Marked() != 0 {
		t.Errorf("%d marks were taken away, %d are left", n, s.Marked())
	}
	s.Resize(canvas.Size{W: 20, H: 5})
	for _, p := range s.Names() {
		s.SetFocus(p)
		if got, ok := s.Target(); ok || len(s.Focus().Targets()) > 0 {
			t.Errorf("too small: %s has the target %+v", p.Title(), got)
		}
	}
}

// TestAHitIsALineOfAPane: the border is none.
func TestAHitIsALineOfAPane(t *testing.T) {
	s := newSet()
	s.Show(instant())
	s.Resize(canvas.Size{W: 120, H: 40})
	at, _ := s.Layout().Of(views.PaneLanes)
	for dy, want := range map[int]int{0: -1, 1: 0, 3: 2, at.H - 2: at.H - 3, at.H - 1: -1} {
		p, line, ok := s.Hit(at.X+4, at.Y+dy)
		if !ok || p.Name() != views.PaneLanes || s.Focus() != p || line != want {
			t.Errorf("line %d of the pane: %v, %d, %v", dy, p.Name(), line, ok)
		}
	}
	if _, _, ok := s.Hit(5, 0); ok {
		t.Error("the top line is a pane's")
	}
}
