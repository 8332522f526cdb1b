package fleetmap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"

	"pgregory.net/rapid"
)

func sampleLive() Live {
	return Live{
		Repo: "example.invalid/app", Machine: "m-one", Agent: "ci-1", Boot: "b", Seq: 42, WrittenAt: model.Time(1e15),
		Ledger: LedgerHead{Seq: 3, Hash: strings.Repeat("a", 64), Epoch: "e1"},
		Rows: []LiveRow{{
			Session: "s", Actor: "ada", Agent: "codex", Change: "c-1", Base: strings.Repeat("0", 40), State: session.Working,
			Event: "PreToolUse", EventSeq: 7, Age: 1500 * time.Millisecond, Ctx: session.ContextUse{Used: 10, Max: 200},
			LastWrite: "a/b.go", WriteAge: 2 * time.Second, Paths: []string{"a/b.go"}, View: "/w/app",
		}},
	}
}

func TestLiveRoundTrip(t *testing.T) {
	l := sampleLive()
	got, err := ParseLive(l.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, l) {
		t.Fatalf("%+v\nwant\n%+v", got, l)
	}
}

func TestLiveEncodingAlwaysParsesAndFits(t *testing.T) {
	text := rapid.StringN(0, 300, -1)
	rapid.Check(t, func(t *rapid.T) {
		l := Live{Repo: text.Draw(t, "repo"), Machine: "m-x", Boot: text.Draw(t, "boot"), Seq: 1, WrittenAt: 1e15}
		n := rapid.IntRange(0, 90).Draw(t, "rows")
		long := rapid.Bool().Draw(t, "long")
		for i := range n {
			r := LiveRow{Session: fmt.Sprint("s", i), State: session.Idle, Age: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "age"))}
			if long {
				r.Actor, r.View, r.Event = text.Draw(t, "actor"), strings.Repeat("v", 300), "\x9b\xff\u202e"
				for range 30 {
					r.Paths = append(r.Paths, strings.Repeat("p", 100))
				}
			}
			l.Rows = append(l.Rows, r)
		}
		raw := l.Encode()
		if len(raw) > MaxLiveBytes {
			t.Fatalf("%d bytes", len(raw))
		}
		got, err := ParseLive(raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		if int(got.Dropped)+len(got.Rows) != n {
			t.Fatalf("%d rows and %d dropped of %d", len(got.Rows), got.Dropped, n)
		}
		for i := 1; i < len(got.Rows); i++ {
			if got.Rows[i].Age < got.Rows[i-1].Age {
				t.Fatal("not the newest first")
			}
		}
	})
}

func TestRow23SixtyFiveSessions(t *testing.T) {
	l := Live{Machine: "m-x", Seq: 1}
	for i := range 65 {
		l.Rows = append(l.Rows, LiveRow{Session: fmt.Sprint("s", i), State: session.Idle, Age: time.Duration(i) * time.Second})
	}
	got, err := ParseLive(l.Encode())
	if err != nil || len(got.Rows) != 64 || got.Dropped != 1 || got.Rows[63].Session != "s63" {
		t.Fatalf("%d rows, dropped %d, %v", len(got.Rows), got.Dropped, err)
	}
}

func TestParseLiveRefuses(t *testing.T) {
	good := `{"schema":"bay.live/1","repo":"r","machine":"m-x","agent":null,"boot":"b","seq":1,"written_at":"2026-11-30T10:00:00Z","dropped":0,"rows":[{"session":"s","state":"idle","age_ms":5}]}`
	if _, err := ParseLive([]byte(good)); err != nil {
		t.Fatal(err)
	}
	swap := func(old, with string) string {
		out := strings.Replace(good, old, with, 1)
		if out == good {
			t.Fatalf("%q is not in the sample", old)
		}
		return out
	}
	row := func(members string) string { return swap(`{"session":"s","state":"idle","age_ms":5}`, "{"+members+"}") }
	for name, text := range map[string]string{
		"empty":                     "",
		"no object":                 "[]",
		"null":                      "null",
		"cut off":                   good[:len(good)-2],
		"second value":              good + "{}",
		"something behind":          good + "x",
		"other schema":              swap("bay.live/1", "bay.live/2"),
		"duplicate name":            swap(`"boot":"b"`, `"boot":"b","machine":"m-y"`),
		"duplicate name in a row":   row(`"session":"s","state":"idle","age_ms":5,"age_ms":6`),
		"another case":              swap(`"boot":"b"`, `"boot":"b","Machine":"m-y"`),
		"kelvin sign":               swap(`"boot":"b"`, `"boot":"b","\u212aey":1`),
		"digit in a name":           swap(`"boot":"b"`, `"boot":"b","x1":1`),
		"empty name":                swap(`"boot":"b"`, `"boot":"b","":1`),
		"bad name deep in unknown":  swap(`"boot":"b"`, `"boot":"b","more":[{"a":{"B":1}}]`),
		"duplicate deep in unknown": swap(`"boot":"b"`, `"boot":"b","more":{"a":1,"a":2}`),
		"too deep":                  swap(`"boot":"b"`, `"boot":"b","more":`+strings.Repeat("[", 17)+strings.Repeat("]", 17)),
		"invalid UTF-8":             swap(`"boot":"b"`, "\"boot\":\"\xff\""),
		"lone surrogate":            swap(`"boot":"b"`, `"boot":"\ud800"`),
		"seq beyond 2^53":           swap(`"seq":1`, `"seq":9007199254740993`),
		"seq huge":                  swap(`"seq":1`, `"seq":1e300`),
		"seq negative":              swap(`"seq":1`, `"seq":-1`),
		"seq fraction":              swap(`"seq":1`, `"seq":1.5`),
		"seq a string":              swap(`"seq":1`, `"seq":"1"`),
		"unknown number inexact":    swap(`"boot":"b"`, `"boot":"b","more":123456789012345678901`),
		"row 18: age_ms negative":   row(`"session":"s","state":"idle","age_ms":-5`),
		"age_ms too long":           row(`"session":"s","state":"idle","age_ms":900719925474099`),
		"age_ms missing":            row(`"session":"s","state":"idle"`),
		"session empty":             row(`"session":"","state":"idle","age_ms":5`),
		"session missing":           row(`"state":"idle","age_ms":5`),
		"state no word":             row(`"session":"s","state":"\u001b[2J","age_ms":5`),
		"base no commit":            row(`"session":"s","state":"idle","age_ms":5,"base":"HEAD"`),
		"change no id":              row(`"session":"s","state":"idle","age_ms":5,"change":"../x"`),
		"paths not strings":         row(`"session":"s","state":"idle","age_ms":5,"paths":[1]`),
		"ctx a number":              row(`"session":"s","state":"idle","age_ms":5,"ctx":3`),
		"rows an object":            swap(`"rows":[`, `"rows":{"x":[`) + "}",
		"no rows":                   swap(`,"rows":[{"session":"s","state":"idle","age_ms":5}]`, ""),
		"time no time":              swap("2026-11-30T10:00:00Z", "yesterday"),
		"hash no hash":              swap(`"dropped":0`, `"ledger":{"seq":1,"hash":"abc"}`),
		"65 rows":                   swap(`{"session":"s","state":"idle","age_ms":5}`, strings.TrimSuffix(strings.Repeat(`{"session":"s","state":"idle","age_ms":5},`, 65), ",")),
	} {
		if l, err := ParseLive([]byte(text)); err == nil {
			t.Errorf("%s: taken as %+v", name, l)
		} else if model.CodeOf(err) != model.CodeMalformed {
			t.Errorf("%s: %v is %s", name, err, model.CodeOf(err))
		}
	}
	big := swap(`"boot":"b"`, `"boot":"`+strings.Repeat("b", MaxLiveBytes)+`"`)
	if _, err := ParseLive([]byte(big)); model.CodeOf(err) != model.CodeOversized {
		t.Errorf("too many bytes: %v", err)
	}
	if _, err := ParseLive([]byte(swap(`"boot":"b"`, `"boot":"b","more":[1,{"x":[true,null,"\u001b"]}]`))); err != nil {
		t.Errorf("an unknown member is refused: %v", err)
	}
}

func FuzzParseLive(f *testing.F) {
	l := sampleLive()
	f.Add(l.Encode())
	f.Add([]byte(`{"schema":"bay.live/1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := ParseLive(raw)
		if err != nil {
			return
		}
		if !json.Valid(raw) || len(l.Rows) > MaxLiveRows {
			t.Fatalf("taken: %q", raw)
		}
		again, err := ParseLive(l.Encode())
		if err != nil {
			t.Fatalf("what was read can't be written and read: %v", err)
		}
		if again.Machine != l.Machine && len(l.Machine) < maxLiveText {
			t.Fatalf("%q became %q", l.Machine, again.Machine)
		}
		for _, r := range l.Cleaned().Rows {
			if bytes.ContainsRune([]byte(r.Session+r.Actor+r.View), 0x1b) {
				t.Fatal("an escape is left")
			}
		}
	})
}

func BenchmarkParseLive(b *testing.B) {
	l := sampleLive()
	r := l.Rows[0]
	l.Rows = nil
	for i := range 64 {
		r.Session = fmt.Sprint("session-", i)
		l.Rows = append(l.Rows, r)
	}
	raw := l.Encode()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := ParseLive(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "m-abc": true, "0": true, strings.Repeat("a", 63): true, strings.Repeat("a", 64): false, "": false, "-a": false,
		"a-": false, "A": false, "a.b": false, "a/b": false, "a_b": false, "ä": false, "a^{}": false, "..": false, "a\n": false,
	} {
		if got := CheckMachine(name) == nil; got != ok {
			t.Errorf("%q: %v", name, got)
		}
	}
	if CheckChange("C-12") != nil || CheckChange("C_12") == nil {
		t.Error("change ids")
	}
	if n := NewMachine([]byte{1, 2, 3, 4, 5, 6, 7}); CheckMachine(n) != nil || len(n) != 12 {
		t.Errorf("made %q", n)
	}
}

func TestRepoName(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/acme/app.git":      "github.com/acme/app",
		"https://u:p@GitHub.com/acme/app":      "github.com/acme/app",
		"ssh://git@github.com:22/acme/app.git": "github.com/acme/app",
		"git@github.com:acme/app.git":          "github.com/acme/app",
		"github.com:acme/app/":                 "github.com/acme/app",
		"/srv/git/app.git":                     "/srv/git/app",
		"/srv/x/../git//app.git/":              "/srv/git/app",
		"https://GitHub.com/Acme/x/../App.git": "github.com/acme/app",
		"git@gitlab.com:Acme/App":              "gitlab.com/acme/app",
		"https://git.example.org/Acme/App":     "git.example.org/Acme/App",
		"file:///srv/git/app.git":              "/srv/git/app",
	} {
		if got := RepoName(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
