package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/ui/command/cli"
	"binnacle/ui/command/cockpit"
)

// A wrong input of any command is refused in one sentence of ours, with the
// right exit status, nothing on stdout and nothing written. The tree of commands
// itself says what there is to get wrong, so a new command is held to it, too.

// wrong is one wrong input.
type wrong struct {
	args  []string
	exits []int // those that are right; the first is the usual one
}

// foreign are words of the libraries, of Go and of the system, which mean
// nothing to whoever typed the command.
var foreign = []string{
	"if any flags in the group", "invalid argument", "unknown shorthand", "unknown flag", "unknown command", "strconv", "pflag", "cobra",
	"invalid character", "unexpected EOF", "jsontext", "json:", "toml:", "accepts ", "requires at least", "received ", "flag needs an argument",
	"open /", "stat /", "lstat /", "read /", "write /", "rename /", "mkdir /", "link /", "readdirent", "no such file or directory",
	"is a directory", "not a directory", "file exists", "%!", "<nil>", "panic", "runtime error", "goroutine", "Usage:", "int64", "uint64",
	"SQL logic error", "0x", "binnacle: binnacle: ",
}

// wordArgs are arguments that a command can read, by their names in its usage.
var wordArgs = map[string]string{
	"SHELL": "bash", "TOPIC": "a/b", "PAYLOAD": "{}", "ID": "1", "TOOL": "codex", "COMMIT": "0123456789012345678901234567890123456789",
	"FILE": "nowhere/file", "PATH": "nowhere", "KEY": "k", "MACHINE": "m-aaaaaaaaaa", "AGENT": "agent", "SESSION": "command:s-1", "PRIORITY": "P0",
}

// readable are arguments that the command takes, optional ones of emit included.
func readableArgs(c *cobra.Command) []string {
	var out []string
	for _, word := range strings.Fields(c.Use)[1:] {
		if strings.HasPrefix(word, "[") && c.Name() != "emit" {
			continue
		}
		out = append(out, wordArgs[strings.Trim(word, "[]")])
	}
	return out
}

// wrongOf lists the wrong inputs of a command.
func wrongOf(c *cobra.Command) []wrong {
	path := strings.Fields(c.CommandPath())[1:]
	good := append(slices.Clone(path), readableArgs(c)...)
	var out []wrong
	add := func(exit []int, base []string, more ...string) {
		out = append(out, wrong{append(slices.Clone(base), more...), exit})
	}
	usage := []int{2}
	add(usage, path, "--no-such-flag")
	add(usage, path, "--no-such-flag=\x1b[31m\xff"+strings.Repeat("x", 10_000))
	add(usage, path, "-Z")
	add(usage, append([]string{"help"}, path...), "nope")
	add(usage, append([]string{"help"}, path...), strings.Repeat("x", 10_000))
	add(usage, good, "--theme", "nope")
	add(usage, good, "--theme=")
	add(usage, good, "--workspace", "nowhere")
	add(usage, good, "--workspace=")
	add(usage, good, "--json", "--no-json")
	for _, v := range wrongValues("duration") {
		add(usage, good, "--timeout="+v)
	}
	if c.HasSubCommands() {
		add(usage, path, "nope")
		add(usage, path, "\x00\x1b[31m\xff")
		add(usage, path, strings.Repeat("x", 10_000))
		if len(path) > 0 {
			add(usage, path)
		}
	} else if most := strings.Count(c.Use, " "); !strings.Contains(c.Use, "…") {
		add(usage, append(slices.Clone(path), slices.Repeat([]string{"1"}, most+1)...))
	}
	for n := range len(good) - len(path) {
		add(usage, good[:len(path)+n]) // too few
		empty := slices.Clone(good)
		empty[len(path)+n] = ""
		add(usage, empty)
		if c.Name() == "emit" && n == 1 {
			continue // the payload has its own test
		}
		// A key that nobody has is a refusal, what can't be a key is none.
		for _, v := range []string{"-1", "\x00\x1b[31m\xff", strings.Repeat("x", 10_000)} {
			bad := slices.Clone(good)
			bad[len(path)+n] = v
			add([]int{2, 1}, bad)
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || c.HasParent() && c.InheritedFlags().Lookup(f.Name) != nil {
			return
		}
		if f.NoOptDefVal == "" {
			add(usage, good, "--"+f.Name) // its value is missing
		}
		for _, v := range wrongValues(f.Value.Type()) {
			add([]int{2, 1}, good, "--"+f.Name+"="+v)
		}
		if f.Value.Type() == "string" && !cli.MayBeEmpty(f.Name) {
			add(usage, good, "--"+f.Name+"=")
		}
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			both := slices.Clone(good)
			for _, name := range strings.Fields(group) {
				both = append(both, "--"+name+"="+rightValue(c.Flags().Lookup(name)))
			}
			out = append(out, wrong{both, []int{2, 1}})
		}
	})
	return out
}

// wrongValues are values that no flag of the type takes.
func wrongValues(kind string) []string {
	long := strings.Repeat("x", 10_000)
	switch kind {
	case "bool":
		return []string{"maybe", "", "\x1b[31m"}
	case "int", "int64", "uint64":
		return []string{"x", "", "1.5", "99999999999999999999", "-99999999999999999999", long, "\x00\xff"}
	case "duration":
		return []string{"soon", "", "-5m", "1e999", "5 parsecs", "\x00\xff", long}
	case "word", "place", "time":
		return []string{"nope", "", "\x00\x1b[31m\xff", long}
	}
	return nil
}

func rightValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true"
	case "duration":
		return "5m"
	case "int64":
		return "5"
	}
	return "x"
}

// workspaceNow is what a refused command must leave as it is: the files of the
// folder and the events.
func workspaceNow(t *testing.T, e *testEnv) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(e.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !strings.HasSuffix(path, "-wal") && !strings.HasSuffix(path, "-shm") {
			fmt.Fprintln(&b, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Cursor string }
	if err := json.Unmarshal([]byte(e.run(t, 0, "status", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	return b.String() + s.Cursor
}

// told checks what a refusal says: one sentence and maybe a hint, or one object.
func checkRefusal(said string, asJSON bool) (fault string) {
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	text := said
	if asJSON {
		var f model.Error
		if err := json.Unmarshal([]byte(said), &f); err != nil || len(lines) != 1 || f.Code == "" || f.Message == "" {
			return "is no object with a code and a message"
		}
		text = f.Message + "\n" + f.Hint
	} else {
		if !strings.HasPrefix(lines[0], "binnacle: ") || len(lines) > 2 || len(lines) == 2 && !strings.HasPrefix(lines[1], "  hint: ") {
			return "is not one sentence, or one and a hint"
		}
	}
	for _, f := range foreign {
		if strings.Contains(text, f) {
			return "has the words " + f
		}
	}
	if len([]rune(text)) > 1000 {
		return "is longer than anybody reads"
	}
	for _, line := range strings.Split(text, "\n") {
		if clean.Line(line) != line {
			return "holds what a terminal obeys"
		}
	}
	return ""
}

func wrongWorkspace(t *testing.T) *testEnv {
	t.Helper()
	e := newEnv(t)
	home := t.TempDir()
	e.Environ = func() []string { return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")} }
	e.Cockpit = func(context.Context, cockpit.Launch) error { t.Error("the cockpit opens"); return nil }
	e.Demo = func(context.Context, cockpit.Simulation) error { t.Error("the demo begins"); return nil }
	e.run(t, 0, "init")
	e.run(t, 0, "queue", "push", "-b", "x")
	return e
}

// try runs a wrong input, for people and in JSON.
func (e *testEnv) try(t *testing.T, w wrong) {
	t.Helper()
	for _, asJSON := range []bool{false, true} {
		args := w.args
		if !slices.Contains(args, "--no-json") {
			args = append([]string{map[bool]string{false: "--no-json", true: "--json"}[asJSON]}, args...)
		} else if asJSON {
			continue
		}
		e.out.Reset()
		e.err.Reset()
		e.Stdin = strings.NewReader("")
		got := Main(args, e.Env)
		name := strings.Join(args, " ")
		if len(name) > 120 {
			name = name[:120] + "…"
		}
		said := e.err.String()
		fault := checkRefusal(said, asJSON || !slices.Contains(args, "--no-json"))
		if slices.Contains(args, "--json") && slices.Contains(args, "--no-json") {
			fault = checkRefusal(said, strings.HasPrefix(said, "{"))
		}
		if !slices.Contains(w.exits, got) || e.out.Len() > 0 || fault != "" {
			if len(said) > 600 {
				said = said[:600] + "…"
			}
			t.Errorf("binnacle %q ends with %d (%d bytes on stdout); what it says %s:\n%s", name, got, e.out.Len(), fault, said)
		}
	}
}

func TestEveryWrongInputIsRefusedInOneSentence(t *testing.T) {
	e := wrongWorkspace(t)
	before := workspaceNow(t, e)
	count := 0
	err := cli.EachCommand(newRoot(cli.NewRun(e.Env.Env), e.Programs), func(c *cobra.Command) error {
		if c.CommandPath() == "binnacle fleet hook" {
			return nil // a hook is never refused: the tool that runs it must go on
		}
		for _, w := range wrongOf(c) {
			e.try(t, w)
			count++
		}
		if now := workspaceNow(t, e); now != before {
			t.Errorf("%s wrote with a wrong input:\n%s\n  before:\n%s", c.CommandPath(), now, before)
			before = now
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 2000 {
		t.Errorf("only %d wrong inputs were tried", count)
	}
}

// Files that are not there, folders, empty files and files of something else,
// in every place that takes a file.
func TestWrongFiles(t *testing.T) {
	e := wrongWorkspace(t)
	files := map[string]string{"empty": "", "garbage": "\x00\xff\x1b[31m garbage", "text": "hello\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(e.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(e.Dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300)
	before := workspaceNow(t, e)
	for _, w := range []struct {
		exit  int
		args  []string
		names []string
	}{
		{2, []string{"ledger", "restore"}, []string{"nowhere", "folder", "empty", "garbage", "text", "a\x00b", long, "text/below", ""}},
		{2, []string{"ledger", "restore", "--force"}, []string{"nowhere", "folder", "empty", "garbage", "text", "a\x00b", long, "text/below"}},
		{2, []string{"ledger", "import"}, []string{"nowhere", "folder", "empty", "garbage", "text", "a\x00b", long, "text/below", ""}},
		{2, []string{"queue", "import"}, []string{"nowhere", "folder", "empty", "garbage", "text", "a\x00b", long, "text/below", ""}},
		{2, []string{"ledger", "import", "--dry-run"}, []string{"nowhere", "folder", "empty", "garbage"}},
		{1, []string{"ledger", "backup"}, []string{"folder", "empty", "garbage", "text"}}, // they are there
		{2, []string{"ledger", "backup"}, []string{"nowhere/x", "text/below", "a\x00b", long, ""}},
		{2, []string{"ledger", "export", "--out"}, []string{"folder", "nowhere/x", "text/below", "a\x00b", long, ""}},
		{2, []string{"ledger", "query", "--out"}, []string{"folder", "nowhere/x", "text/below", "a\x00b", long, ""}},
		{2, []string{"ledger", "bench", "--out"}, []string{"folder", "nowhere/x", "text/below", "a\x00b", long, ""}},
		{2, []string{"ledger", "bench", "--dir"}, []string{"nowhere", "text", "a\x00b", long, ""}},
		{2, []string{"man", "--dir"}, []string{"text", "text/below", "a\x00b", long, ""}},
		{2, []string{"init"}, []string{"nowhere", "text", "text/below", "a\x00b", long, ""}},
		{2, []string{"queue", "push", "--file"}, []string{"nowhere", "folder", "text/below", "a\x00b", long, ""}},
		{2, []string{"status", "--workspace"}, []string{"nowhere", "text", "folder", ""}},
		{2, []string{"serve", "--workspace"}, []string{"nowhere", "text", "folder", ""}},
		{2, []string{"--plain", "--workspace"}, []string{"nowhere", "text", "folder", ""}},
	} {
		for _, name := range w.names {
			e.try(t, wrong{append(slices.Clone(w.args), name), []int{w.exit}})
		}
	}
	if now := workspaceNow(t, e); now != before {
		t.Errorf("something was written:\n%s\n  before:\n%s", now, before)
	}
}

// Texts that are read by a rule of their own say where they are wrong.
func TestWrongTexts(t *testing.T) {
	e := wrongWorkspace(t)
	long := strings.Repeat("x", 100_000)
	before := workspaceNow(t, e)
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"emit", "a/b", `{"a" 1}`}, "at line 1, column 6, a colon is missing before '1'"},
		{[]string{"emit", "a/b", `{"a":1,}`}, "at line 1, column 8, a name in double quotes is missing before '}'"},
		{[]string{"emit", "a/b", "nope"}, "line 1, column 2"},
		{[]string{"emit", "a/b", "[]"}, "must be a JSON object"},
		{[]string{"emit", "a/b", `{"a":1,"a":2}`}, `the name "a" stands twice`},
		{[]string{"emit", "a/b", `{"n":9007199254740993}`}, "is beyond 2^53"},
		{[]string{"emit", "a/b", "{"}, "it ends too early"},
		{[]string{"emit", "a/b", long}, "no value can begin with 'x'"},
		{[]string{"emit", "a/b", "-"}, "there is nothing"},
		{[]string{"emit", "a/b", "{}", "--ack"}, "--ack is for the lines of --stdin"},
		{[]string{"emit", "a/b", "{}", "--envelope"}, "--envelope is for the lines of --stdin"},
		{[]string{"work", "complete", "k", "--executor", "x", "--evidence", `{"a" 1}`}, "a colon is missing"},
		{[]string{"query", "--text", long}, "the text to look for has 100000 bytes"},
		{[]string{"query", "--filter", "kind:"}, "the filter at column"},
		{[]string{"query", "--filter", long}, "the filter"},
		{[]string{"query", "--filter", `"open`}, "the filter at column"},
		{[]string{"query", "--count-only", "--export", "csv"}, "--count-only exports nothing"},
		{[]string{"log", "--kind", "nope"}, "the filter at column"},
		{[]string{"log", "--limit", "5001"}, "--limit must be from 0 to 5000"},
		{[]string{"signal", "list", "--limit", "1001"}, "--limit must be from 1 to 1000"},
		{[]string{"work", "list", "--limit", "0"}, "--limit must be from 1 to 1000"},
		{[]string{"watch", "--plain", "--since", "1", "--replay", "1"}, "exclude each other"},
		{[]string{"watch", "--plain", "--since", "x"}, "is not a cursor"},
		{[]string{"watch", "--plain", "--filter", "kind:"}, "the filter at column"},
		{[]string{"demo", "--filter", "kind:"}, "the filter at column"},
		{[]string{"verify", "--from", "-1"}, "events begin with 1"},
		{[]string{"verify", "--jobs", "1025"}, "--jobs must be from 0 to 1024"},
		{[]string{"queue", "show", "-1"}, "takes no negative number"},
		{[]string{"queue", "show", "one"}, "is not a directive's id"},
		{[]string{"queue", "defer", "1", "--until", "soon"}, "is not a time"},
		{[]string{"queue", "reprioritize", "1", "P7"}, "P7"},
		{[]string{"fleet", "watch", "--every", "1ms"}, "1s or more"},
		{[]string{"fleet", "hooks", "show", "nope"}, "none of claude-code"},
		{[]string{"--timeout", "-1", "status"}, "it is negative"},
		{[]string{"help", "ledger", "nope"}, `binnacle ledger has no command "nope"`},
		{[]string{"help", "ledger", "emit", "nope"}, "binnacle ledger emit has no commands below it"},
	} {
		e.try(t, wrong{x.args, []int{2}})
		if !strings.Contains(e.err.String(), strings.ReplaceAll(x.want, `"`, `\"`)) {
			t.Errorf("binnacle %.80q does not say %q but %.300s", x.args, x.want, e.err.String())
		}
	}
	if now := workspaceNow(t, e); now != before {
		t.Error("something was written")
	}
}

// Help is what it was for what there is.
func TestHelpOfCommands(t *testing.T) {
	e := newEnv(t)
	for _, args := range [][]string{{"ledger"}, {"ledger", "emit"}, {"queue", "push"}, {"fleet", "change", "open"}, {"help"}, {"emit"}} {
		want := e.run(t, 0, append(slices.Clone(args), "--help")...)
		if got := e.run(t, 0, append([]string{"help"}, args...)...); got != want {
			t.Errorf("help %s differs from %s --help:\n%s", args, args, got)
		}
	}
	if got, want := e.run(t, 0, "help"), e.run(t, 0, "--help"); got != want {
		t.Errorf("help differs from --help:\n%s", got)
	}
}
