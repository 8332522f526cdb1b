package command

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/ui/command/cli"
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
	e.Env.Env = cli.Env{
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
		IsTerminal: func(cli.Stream) bool { return false },
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

func BenchmarkTree(b *testing.B) {
	e := &testEnv{}
	e.Env.Env = cli.Env{Clock: model.WallOnly(func() model.Time { return at }), Getenv: func(string) string { return "" }}
	for b.Loop() {
		newRoot(cli.NewRun(e.Env.Env), e.Programs)
	}
}
