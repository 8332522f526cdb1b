package filter

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/directive"

	"pgregory.net/rapid"
)

func mustFilter(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) Filter {
	t.Helper()
	f, err := Parse(text, noon)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return f
}

// sampleEvents are what the table below picks from, by number.
func sampleEvents() []model.Event {
	hour := model.Time(3600e6)
	return []model.Event{
		{Seq: 1, TS: noon - 5*hour, Kind: model.KindNote, Topic: "build/log", Producer: "ci, east", Payload: []byte(`{"text":"Compiling \"core\" for Zürich"}`)},
		{Seq: 2, TS: noon - 4*hour, Kind: model.KindSignal, Topic: "build/alert", Producer: "probe", Key: "disk", State: "pending", Payload: []byte(`{"summary":"disk full"}`)},
		{Seq: 3, TS: noon - 3*hour, Kind: model.KindSignal, Topic: "build/alert", Producer: "ops", Key: "disk", State: "claimed", Payload: []byte(`{"by":"ops","summary":"disk full"}`)},
		{Seq: 4, TS: noon - 2*hour, Kind: model.KindDirective, Topic: "queue/release", Producer: "lead", Key: "41", State: "pending", Payload: []byte(`{"action":"push","body":"ship it","priority":"P0"}`)},
		{Seq: 5, TS: noon - hour, Kind: model.KindDirective, Topic: "queue/release", Producer: "builder-2", Key: "41", State: "taken", Payload: []byte(`{"action":"take","by":"builder-2"}`)},
		{Seq: 6, TS: noon, Kind: model.KindWork, Topic: "job/a", Producer: "w", Key: "a*b", State: "done", Payload: []byte(`{"action":"complete","executor":"w \"1\""}`)},
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
	signal := model.Signal{Key: "disk", State: model.SignalClaimed, Topic: "build/alert", Summary: "Disk full", Producer: "probe", Holder: "ops", Since: noon - 60e6}
	work := model.Work{Key: "job-42", State: model.WorkFailed, Topic: "job", Executor: "w1", Reason: "No space", Evidence: []byte(`{"log":"x"}`), Since: noon - 60e6}
	directive := directive.Directive{ID: 41, Priority: directive.P0, Lane: "release", Body: "Ship it", Status: directive.StatusTaken, TakenBy: "b2", Reason: "urgent", Since: noon - 60e6}
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
		_, err := Parse(tt.in, noon)
		var fe *Error
		if !errors.As(err, &fe) {
			t.Errorf("%q: %v is no Error", tt.in, err)
			continue
		}
		if fe.Pos != tt.pos || fe.Len != tt.len {
			t.Errorf("%q: at %d+%d, want %d+%d", tt.in, fe.Pos, fe.Len, tt.pos, tt.len)
		}
		if !strings.Contains(err.Error(), tt.want) || !strings.Contains(model.HintOf(err), tt.hint) {
			t.Errorf("%q: %q, hint %q; want %q, %q", tt.in, err, model.HintOf(err), tt.want, tt.hint)
		}
		if model.CodeOf(err) != model.CodeInvalid || model.Exit(err) != 2 {
			t.Errorf("%q: code %s", tt.in, model.CodeOf(err))
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
	f, err := Parse(text, noon)
	if err != nil {
		var fe *Error
		if !errors.As(err, &fe) || fe.Pos < 0 || fe.Len < 0 || fe.Pos+fe.Len > len(text) {
			t.Fatalf("%q: the error's place is outside of the text: %#v", text, err)
		}
		return
	}
	canonical := f.String()
	if len(canonical) > MaxFilter {
		return // times and priorities are longer when written out
	}
	again, err := Parse(canonical, noon+12345)
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
		if got := string(model.Member(object, name)); got != want {
			t.Errorf("member %q is %q, want %q", name, got, want)
		}
	}
	for _, broken := range []string{"", "{", `{"a`, `{"a"`, `{"a":`, `{"a":"`, `{"a":{`, `{"a":1,`, `[1]`, `{"a\`} {
		if got := model.MemberString([]byte(broken), "b"); got != nil {
			t.Errorf("%q has a member: %q", broken, got)
		}
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	f := mustFilter(t, "kind:directive topic:queue/* lane:release priority:P0,P1 consumer:*2 -status:done since:9h ship -disk")
	e := model.Event{
		TS: noon, Kind: model.KindDirective, Topic: "queue/release", Producer: "lead", Key: "41", State: "pending",
		Payload: []byte(`{"action":"push","body":"ship it","by":"b2","priority":"P0"}`),
	}
	if !f.Match(&e) {
		t.Fatal("the event does not match")
	}
	if n := testing.AllocsPerRun(100, func() { f.Match(&e) }); n != 0 {
		t.Errorf("Match allocates %v times", n)
	}
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
		if filter, err := Parse(s, noon); err == nil {
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
