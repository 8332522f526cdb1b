package command_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// fleetScripts are what the fleet's scripts need beside the program.
func fleetScripts() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"settle":  settle,
		"guarded": guarded,
	}
}

// settle waits until the detached publishers of $HOME have met what hooks asked
// for, and ended.
func settle(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: settle")
	}
	repos, err := filepath.Glob(filepath.Join(ts.Getenv("HOME"), ".local", "state", "binnacle", "repos", "*"))
	ts.Check(err)
	deadline := time.Now().Add(30 * time.Second)
	for _, dir := range repos {
		for !settled(dir) {
			if time.Now().After(deadline) {
				ts.Fatalf("the publisher of %s does not end", dir)
			}
			time.Sleep(5 * time.Millisecond) // between two looks at a condition that has a bound
		}
	}
}

// settled says whether nothing is asked for any more in a repository's folder,
// or the publisher gave up, and no publisher runs.
func settled(dir string) bool {
	var met struct{ Event, End int64 }
	if raw, err := os.ReadFile(filepath.Join(dir, "met.json")); err == nil && json.Unmarshal(raw, &met) != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "rest.json"))
	gaveUp := err == nil
	for name, answered := range map[string]int64{"poke": met.Event, "poke-end": met.End} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.ModTime().UnixNano() > answered && !gaveUp {
			return false
		}
	}
	lock, err := os.Open(filepath.Join(dir, "due.lock"))
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer func() { _ = lock.Close() }()
	return unix.Flock(int(lock.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
}

// guarded starts a host that wants a password for everything, and puts its URL
// into a variable.
func guarded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: guarded VARIABLE")
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="Password:"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	ts.Defer(host.Close)
	ts.Setenv(args[0], host.URL)
}
