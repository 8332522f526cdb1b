package workspace_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"binnacle/backend"
	"binnacle/backend/workspace"
)

// childEnv makes the test binary play a process of its own: "<role> <path>
// <extra>".
const childEnv = "WORKSPACE_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(strings.Split(role, "|")))
	}
	os.Exit(m.Run())
}

func child(args []string) int {
	roles := map[string]func(path string, extra string) error{
		"init": childInit, "lock": childLock,
	}
	if err := roles[args[0]](args[1], args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// start runs the test binary as a child in the role.
func start(t testing.TB, role, path, extra string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{role, path, extra}, "|"))
	cmd.Stderr = os.Stderr
	return cmd
}

// childInit makes a workspace.
func childInit(path, _ string) error {
	_, created, err := backend.InitWorkspace(context.Background(), path, backend.StoreOptions{})
	fmt.Println(created)
	return err
}

// childLock takes the lock, says so, and holds it until it is killed.
func childLock(path, _ string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := workspace.WaitLock(ctx, path, nil); err != nil {
		return err
	}
	fmt.Println("locked")
	select {}
}
