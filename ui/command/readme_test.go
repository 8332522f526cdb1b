package command_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// readmeBlock is a fenced block of the README that is to be run: ```sh test.
// The blocks run one after the other in one folder, so that a later one may
// build on an earlier one.
var readmeBlock = regexp.MustCompile("(?ms)^```sh test\n(.*?)^```$")

// TestReadmeCommands runs the README's marked blocks with the program, as a
// reader would who pastes them into a shell.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := readmeBlock.FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no block marked ```sh test")
	}
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	dir := t.TempDir()
	env := cleanEnv(dir)
	for _, b := range blocks {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", string(b[1]))
		cmd.Dir, cmd.Env = dir, env
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		cancel()
		if err != nil {
			t.Errorf("this block of the README fails (%v):\n%s\nit printed:\n%s", err, b[1], out.String())
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("this block of the README prints an escape sequence:\n%s", b[1])
		}
	}
}

// cleanEnv is an environment in which only the test's own folder counts.
func cleanEnv(home string) []string {
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "BINNACLE_"), strings.HasPrefix(name, "LANEQ_"), strings.HasPrefix(name, "GIT_"):
		case name == "QUAY_PRODUCER", name == "HOME", name == "XDG_CONFIG_HOME", name == "PWD":
		default:
			out = append(out, v)
		}
	}
	return append(out, "HOME="+home, "LC_ALL=C.UTF-8", "TZ=UTC", "BINNACLE_PRODUCER=tester")
}
