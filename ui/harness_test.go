package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/backend"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/model/filter"
	"binnacle/themes"
	"binnacle/ui/overlay"
	"binnacle/ui/pane"
	"binnacle/ui/screen"
	"binnacle/views"
	"binnacle/views/text"
)

// start is the frozen instant of every test.
const start = model.Time(1_790_000_000_000_000)

// fakeTerm is a terminal that remembers what it was asked.
type fakeTerm struct {
	copied  string
	mouse   bool
	redrawn int
	edited  string
	left    string // what the editor leaves
}

func (f *fakeTerm) Copy(text string) error { f.copied = text; return nil }
func (f *fakeTerm) SetMouse(on bool)       { f.mouse = on }
func (f *fakeTerm) Redraw()                { f.redrawn++ }
func (f *fakeTerm) Suspend() tea.Cmd       { return nil }
func (f *fakeTerm) Edit(text, _ string, editor bool) tea.Cmd {
	f.edited = text
	if !editor {
		return nil
	}
	return func() tea.Msg { return overlay.Edited{Text: f.left} }
}

// rig drives a cockpit on a real backend without a program: a message goes in,
// its commands run in order until there are none, then the frame is looked at.
type rig struct {
	t     testing.TB
	b     *backend.Backend
	c     *Cockpit
	term  *fakeTerm
	now   model.Time
	after int64 // events up to here were delivered
	gen   int
	match filter.Filter
}

type rigOptions struct {
	theme    string
	size     string
	readOnly string
	ascii    bool
	dir      string // of a workspace that is there; "" makes one
}

func newRig(t testing.TB, o rigOptions) *rig {
	t.Helper()
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"} {
		if tt, ok := t.(*testing.T); ok {
			tt.Setenv(name, "")
		}
	}
	r := &rig{t: t, term: &fakeTerm{}, now: start}
	if o.dir == "" {
		o.dir = filepath.Join(t.TempDir(), ".binnacle")
		if err := os.Mkdir(o.dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	clock := model.WallOnly(func() model.Time { return r.now })
	b, err := backend.Open(context.Background(), backend.Options{Dir: o.dir, Clock: clock, Producer: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	r.b = b
	if o.theme == "" {
		o.theme = "dark"
	}
	getenv := func(string) string { return "" }
	theme, err := themes.Load(o.theme, nil, getenv)
	if err != nil {
		t.Fatal(err)
	}
	glyphs := themes.Unicode()
	if o.ascii {
		glyphs = themes.Plain()
	}
	r.c = New(wired{b, t}, Options{
		Place: Place{Workspace: "~/src/harbour", ReadOnly: o.readOnly},
		Keys:  keymap.Default(), Theme: theme, Themes: []themes.Theme{themes.Dark(), themes.Light(), themes.Mono()},
		Glyphs: glyphs, Clock: clock, Term: r.term,
		Follow: func(gen int, f filter.Filter, after int64) { r.gen, r.match, r.after = gen, f, after },
	})
	if o.size == "" {
		o.size = "120x40"
	}
	r.size(o.size)
	r.sync()
	return r
}

func (r *rig) size(s string) {
	var w, h int
	if _, err := fmt.Sscanf(s, "%dx%d", &w, &h); err != nil {
		r.t.Fatal(err)
	}
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// send hands a message over and runs what follows from it, in order.
func (r *rig) send(msg tea.Msg) {
	r.t.Helper()
	_, cmd := r.c.Update(msg)
	r.run(cmd)
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if v := reflect.ValueOf(msg); v.IsValid() && v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if c, ok := v.Index(i).Interface().(tea.Cmd); ok {
				r.run(c)
			}
		}
		return
	}
	if msg != nil {
		r.send(msg)
	}
}

// sync delivers the newest snapshot and the events since the last one, as the
// pump would.
func (r *rig) sync() {
	r.t.Helper()
	s, err := r.c.desk.Snapshot(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	r.send(snapshotMsg{s})
	for done := false; !done; {
		page, err := r.c.desk.Page(context.Background(), desk.PageRequest{Filter: r.match, After: r.after, Limit: 5000})
		if err != nil {
			r.t.Fatal(err)
		}
		r.after, done = page.Next, page.Exhausted
		if len(page.Events) > 0 {
			r.send(pane.Arrived{Generation: r.gen, Events: page.Events})
		}
	}
}

// press types keys by their names, separated by spaces; "text:…" types runes.
func (r *rig) press(keys string) {
	r.t.Helper()
	for _, k := range strings.Fields(keys) {
		r.send(keyMsg(k))
	}
}

// write types text.
func (r *rig) write(text string) {
	for _, c := range text {
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
	}
}

func keyMsg(name string) tea.KeyMsg {
	named := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace,
		"shift+tab": tea.KeyShiftTab, "ctrl+l": tea.KeyCtrlL, "ctrl+e": tea.KeyCtrlE, "ctrl+c": tea.KeyCtrlC,
		"home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace,
	}
	if t, ok := named[name]; ok {
		m := tea.KeyMsg{Type: t}
		if t == tea.KeySpace {
			m.Runes = []rune{' '}
		}
		return m
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// frame is the text on the screen, without styles.
func (r *rig) frame() string {
	g := screen.Parse(r.c.View(), r.c.size.W, r.c.size.H)
	lines := make([]string, r.c.size.H)
	for y := range lines {
		var b strings.Builder
		for x := range r.c.size.W {
			b.WriteString(g.At(x, y).Content)
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(lines, "\n")
}

// has fails unless the frame shows the text.
func (r *rig) has(want string) {
	r.t.Helper()
	if f := r.frame(); !strings.Contains(f, want) {
		r.t.Fatalf("%q is not on the screen:\n%s", want, f)
	}
}

func (r *rig) hasNot(want string) {
	r.t.Helper()
	if f := r.frame(); strings.Contains(f, want) {
		r.t.Fatalf("%q is on the screen:\n%s", want, f)
	}
}

func (r *rig) emit(topic string, kind model.Kind, payload string) model.Event {
	r.t.Helper()
	e, err := r.b.Ledger.Emit(context.Background(), ledger.EmitRequest{Topic: topic, Kind: kind, Producer: "probe", Payload: []byte(payload)})
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

func (r *rig) pushed(body string, p directive.Priority, lane string) directive.Directive {
	r.t.Helper()
	c, err := r.b.Queue.Push(context.Background(), queue.Push{Body: body, Priority: p, Lane: lane})
	if err != nil {
		r.t.Fatal(err)
	}
	return c.After
}

func (r *rig) pass(d time.Duration) { r.now = r.now.Add(d) }

// seq is the event under the cursor.
func (r *rig) seq() int64 {
	t, _ := r.c.panes.Target()
	return t.Seq
}

// on puts the cursor of the pane that has the keys on a row.
func (r *rig) on(id views.ID) {
	r.t.Helper()
	r.press("g")
	for t, _ := r.c.panes.Target(); t.ID != id; {
		before := t.ID
		r.press("down")
		if t, _ = r.c.panes.Target(); t.ID == before {
			r.t.Fatalf("%v is not there:\n%s", id, r.frame())
		}
	}
}

func width(line string) int { return text.Width(line) }
