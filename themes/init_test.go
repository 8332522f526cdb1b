package themes_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	_ "github.com/charmbracelet/bubbletea" // whose init would ask the terminal
	"github.com/creack/pty"
)

const child = "BINNACLE_TEST_CHILD"

// TestMain as a child does nothing at all: what then comes out of the terminal
// came from package initialisation.
func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestTheTerminalIsNotAsked: with Bubble Tea linked in, on a terminal that
// answers nothing, the program starts without a byte and without waiting.
func TestTheTerminalIsNotAsked(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), child+"=1", "TERM=xterm-256color")
	begin := time.Now()
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	got, err := io.ReadAll(tty)
	var path *os.PathError // EIO: the other end is gone
	if err != nil && !errors.As(err, &path) {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(got) > 0 {
		t.Errorf("the terminal got %q", got)
	}
	if d := time.Since(begin); d > 3*time.Second {
		t.Errorf("it took %s", d)
	}
}
