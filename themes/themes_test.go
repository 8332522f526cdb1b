package themes_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
)

func TestStyleWraps(t *testing.T) {
	th := themes.Dark()
	if got, want := th.Danger.Wrap("x"), "\x1b[1;38;2;255;138;138mx\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := th.Danger.Wrap(""); got != "" {
		t.Errorf("nothing became %q", got)
	}
	if got := th.Text.Wrap("x"); got != "x" || !th.Text.Plain() {
		t.Errorf("plain text became %q", got)
	}
	on := th.OK.On(th.Selected)
	if on.Open() != th.Selected.Open()+th.OK.Open() || on.Close() != "\x1b[0m" {
		t.Errorf("over a base: %q", on.Open())
	}
	if th.Text.On(th.Selected) != th.Selected || th.OK.On(th.Text) != th.OK {
		t.Error("a plain style changes what it is laid on")
	}
}

// parameters lists the numbers of a style's sequences.
func parameters(open string) []int {
	var out []int
	for _, seq := range strings.FieldsFunc(open, func(r rune) bool { return r == '\x1b' || r == '[' || r == 'm' }) {
		for _, n := range strings.Split(seq, ";") {
			if v, err := strconv.Atoi(n); err == nil {
				out = append(out, v)
			}
		}
	}
	return out
}

// colours returns the style's colours before and behind, nil for none.
func colours(t *testing.T, s themes.Style) (fg, bg []int) {
	t.Helper()
	p := parameters(s.Open())
	for i := 0; i < len(p); i++ {
		switch {
		case (p[i] == 38 || p[i] == 48) && i+4 < len(p) && p[i+1] == 2:
			if p[i] == 38 {
				fg = p[i+2 : i+5]
			} else {
				bg = p[i+2 : i+5]
			}
			i += 4
		case p[i] >= 30:
			t.Fatalf("%q holds a colour that is not a true one", s.Open())
		}
	}
	return fg, bg
}

func luminance(c []int) float64 {
	lin := func(v int) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c[0]) + 0.7152*lin(c[1]) + 0.0722*lin(c[2])
}

// contrast is WCAG 2's ratio.
func contrast(a, b []int) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: what is read stands out from every ground that its theme is
// for, also on a selected row; what only frames or hints, by less.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		theme   themes.Theme
		grounds map[string][]int
	}{
		{themes.Dark(), map[string][]int{"black": {0, 0, 0}, "#1e1e1e": {30, 30, 30}, "#282828": {40, 40, 40}}},
		{themes.Light(), map[string][]int{"white": {255, 255, 255}, "#fafafa": {250, 250, 250}, "#fdf6e3": {253, 246, 227}}},
	} {
		for _, s := range named(&c.theme) {
			fg, bg := colours(t, s.style)
			least := 4.5
			switch s.name {
			case "muted", "bar_rest", "border":
				least = 3
			}
			if s.name == "border" || s.name == "bar_rest" {
				least = 2 // lines and empty cells, not text
			}
			if fg == nil {
				continue
			}
			if bg != nil {
				if r := contrast(fg, bg); r < 4.5 {
					t.Errorf("%s: %s has %.1f on its own ground", c.theme.Name, s.name, r)
				}
				continue
			}
			for name, ground := range c.grounds {
				if r := contrast(fg, ground); r < least {
					t.Errorf("%s: %s has %.1f on %s, want %.1f", c.theme.Name, s.name, r, name, least)
				}
			}
			for _, row := range []themes.Style{c.theme.Selected, c.theme.Resting} {
				if _, behind := colours(t, row); s.row && contrast(fg, behind) < 3 {
					t.Errorf("%s: %s has %.1f on a row under the cursor", c.theme.Name, s.name, contrast(fg, behind))
				}
			}
		}
	}
}

type namedStyle struct {
	name  string
	style themes.Style
	row   bool // it stands in rows
}

func named(t *themes.Theme) []namedStyle {
	return []namedStyle{
		{"text", t.Text, true},
		{"muted", t.Muted, true},
		{"strong", t.Strong, true},
		{"border", t.Border, false},
		{"title", t.Title, true},
		{"focus", t.Focus, false},
		{"focus_head", t.FocusHead, true},
		{"selected", t.Selected, false},
		{"resting", t.Resting, false},
		{"marked", t.Marked, true},
		{"match", t.Match, false},
		{"key", t.Key, false},
		{"button", t.Button, false},
		{"pressed", t.Pressed, false},
		{"cursor", t.Cursor, false},
		{"ok", t.OK, true},
		{"info", t.Info, true},
		{"accent", t.Accent, true},
		{"warn", t.Warn, true},
		{"danger", t.Danger, true},
		{"stale", t.Stale, false},
		{"bar", t.Bar, true},
		{"bar_low", t.BarLow, true},
		{"bar_rest", t.BarRest, false},
		{"note", t.Note, true},
		{"signal", t.Signal, true},
		{"metric", t.Metric, true},
		{"work", t.Work, true},
		{"generic", t.Generic, true},
		{"directive", t.Directive, true},
		{"coord", t.Coord, true},
		{"system", t.System, true},
		{"json_key", t.JSONKey, false},
		{"json_string", t.JSONString, false},
		{"json_number", t.JSONNumber, false},
	}
}

// TestEveryNameIsTested keeps the table above complete.
func TestEveryNameIsTested(t *testing.T) {
	th := themes.Dark()
	list := named(&th)
	names := themes.StyleNames()
	if len(list) != len(names) {
		t.Fatalf("%d styles are tested, there are %d", len(list), len(names))
	}
	for i := range names {
		if list[i].name != names[i] {
			t.Errorf("style %d is %s, tested as %s", i, names[i], list[i].name)
		}
	}
}

func TestMonoHasNoColourAndANSIHasSixteen(t *testing.T) {
	mono, ansi := themes.Mono(), themes.ANSI()
	for _, s := range named(&mono) {
		for _, n := range parameters(s.style.Open()) {
			if n > 9 {
				t.Errorf("mono: %s has the colour %q", s.name, s.style.Open())
			}
		}
	}
	for _, s := range named(&ansi) {
		for _, n := range parameters(s.style.Open()) {
			if n > 9 && !(n >= 30 && n <= 37 || n >= 40 && n <= 47 || n >= 90 && n <= 107) {
				t.Errorf("ansi: %s has %q", s.name, s.style.Open())
			}
		}
	}
	if mono.Selected.Plain() || mono.FocusHead.Plain() || mono.Pressed.Plain() {
		t.Error("mono does not show what is chosen")
	}
}

// TestEveryStyleHasOneSpec: a theme made of nothing but specs has every field
// filled, so each() misses none.
func TestEveryStyleHasOneSpec(t *testing.T) {
	var b strings.Builder
	b.WriteString("[styles]\n")
	for _, n := range themes.StyleNames() {
		b.WriteString(n + " = \"strike #010203\"\n")
	}
	th, err := themes.Parse("all", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range named(&th) {
		if s.style.Open() != "\x1b[38;2;1;2;3;9m" {
			t.Errorf("%s is %q", s.name, s.style.Open())
		}
	}
}

func TestAuto(t *testing.T) {
	for v, want := range map[string]string{
		"": "dark", "15;0": "dark", "0;15": "light", "0;default;15": "light", "12;8": "dark", "0;7": "light", "x": "dark", ";": "dark",
		"0;99": "dark",
	} {
		if got := themes.Auto(v).Name; got != want {
			t.Errorf("COLORFGBG=%q chooses %s, want %s", v, got, want)
		}
	}
}

func env(kv map[string]string) func(string) string { return func(k string) string { return kv[k] } }

func TestLoad(t *testing.T) {
	dir := fstest.MapFS{
		"night.toml":    {Data: []byte("base = \"dark\"\n[styles]\nwarn = \"bold #ffaa00 on #202020\"\nkey = \"bright-blue\"\nok = \"208\"\n")},
		"paper.toml":    {Data: []byte("base = \"light\"\n")},
		"unknown.toml":  {Data: []byte("base = \"dark\"\n\n[styles]\nwarning = \"red\"\n")},
		"colour.toml":   {Data: []byte("[styles]\nok = \"green\"\nwarn = \"bold #ffaa0\"\n")},
		"top.toml":      {Data: []byte("nmae = \"x\"\n")},
		"base.toml":     {Data: []byte("base = \"solarized\"\n")},
		"syntax.toml":   {Data: []byte("base = \"dark\"\n[styles\n")},
		"type.toml":     {Data: []byte("[styles]\nok = [1]\n")},
		"long.toml":     {Data: []byte(strings.Repeat("#", themes.MaxFile+1))},
		".hidden.toml":  {Data: []byte("")},
		"dark.toml":     {Data: []byte("base = \"light\"\n")},
		"not-a-theme":   {Data: []byte("")},
		"a space.toml":  {Data: []byte("")},
		"down/in.toml":  {Data: []byte("")},
		"esc\x1b[.toml": {Data: []byte("")},
	}
	night, err := themes.Load("night", dir, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := night.Warn.Open(); got != "\x1b[1;38;2;255;170;0;48;2;32;32;32m" {
		t.Errorf("warn is %q", got)
	}
	if got := night.Key.Open(); got != "\x1b[94m" {
		t.Errorf("key is %q", got)
	}
	if got := night.OK.Open(); got != "\x1b[38;5;208m" {
		t.Errorf("ok is %q", got)
	}
	if night.Muted != themes.Dark().Muted || night.Name != "night" {
		t.Error("what a file does not set is not its base's")
	}
	if paper, err := themes.Load("paper", dir, env(nil)); err != nil || paper.OK != themes.Light().OK {
		t.Errorf("an empty file on light: %v", err)
	}
	if th, err := themes.Load("auto", nil, env(map[string]string{"COLORFGBG": "0;15"})); err != nil || th.Name != "light" {
		t.Errorf("auto: %s, %v", th.Name, err)
	}
	if th, err := themes.Load("dark", dir, env(nil)); err != nil || th.OK != themes.Dark().OK {
		t.Errorf("a file hides a built-in theme: %v", err)
	}
	if got, want := strings.Join(themes.Names(dir), " "), "auto dark light ansi mono base colour long night paper syntax top type unknown"; got != want {
		t.Errorf("names are %q, want %q", got, want)
	}
	for name, want := range map[string]string{
		"unknown": "theme unknown, line 4: nothing is called \"styles.warning\"",
		"colour":  "theme colour, line 3: the style \"bold #ffaa0\" can't be read: \"#ffaa0\" is neither a colour nor an attribute",
		"top":     "theme top, line 1: nothing is called \"nmae\"",
		"base":    "theme base: there is no base \"solarized\"",
		"syntax":  "theme syntax, line 2: ",
		"type":    "theme type, line 2: ",
		"long":    "the theme long has 65537 bytes; at most 65536 fit",
		"none":    "there is no theme \"none\"",
		"../x":    "there is no theme \"../x\"",
	} {
		_, err := themes.Load(name, dir, env(nil))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
			continue
		}
		if code := model.CodeOf(err); code != model.CodeInvalid && code != model.CodeUsage {
			t.Errorf("%s: code %s", name, code)
		}
		if name != "long" && name != "syntax" && name != "type" && model.HintOf(err) == "" {
			t.Errorf("%s: no hint", name)
		}
	}
}

func TestSpecs(t *testing.T) {
	parse := func(spec string) (themes.Style, error) {
		th, err := themes.Parse("t", []byte("[styles]\nok = '"+spec+"'\n"))
		return th.OK, err
	}
	for spec, want := range map[string]string{
		"plain": "", "": "", "red": "\x1b[31m", "#abc": "\x1b[38;2;170;187;204m", "on blue": "\x1b[44m",
		"bold faint italic underline reverse": "\x1b[1;3;4;7;2;4m", "255 on 0": "\x1b[38;5;255;40m",
	} {
		if got, err := parse(spec); err != nil || got.Open() != want {
			t.Errorf("%q is %q (%v), want %q", spec, got.Open(), err, want)
		}
	}
	for _, spec := range []string{"red blue", "on", "red on", "on on red", "red on blue green", "#12", "#ggg", "256", "-1", "007", "Red", "bold,red"} {
		if _, err := parse(spec); err == nil {
			t.Errorf("%q is taken", spec)
		}
	}
}

func TestGlyphs(t *testing.T) {
	for _, c := range []struct {
		flag  bool
		env   map[string]string
		ascii bool
	}{
		{false, nil, false},
		{true, map[string]string{"LANG": "en_US.UTF-8"}, true},
		{false, map[string]string{"LANG": "C"}, true},
		{false, map[string]string{"LANG": "POSIX", "LC_ALL": "C.UTF-8"}, false},
		{false, map[string]string{"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}, true},
		{false, map[string]string{"LANG": "ja_JP.utf8"}, false},
	} {
		if got := themes.GlyphsFor(c.flag, env(c.env)).ASCII; got != c.ascii {
			t.Errorf("flag %v, %v: ASCII is %v", c.flag, c.env, got)
		}
	}
	g := themes.Plain()
	for _, s := range []string{
		g.Border.H, g.Border.V, g.Border.TL, g.Focus.H, g.Focus.V, g.Cursor, g.Mark, g.Live, g.Paused, g.ReadOnly, g.Good, g.Bad,
		g.Checking, g.Times, g.Dash, g.Ellipsis, g.Alert, g.Cause, g.Effect, g.Thumb, g.Bullet, g.Caret,
	} {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || r < 0x20 }) {
			t.Errorf("%q is not ASCII", s)
		}
	}
}

// TestParseAnything: whatever a file says, it is refused in clean words or its
// styles are styles and nothing else.
func TestParseAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom([]string{"[styles]\n", "base='mono'\n[styles]\n", ""}).Draw(t, "head") +
			rapid.SampledFrom(append(themes.StyleNames(), "x", "")).Draw(t, "name") + " = " +
			rapid.SampledFrom([]string{"'bold'", "'#123456 on 3'", "1", "{}", "'\x1b[31m'", "\"\\u001b[0m\"", "[", rapid.String().Draw(t, "any")}).Draw(t, "value")
		th, err := themes.Parse("x", []byte(src))
		if err != nil {
			if clean.Line(err.Error()) != err.Error() {
				t.Fatalf("the refusal is not clean: %q", err.Error())
			}
			return
		}
		for _, s := range named(&th) {
			for _, r := range s.style.Open() {
				if !strings.ContainsRune("\x1b[;m0123456789", r) {
					t.Fatalf("%s is %q", s.name, s.style.Open())
				}
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("base = \"dark\"\n[styles]\nwarn = \"bold #ffaa00 on #202020\"\n"))
	f.Add([]byte("[styles]\nok = 3"))
	f.Add([]byte("[styles\x1b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := themes.Parse("x", b); err != nil && clean.Line(err.Error()) != err.Error() {
			t.Fatalf("the refusal is not clean: %q", err.Error())
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	th := themes.Dark()
	b.ReportAllocs()
	for b.Loop() {
		th.Warn.Wrap("12:04:31 directive")
	}
}
