package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"
)

// noon is the present in these tests.
const noon = Time(1781956800000000) // 2026-06-20T12:00:00Z

func mustFilter(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) Filter {
	t.Helper()
	f, err := ParseFilter(text, noon)
	if err != nil {
		t.Fatalf("ParseFilter(%q): %v", text, err)
	}
	return f
}

// sampleEvents are what the table below picks from, by number.
func sampleEvents() []Event {
	hour := Time(3600e6)
	return []Event{
		{Seq: 1, TS: noon - 5*hour, Kind: KindNote, Topic: "build/log", Producer: "ci, east", Payload: []byte(`{"text":"Compiling \"core\" for Zürich"}`)},
		{Seq: 2, TS: noon - 4*hour, Kind: KindSignal, Topic: "build/alert", Producer: "probe", Key: "disk", State: "pending", Payload: []byte(`{"summary":"disk full"}`)},
		{Seq: 3, TS: noon - 3*hour, Kind: KindSignal, Topic: "build/alert", Producer: "ops", Key: "disk", State: "claimed", Payload: []byte(`{"by":"ops","summary":"disk full"}`)},
		{Seq: 4, TS: noon - 2*hour, Kind: KindDirective, Topic: "queue/release", Producer: "lead", Key: "41", State: "pending", Payload: []byte(`{"action":"push","body":"ship it","priority":"P0"}`)},
		{Seq: 5, TS: noon - hour, Kind: KindDirective, Topic: "queue/release", Producer: "builder-2", Key: "41", State: "taken", Payload: []byte(`{"action":"take","by":"builder-2"}`)},
		{Seq: 6, TS: noon, Kind: KindWork, Topic: "job/a", Producer: "w", Key: "a*b", State: "done", Payload: []byte(`{"action":"complete","executor":"w \"1\""}`)},
	}
}

func TestFilterMatch(t *testing.T) {
	tests := []struct {
		filter string
		want   []int64
	}{
		{"", []int64{1, 2, 3, 4, 5, 6}},
		{"kind:signal", []int64{2, 3}},
		{"KIND:Signal", []int64{2, 3}},
		{"kind:signal,note", []int64{1, 2, 3}},
		{"kind:signal kind:note", []int64{1, 2, 3}},
		{"-kind:signal,note", []int64{4, 5, 6}},
		{"kind:signal state:pending", []int64{2}},
		{"state:pending", []int64{2, 4}},
		{"state:p*", []int64{2, 4}},
		{"-state:pending", []int64{1, 3, 5, 6}},
		{"topic:build/*", []int64{1, 2, 3}},
		{"topic:*", []int64{1, 2, 3, 4, 5, 6}},
		{"topic:*l*", []int64{1, 2, 3, 4, 5}},
		{"topic:job/?", []int64{6}},
		{"topic:job/??", nil},
		{"topic:build", nil},
		{"-topic:build/* -topic:job/a", []int64{4, 5}},
		{"producer:probe", []int64{2}},
		{`producer:"ci, east"`, []int64{1}},
		{`producer:"ci, east",ops`, []int64{1, 3}},
		{"producer:*2", []int64{5}},
		{"key:41", []int64{4, 5}},
		{`key:""`, []int64{1}},
		{"key:?*", []int64{2, 3, 4, 5, 6}},
		{`key:"a*b"`, []int64{6}},
		{`key:"a?b"`, nil},
		{"lane:release", []int64{4, 5}},
		{"lane:rel*", []int64{4, 5}},
		{"lane:default", nil},
		{"-lane:release", []int64{1, 2, 3, 6}},
		{"priority:P0", []int64{4}},
		{"priority:0,p1", []int64{4}},
		{"-priority:P0", []int64{1, 2, 3, 5, 6}},
		{"status:pending", []int64{4}},
		{"status:pending,TAKEN", []int64{4, 5}},
		{"-status:pending", []int64{1, 2, 3, 5, 6}},
		{"consumer:builder-2", []int64{5}},
		{"consumer:ops", []int64{3}},
		{`consumer:"w \"1\""`, []int64{6}},
		{"since:2h", []int64{4, 5, 6}},
		{"until:2h", []int64{1, 2, 3}},
		{"since:4h until:2h", []int64{2, 3}},
		{"since:2026-06-20T13:00:00+02:00", []int64{5, 6}},
		{"disk", []int64{2, 3}},
		{"DISK full", []int64{2, 3}},
		{"\"disk full\"", []int64{2, 3}},
		{"\"full disk\"", nil},
		{"-disk", []int64{1, 4, 5, 6}},
		{"disk -ops", []int64{2}},
		{"release", []int64{4, 5}},
		{"EAST", []int64{1}},
		{"zürich", []int64{1}},
		{"ZÜRICH", nil},
		{`"\"core\""`, []int64{1}},
		{`"12:00"`, nil},
		{`"\"by\":"`, nil}, // a quote in the text is an escaped quote in the payload
		{"kind:signal claimed", nil},
	}
	events := sampleEvents()
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			f := mustFilter(t, tt.filter)
			var got []int64
			for i := range events {
				if f.Match(&events[i]) {
					got = append(got, events[i].Seq)
				}
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s finds %v, want %v", tt.filter, got, tt.want)
			}
			if f.Empty() != (tt.filter == "") {
				t.Errorf("Empty is %v", f.Empty())
			}
		})
	}
}

func TestFilterRecords(t *testing.T) {
	signal := Signal{Key: "disk", State: SignalClaimed, Topic: "build/alert", Summary: "Disk full", Producer: "probe", Holder: "ops", Since: noon - 60e6}
	work := Work{Key: "job-42", State: WorkFailed, Topic: "job", Executor: "w1", Reason: "No space", Evidence: []byte(`{"log":"x"}`), Since: noon - 60e6}
	directive := Directive{ID: 41, Priority: P0, Lane: "release", Body: "Ship it", Status: StatusTaken, TakenBy: "b2", Reason: "urgent", Since: noon - 60e6}
	tests := []struct {
		filter                  string
		signal, work, directive bool
	}{
		{"", true, true, true},
		{"kind:signal", true, false, false},
		{"-kind:signal", false, true, true},
		{"state:claimed", true, false, false},
		{"state:taken", false, false, true},
		{"status:taken", false, false, true},
		{"-status:taken", true, true, false},
		{"topic:queue/*", false, false, true},
		{"lane:release", false, false, true},
		{"-lane:release", true, true, false},
		{"priority:P0", false, false, true},
		{"producer:probe", true, false, false},
		{"consumer:ops,w1,b2", true, true, true},
		{"key:41", false, false, true},
		{"key:job-*", false, true, false},
		{"since:1m", true, true, true},
		{"since:30s", false, false, false},
		{"until:30s", true, true, true},
		{"disk", true, false, false},
		{"ops", true, false, false},
		{"space", false, true, false},
		{"log", false, true, false},
		{"SHIP", false, false, true},
		{"urgent", false, false, true},
		{"-ship -disk -space", false, false, false},
	}
	for _, tt := range tests {
		f := mustFilter(t, tt.filter)
		if got := f.MatchSignal(&signal); got != tt.signal {
			t.Errorf("%q: signal %v", tt.filter, got)
		}
		if got := f.MatchWork(&work); got != tt.work {
			t.Errorf("%q: work %v", tt.filter, got)
		}
		if got := f.MatchDirective(&directive, "41"); got != tt.directive {
			t.Errorf("%q: directive %v", tt.filter, got)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	tests := []struct {
		in         string
		pos, len   int
		want, hint string
	}{
		{"kind:", 5, 0, "kind: a value is missing", "kind:signal"},
		{"a kind:note,", 12, 0, "kind: a value is missing", ""},
		{"kind:sginal", 5, 6, `kind: there is no "sginal"`, "did you mean signal?"},
		{"kind:note,zzz", 10, 3, `kind: there is no "zzz"`, "there are note, signal"},
		{"kind:no*", 5, 3, `kind: there is no "no*"`, "did you mean note?"},
		{"status:open", 7, 4, `status: there is no "open"`, "there are pending"},
		{"priority:P3", 9, 2, `priority: there is no "P3"`, "P0, P1, P2"},
		{"knd:note", 0, 3, `there is no field "knd"`, "did you mean kind:?"},
		{"x -http://host", 3, 4, `there is no field "http"`, `quote it: "http://host"`},
		{"topic:a b topic:c[d]", 16, 4, `topic: no topic has the character "["`, ""},
		{`topic:"a*"`, 6, 4, `topic: no topic has the character "*"`, ""},
		{"lane:ä", 5, 2, `lane: no lane has the character "ä"`, ""},
		{"since:", 6, 0, "since: a value is missing", "since:2h"},
		{"since:yesterday", 6, 9, `since: "yesterday" is neither a time nor a duration`, "2h for two hours ago"},
		{"since:1h since:2h", 9, 8, "since is given twice", ""},
		{"-until:1h", 0, 6, "until can't be negated", "since:T"},
		{`say "hello`, 4, 6, "the quote is not closed", ""},
		{`"a"b`, 3, 1, "a space must follow", ""},
		{`key:"a"b`, 7, 1, "key: a comma or a space must stand", ""},
		{`key:a"b"`, 5, 1, "key: a comma or a space must stand", ""},
		{`""`, 0, 2, "the phrase is empty", ""},
		{"a - b", 2, 1, "nothing stands after the dash", `"-"`},
		{"a\xff", 1, 1, "the filter is not valid UTF-8", ""},
		{strings.Repeat("x", MaxFilter+1), MaxFilter, 1, "at most 4096 fit", ""},
	}
	for _, tt := range tests {
		_, err := ParseFilter(tt.in, noon)
		var fe *FilterError
		if !errors.As(err, &fe) {
			t.Errorf("%q: %v is no FilterError", tt.in, err)
			continue
		}
		if fe.Pos != tt.pos || fe.Len != tt.len {
			t.Errorf("%q: at %d+%d, want %d+%d", tt.in, fe.Pos, fe.Len, tt.pos, tt.len)
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.Contains(HintOf(err), tt.hint) {
			t.Errorf("%q: %q, hint %q; want %q, %q", tt.in, err, HintOf(err), tt.want, tt.hint)
		}
		if CodeOf(err) != CodeInvalid || Exit(err) != 2 {
			t.Errorf("%q: code %s", tt.in, CodeOf(err))
		}
	}
}

func TestFilterCanonical(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"  disk   KIND:Note,note  ", "kind:note disk"},
		{"-key:x key:y key:y,z", "key:y,z -key:x"},
		{"b a -B b", "b a -b"},
		{`"a b" "single" "-dash" "kind:note" "12:30" x"y`, `"a b" single "-dash" "kind:note" 12:30 x"y`},
		{`key:"a,b","a*",a*,"q\"\\"`, `key:"a,b","a*",a*,"q\"\\"`},
		{"priority:p0", "priority:P0"},
		{"since:2h", "since:2026-06-20T10:00:00.000000Z"},
		{"until:1970-01-01T00:00:00Z", "until:1970-01-01T00:00:00.000000Z"},
	}
	for _, tt := range tests {
		f := mustFilter(t, tt.in)
		if got := f.String(); got != tt.want {
			t.Errorf("%q is written %q, want %q", tt.in, got, tt.want)
		}
	}
}

// filterText draws what people and accidents type.
func filterText() *rapid.Generator[string] {
	value := rapid.OneOf(
		rapid.SampledFrom([]string{"note", "signal", "pending", "P1", "a*b", "?", `"a b"`, `"x\"y"`, "release", "2h", "ä", `""`, "[", "-", "2026-06-20T15:00:00Z"}),
		rapid.StringMatching(`[a-zA-Z0-9*?/._-]{1,6}`),
		rapid.String(),
	)
	part := rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{"", "", "-"}).Draw(t, "sign")
		if rapid.Bool().Draw(t, "is a clause") {
			s += string(rapid.SampledFrom(Fields()).Draw(t, "field")) + ":"
			s += strings.Join(rapid.SliceOfN(value, 1, 3).Draw(t, "values"), ",")
			return s
		}
		return s + value.Draw(t, "word")
	})
	return rapid.Map(rapid.SliceOfN(part, 0, 5), func(p []string) string { return strings.Join(p, " ") })
}

func TestFilterRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFilterRoundTrip(t, filterText().Draw(t, "text")) })
}

func checkFilterRoundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	f, err := ParseFilter(text, noon)
	if err != nil {
		var fe *FilterError
		if !errors.As(err, &fe) || fe.Pos < 0 || fe.Len < 0 || fe.Pos+fe.Len > len(text) {
			t.Fatalf("%q: the error's place is outside of the text: %#v", text, err)
		}
		return
	}
	canonical := f.String()
	if len(canonical) > MaxFilter {
		return // times and priorities are longer when written out
	}
	again, err := ParseFilter(canonical, noon+12345)
	if err != nil {
		t.Fatalf("%q is written %q, which is refused: %v", text, canonical, err)
	}
	if !reflect.DeepEqual(f, again) {
		t.Fatalf("%q is written %q, which reads as\n%#v, not\n%#v", text, canonical, again, f)
	}
	if again.String() != canonical {
		t.Fatalf("%q, then %q", canonical, again.String())
	}
}

// TestFilterAgreesWithSQL holds Match to a plain translation into SQLite's SQL.
func TestFilterAgreesWithSQL(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, `CREATE TABLE events(seq INTEGER PRIMARY KEY, ts INTEGER, topic TEXT, producer TEXT, kind TEXT, key TEXT, state TEXT, payload TEXT)`); err != nil {
		t.Fatal(err)
	}
	name := rapid.SampledFrom([]string{"", "disk", "a*b", "a[b", "41", "é?", "Ops", "w \"1\"", "queue/release", "x\\y", "a_b%"})
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			Seq: 1, TS: noon + Time(rapid.IntRange(-1, 1).Draw(t, "ts")), Kind: rapid.SampledFrom(Kinds()).Draw(t, "kind"),
			Topic:    rapid.SampledFrom([]string{"queue/release", "queue/default", "build/log", "a"}).Draw(t, "topic"),
			Producer: name.Draw(t, "producer"), Key: name.Draw(t, "key"),
			State: rapid.SampledFrom([]string{"", "pending", "taken", "done"}).Draw(t, "state"),
		}
		payload := fmt.Sprintf(`{"by":%s,"executor":%s,"n":{"priority":"P2"},"priority":"%s","text":%s}`,
			appendString(nil, name.Draw(t, "by")), appendString(nil, name.Draw(t, "executor")),
			rapid.SampledFrom([]string{"P0", "P1"}).Draw(t, "priority"), appendString(nil, name.Draw(t, "text")))
		if e.Payload, err = CanonicalObject([]byte(payload)); err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		if field := rapid.SampledFrom(append(Fields(), "")).Draw(t, "field"); field != "" {
			text += string(field) + ":"
		}
		v := name.Draw(t, "value")
		if rapid.Bool().Draw(t, "quoted") {
			v = quote(v)
		}
		text += rapid.SampledFrom([]string{v, v, "*", "?*", "pending,done", "P1", "signal,directive", "rel*", "*s*", "0s", `"\"by\":\""`}).Draw(t, "v")
		f, err := ParseFilter(text, noon)
		if err != nil {
			t.Skip()
		}
		if _, err := db.ExecContext(ctx, `REPLACE INTO events VALUES (1,$1,$2,$3,$4,$5,$6,$7)`,
			int64(e.TS), e.Topic, e.Producer, string(e.Kind), sql.NullString{String: e.Key, Valid: e.Key != ""},
			sql.NullString{String: e.State, Valid: e.State != ""}, string(e.Payload)); err != nil {
			t.Fatal(err)
		}
		where, args := filterSQL(f)
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM events WHERE "+where, args...).Scan(&n); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if got := f.Match(&e); got != (n == 1) {
			t.Fatalf("%q on %s: Match %v, SQL %v (%s)", text, e.AppendJSON(nil), got, n == 1, where)
		}
	})
}

// filterSQL is the translation in its plainest form.
func filterSQL(f Filter) (string, []any) {
	var args []any
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	and := []string{"1"}
	if f.HasSince {
		and = append(and, "ts >= "+arg(int64(f.Since)))
	}
	if f.HasUntil {
		and = append(and, "ts < "+arg(int64(f.Until)))
	}
	for _, c := range f.Clauses {
		column, guard := "coalesce("+string(c.Field)+",'')", "1"
		switch c.Field {
		case FieldLane:
			column = "CASE WHEN kind='directive' THEN substr(topic, 7) ELSE '' END"
		case FieldStatus:
			column, guard = "coalesce(state,'')", "kind='directive'"
		case FieldPriority:
			column, guard = "coalesce(json_extract(payload,'$.priority'),'')", "kind='directive'"
		case FieldConsumer:
			column = "coalesce(CASE WHEN kind IN ('directive','signal') THEN json_extract(payload,'$.by') WHEN kind='work' THEN json_extract(payload,'$.executor') END,'')"
		}
		var or []string
		for _, p := range c.Any {
			or = append(or, "("+column+") GLOB "+arg(p.ClassGlob()))
		}
		s := "(" + guard + " AND (" + strings.Join(or, " OR ") + "))"
		if c.Not {
			s = "NOT " + s
		}
		and = append(and, s)
	}
	like := func(column, text string) string {
		text = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
		return column + " LIKE " + arg("%"+text+"%") + ` ESCAPE '\'`
	}
	for _, term := range f.Terms {
		s := "(" + like("payload", term.JSON) + " OR " + like("topic", term.Text) + " OR " +
			like("producer", term.Text) + " OR " + like("coalesce(key,'')", term.Text) + ")"
		if term.Not {
			s = "NOT " + s
		}
		and = append(and, s)
	}
	return strings.Join(and, " AND "), args
}

func TestGlobAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]rune("ab/é"))
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("ab/é*?")), 0, 8, -1).Draw(t, "pattern")
		s := rapid.StringOfN(alphabet, 0, 8, -1).Draw(t, "s")
		if got, want := glob(pattern, s), slowGlob([]rune(pattern), []rune(s)); got != want {
			t.Fatalf("glob(%q, %q) = %v", pattern, s, got)
		}
	})
}

func slowGlob(p, s []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '*':
		return slowGlob(p[1:], s) || len(s) > 0 && slowGlob(p, s[1:])
	default:
		return len(s) > 0 && (p[0] == '?' || p[0] == s[0]) && slowGlob(p[1:], s[1:])
	}
}

func TestMember(t *testing.T) {
	object := []byte(`{"a":{"b":"}"},"by":"x","e\"s":[1,"]"],"n":1.5,"z":null}`)
	for name, want := range map[string]string{"a": `{"b":"}"}`, "by": `"x"`, "n": "1.5", "z": "null", "b": "", "q": ""} {
		if got := string(member(object, name)); got != want {
			t.Errorf("member %q is %q, want %q", name, got, want)
		}
	}
	for _, broken := range []string{"", "{", `{"a`, `{"a"`, `{"a":`, `{"a":"`, `{"a":{`, `{"a":1,`, `[1]`, `{"a\`} {
		if got := memberString([]byte(broken), "b"); got != nil {
			t.Errorf("%q has a member: %q", broken, got)
		}
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	f := mustFilter(t, "kind:directive topic:queue/* lane:release priority:P0,P1 consumer:*2 -status:done since:9h ship -disk")
	e := Event{
		TS: noon, Kind: KindDirective, Topic: "queue/release", Producer: "lead", Key: "41", State: "pending",
		Payload: []byte(`{"action":"push","body":"ship it","by":"b2","priority":"P0"}`),
	}
	if !f.Match(&e) {
		t.Fatal("the event does not match")
	}
	if n := testing.AllocsPerRun(100, func() { f.Match(&e) }); n != 0 {
		t.Errorf("Match allocates %v times", n)
	}
}

func TestComplete(t *testing.T) {
	known := func(field string) []string {
		switch field {
		case "topic":
			return []string{"build/log", "build/alert", "host/load", "build/log"}
		case "producer":
			return []string{"ci, east", "builder"}
		}
		return nil
	}
	tests := []struct {
		text string // | is the cursor
		want []string
	}{
		{"ki|", []string{"kind:"}},
		{"st|", []string{"state:", "status:"}},
		{"-La|", []string{"-lane:"}},
		{"kind:|", []string{"kind:note", "kind:signal", "kind:metric", "kind:work", "kind:generic", "kind:directive", "kind:coord", "kind:system"}},
		{"kind:s|", []string{"kind:signal", "kind:system"}},
		{"x kind:note,ME| y", []string{"x kind:note,metric y"}},
		{"topic:buil|", []string{"topic:build/log", "topic:build/alert"}},
		{"topic:lo|", []string{"topic:build/log", "topic:host/load"}},
		{"producer:c|", []string{`producer:"ci, east"`}},
		{`producer:"ci, e|`, []string{`producer:"ci, east"`}},
		{`producer:"ci, east",b|`, []string{`producer:"ci, east",builder`}},
		{`producer:"ci, east" pri|`, []string{`producer:"ci, east" priority:`}},
		{"priority:|", []string{"priority:P0", "priority:P1", "priority:P2"}},
		{"status:dr|", []string{"status:dropped"}},
		{`"ki|`, nil},
		{`"a ki|`, nil},
		{"zzz|", nil},
		{"nofield:x|", nil},
		{"key:|", nil},
	}
	for _, tt := range tests {
		cursor := strings.Index(tt.text, "|")
		text := strings.Replace(tt.text, "|", "", 1)
		var got []string
		for _, s := range Complete(text, cursor, known) {
			got = append(got, text[:s.From]+s.Text+text[s.To:])
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
	if got := Complete("", 0, nil); len(got) != len(Fields()) || got[0].Note == "" {
		t.Errorf("an empty filter gets %v", got)
	}
	if got := Complete("topic:", 99, func(string) []string {
		var many []string
		for i := range 200 {
			many = append(many, fmt.Sprint("t", i))
		}
		return many
	}); len(got) != MaxSuggestions {
		t.Errorf("%d suggestions", len(got))
	}
}

func TestCompleteStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(filterText(), hostile()).Draw(t, "text")
		cursor := rapid.IntRange(-1, len(text)+1).Draw(t, "cursor")
		for _, s := range Complete(text, cursor, func(string) []string { return []string{"a b", `q"`, "*", "\xff"} }) {
			if s.From < 0 || s.From > s.To || s.To > len(text) || !utf8.ValidString(s.Text) {
				t.Fatalf("%q at %d: %+v", text, cursor, s)
			}
		}
	})
}

func TestFieldsAreDescribed(t *testing.T) {
	for _, f := range Fields() {
		if f.Describe() == "" {
			t.Errorf("%s has no description", f)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{
		"kind:signal state:pending topic:build/* producer:x key:41 lane:release since:2h words -word", `"a \"b" -key:"x,y",z*`, "- ", "kind:", `"`,
		"since:1970-01-01T00:00:00Z", "since:0001-01-01T00:00:00+14:00", "until:9999-12-31T23:59:59-10:00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkFilterRoundTrip(t, s)
		for i := range len(s) + 1 {
			if i > 40 {
				break
			}
			Complete(s, i, nil)
		}
		if filter, err := ParseFilter(s, noon); err == nil {
			for _, e := range sampleEvents() {
				filter.Match(&e)
			}
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	e := sampleEvents()[3]
	for _, text := range []string{"kind:signal", "kind:directive lane:release priority:P0", "topic:*/rel* -disk ship"} {
		f := mustFilter(b, text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Match(&e)
			}
		})
	}
}
