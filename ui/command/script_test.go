package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"binnacle/ui/command"
)

// TestMain makes the test binary double as the program: the scripts, and every
// test that starts a process, run it as "binnacle".
func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"binnacle":         func() { os.Exit(command.Main(os.Args[1:], command.OS())) },
		"binnacle-machine": onMachine,
		"binnacle-holder":  holderOnMachine,
	})
}

// TestScripts runs testdata/script: one file for each command, in a folder and
// an environment of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(6 * time.Minute), // of all scripts together, also under the race detector
		Cmds:                fleetScripts(),
		Condition: func(cond string) (bool, error) {
			if tool, ok := strings.CutPrefix(cond, "has:"); ok {
				_, err := exec.LookPath(tool)
				return err == nil, nil
			}
			return false, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("BINNACLE_WORKSPACE", "")
			e.Setenv("BINNACLE_JSON", "")
			e.Setenv("BINNACLE_PRODUCER", "tester")
			e.Setenv("QUAY_PRODUCER", "")
			e.Setenv("TERM", "dumb")
			e.Setenv("LC_ALL", "C.UTF-8")
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // a script runs many programs, and each would sleep a second
			for name, dir := range map[string]string{"CHANGI": "changi", "LANEQ": "laneq", "HOOKS": "hooks"} {
				path, err := filepath.Abs(filepath.Join(root, "testdata", dir))
				if err != nil {
					return err
				}
				e.Setenv(name, path)
			}
			return nil
		},
	})
}
