package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/filter"
)

// testEnv is a world in which nothing is real but the folder.
type testEnv struct {
	Env
	out, err bytes.Buffer
}

// at is the instant of every test here.
const at = model.Time(1_800_000_000_000_000)

func newEnv(t *testing.T, vars ...string) *testEnv {
	t.Helper()
	e := &testEnv{}
	e.Env = Env{
		Stdin: strings.NewReader(""), Stdout: &e.out, Stderr: &e.err, Dir: t.TempDir(),
		Clock: model.WallOnly(func() model.Time { return at }),
		Getenv: func(name string) string {
			for _, v := range vars {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		},
		IsTerminal: func(Stream) bool { return false },
	}
	return e
}

// run runs the program and returns what it wrote.
func (e *testEnv) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	e.out.Reset()
	e.err.Reset()
	if got := Main(args, e.Env); got != want {
		t.Fatalf("binnacle %s ends with %d, not %d; it says %s%s", strings.Join(args, " "), got, want, e.out.String(), e.err.String())
	}
	return e.out.String()
}

// The program takes everything from its Env: time, name, folder, streams.
func TestTheProgramIsAValue(t *testing.T) {
	e := newEnv(t, "BINNACLE_PRODUCER=somebody")
	e.run(t, 0, "init")
	line := e.run(t, 0, "emit", "a/b", `{"text":"x"}`, "--kind", "note")
	var got model.Event
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	if got.TS != at || got.Producer != "somebody" || got.Seq != 1 {
		t.Errorf("the event is %+v", got)
	}
	if _, err := os.Stat(filepath.Join(e.Dir, ".binnacle", "binnacle.db")); err != nil {
		t.Error(err)
	}
	e.Stdin = strings.NewReader("{\"text\":\"from stdin\"}")
	if line := e.run(t, 0, "emit", "a/b", "-", "--kind", "note"); !strings.Contains(line, "from stdin") {
		t.Errorf("stdin was not read: %s", line)
	}
}

// A producer's name comes from the flag, the environment, config.toml, the
// user, in this order.
func TestWhoWrites(t *testing.T) {
	who := func(e *testEnv, args ...string) string {
		var got model.Event
		if err := json.Unmarshal([]byte(e.run(t, 0, append([]string{"emit", "a/b", "{}"}, args...)...)), &got); err != nil {
			t.Fatal(err)
		}
		return got.Producer
	}
	e := newEnv(t)
	e.run(t, 0, "init")
	e.User = func() string { return "user@host" }
	if got := who(e); got != "user@host" {
		t.Errorf("the user is %s", got)
	}
	e.User = func() string { return "bad\x1bname" }
	if got := who(e); got != "binnacle" {
		t.Errorf("in place of an impossible name stands %s", got)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, ".binnacle", "config.toml"), []byte("producer = \"configured\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := who(e); got != "configured" {
		t.Errorf("config.toml says %s", got)
	}
	env := newEnv(t, "QUAY_PRODUCER=old")
	env.Dir = e.Dir
	if got := who(env); got != "old" {
		t.Errorf("the environment says %s", got)
	}
	if got := who(env, "--producer", "flag"); got != "flag" {
		t.Errorf("the flag says %s", got)
	}
}

// closing is a pipe whose reader goes away after n bytes.
type closing struct{ left int }

func (c *closing) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	}
	return len(b), nil
}

func TestAClosedPipeIsNoFailure(t *testing.T) {
	e := newEnv(t)
	e.run(t, 0, "init")
	e.Stdin = strings.NewReader(strings.Repeat("{\"text\":\"x\"}\n", 5000))
	e.run(t, 0, "emit", "a/b", "--kind", "note", "--stdin")
	for _, args := range [][]string{
		{"log", "--limit", "5000"},
		{"export"},
		{"query", "--export", "csv"},
		{"status"},
		{"kinds"},
		{"log", "--follow"},
		{"--plain", "--replay", "5000"},
		{"--plain"},
		{"queue", "list"},
		{"completion", "bash"},
		{"man"},
		{"--help"},
	} {
		for _, bytes := range []int{0, 200_000} {
			e.err.Reset()
			e.Stdout = &closing{bytes}
			limit := "30"
			if last := args[len(args)-1]; last == "--follow" || args[0] == "--plain" {
				limit = "1" // what follows waits for more where the pipe takes all that there is
			}
			args := append([]string{"--timeout", limit}, args...)
			if got := Main(args, e.Env); got != 0 || e.err.Len() > 0 {
				t.Errorf("binnacle %s ends with %d and says %s", strings.Join(args, " "), got, e.err.String())
			}
		}
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFullDiskBehindStdoutIsAFailure(t *testing.T) {
	e := newEnv(t)
	e.run(t, 0, "init")
	e.Stdout = full{}
	e.run(t, 1, "status")
	if !strings.Contains(e.err.String(), "stdout can't be written") {
		t.Errorf("it says %s", e.err.String())
	}
}

// waiting is a stdin that nobody writes to; reading tells that somebody waits.
type waiting struct {
	io.Reader
	reading chan struct{}
}

func (w *waiting) Read(b []byte) (int, error) {
	select {
	case w.reading <- struct{}{}:
	default:
	}
	return w.Reader.Read(b)
}

// A signal ends a command that waits, with the status that shells expect, and
// what was accepted before is there.
func TestASignalEndsACommand(t *testing.T) {
	e := newEnv(t)
	e.run(t, 0, "init")
	signals := make(chan os.Signal, 1)
	e.Signals = func() (<-chan os.Signal, func()) { return signals, func() {} }
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	stdin := &waiting{r, make(chan struct{}, 1)}
	e.Stdin = stdin
	e.out.Reset()
	status := make(chan int, 1)
	go func() { status <- Main([]string{"emit", "a/b", "--kind", "note", "--stdin"}, e.Env) }()
	<-stdin.reading
	signals <- syscall.SIGTERM
	select {
	case got := <-status:
		if got != 128+int(syscall.SIGTERM) {
			t.Errorf("it ends with %d", got)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestTimeoutBoundsWaiting(t *testing.T) {
	e := newEnv(t)
	e.run(t, 0, "init")
	e.run(t, 1, "queue", "next", "--wait", "1h", "--timeout", "50ms")
	if !strings.Contains(e.err.String(), "not done within 50ms") {
		t.Errorf("it says %s", e.err.String())
	}
	e.run(t, 3, "queue", "next", "--wait", "20ms")
}

func TestReadOnlyRefusesEveryChange(t *testing.T) {
	e := newEnv(t)
	e.run(t, 0, "init")
	e.run(t, 0, "queue", "push", "-b", "x")
	for _, args := range [][]string{
		{"emit", "a/b", "{}"},
		{"queue", "push", "-b", "x"},
		{"queue", "next"},
		{"queue", "drop", "1", "--force"},
		{"signal", "claim", "1"},
		{"work", "claim", "k"},
		{"rebuild"},
		{"restore", "x"},
		{"import", "x"},
		{"init"},
		{"queue", "reap"},
		{"queue", "migrate"},
	} {
		e.run(t, 1, append([]string{"--read-only"}, args...)...)
		if !strings.Contains(e.err.String(), "--read-only refuses every change") {
			t.Errorf("binnacle --read-only %s says %s", strings.Join(args, " "), e.err.String())
		}
	}
	for _, args := range [][]string{{"status"}, {"log"}, {"verify"}, {"queue", "list"}, {"queue", "peek"}, {"--plain", "--once"}} {
		e.run(t, 0, append([]string{"--read-only"}, args...)...)
	}
}

// Flags that stand for clauses of the filter language mean what they say,
// whatever stands in them.
func TestFilterTextMeansTheFlags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ -~é日"\\,*?:-]{1,12}`).Draw(t, "key")
		other := rapid.StringMatching(`[ -~]{1,12}`).Draw(t, "other")
		text, err := filterText("", clause{"key", []string{key}, false})
		if err != nil {
			t.Fatal(err)
		}
		f, err := filter.Parse(text, at)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, k := range []string{key, other} {
			e := model.Event{Kind: model.KindSignal, Key: k, Topic: "a", Producer: "p", Payload: []byte("{}")}
			if f.Match(&e) != (k == key) {
				t.Fatalf("%s matches %q: %v", text, k, f.Match(&e))
			}
		}
	})
	text, err := filterText("-word", clause{"topic", []string{"build/*", "a"}, true}, clause{"kind", []string{"note"}, false})
	if want := `-word topic:build/*,"a" kind:"note"`; err != nil || text != want {
		t.Errorf("it is %s (%v), not %s", text, err, want)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"emit", "export", "import", "init", "log", "query", "status"}
	for written, want := range map[string]string{
		"emti": "emit", "imprt": "import", "exprot": "export", "stat": "status", "stauts": "status", "xyzzy": "", "": "", "lo": "log",
	} {
		if got := nearest(written, names); got != want {
			t.Errorf("%q is nearest to %q, not to %q", written, got, want)
		}
	}
}

func TestWordsAndNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 18204: "18,204", -1234567: "-1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 118784: "116 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
	if got := list([]string{"a", "b", "c"}); got != "a, b or c" {
		t.Errorf("the list is %s", got)
	}
}

func TestTableColumnsStayTrue(t *testing.T) {
	e := newEnv(t)
	a := &app{env: e.Env, out: &output{w: &e.out, closed: func() {}}}
	err := a.table([]column{{name: "key"}, {name: "n", right: true}, {name: "text", most: 8}}, [][]string{
		{"日本", "1", "x"}, {"💰\x1b[31m", "1000", "a long text"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "KEY         N  TEXT\n日本        1  x\n💰␛[31m  1000  a long …\n"
	if got := e.out.String(); got != want {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
}

func TestCauseKeepsWhatWasSaid(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	own := model.Errorf(model.CodeRefused, "no")
	if got := cause(ctx, own); !errors.Is(got, own) {
		t.Errorf("it became %v", got)
	}
	cancel(errClosedPipe)
	if got := cause(ctx, own); !errors.Is(got, own) {
		t.Errorf("a refusal became %v", got)
	}
	if got := cause(ctx, context.Canceled); !errors.Is(got, errClosedPipe) {
		t.Errorf("an echo became %v", got)
	}
}

func FuzzIDs(f *testing.F) {
	for _, s := range []string{"1", "1,2 3", "#4", "", "0", "-1", "9999999999999999999", "a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ids([]string{s})
		if err != nil && model.Exit(err) != 2 {
			t.Errorf("%q ends with %d", s, model.Exit(err))
		}
		for _, n := range got {
			if n < 0 { // 0 is an id that nothing has
				t.Errorf("%q gives %d", s, n)
			}
		}
	})
}

func FuzzPlace(f *testing.F) {
	for _, s := range []string{"12", "e4.12", "eabc.0", "2h", "1.5d", "2026-06-20T15:00:00Z", "", "-1", "e.1", "yesterday"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := place{now: func() model.Time { return at }}
		if err := p.Set(s); err != nil {
			if model.Exit(err) != 2 {
				t.Errorf("%q ends with %d", s, model.Exit(err))
			}
			return
		}
		if p.cursor == nil && p.at == 0 && s != "1970-01-01T00:00:00Z" {
			if tt, err := model.ParseTime(s); err != nil || tt != 0 {
				t.Errorf("%q is taken and means nothing", s)
			}
		}
	})
}

func BenchmarkTree(b *testing.B) {
	e := &testEnv{}
	e.Env = Env{Clock: model.WallOnly(func() model.Time { return at }), Getenv: func(string) string { return "" }}
	for b.Loop() {
		newRoot(&app{env: e.Env, out: &output{w: io.Discard}})
	}
}
