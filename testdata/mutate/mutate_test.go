//go:build mutate

package mutate

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrokenRulesAreCaught breaks each rule. ONLY, a part of a rule's words,
// chooses some.
func TestBrokenRulesAreCaught(t *testing.T) {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	caught, tried := 0, 0
	for _, r := range rules() {
		if !strings.Contains(r.rule, os.Getenv("ONLY")) {
			continue
		}
		tried++
		t.Run(r.rule, func(t *testing.T) {
			begin := time.Now()
			file := filepath.Join(top, r.file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := run(top, "", r); err != nil {
				t.Fatalf("%s fails without anything broken: %v\n%s", r.test, err, tail(out))
			}
			broken := filepath.Join(t.TempDir(), filepath.Base(file))
			if err := os.WriteFile(broken, []byte(strings.Replace(string(text), r.text, r.becomes, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := run(top, overlay(t, file, broken), r)
			switch {
			case err == nil:
				t.Fatalf("%s was broken, and %s passes:\n%s\nbecame\n%s", r.file, r.test, r.text, r.becomes)
			case !strings.Contains(out, "--- FAIL: ") && !strings.Contains(out, "panic: "):
				t.Fatalf("%s did not come to run: %v\n%s", r.test, err, tail(out))
			}
			caught++
			fmt.Printf("caught in %.0f s by %s: %s\n", time.Since(begin).Seconds(), r.test, r.rule)
		})
	}
	fmt.Printf("%d of %d broken rules were caught\n", caught, tried)
	if tried == 0 {
		t.Error("no rule has such words")
	}
}

// run runs the rule's own test and nothing else.
func run(top, overlay string, r rule) (string, error) {
	args := []string{"test", "-count=1", "-vet=off", "-timeout=3m", "-run=^" + r.test + "$"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.Command("go", append(args, "./"+r.folder())...)
	cmd.Dir = top
	out, err := cmd.CombinedOutput()
	if err == nil && strings.Contains(string(out), "no tests to run") {
		err = fmt.Errorf("there is no %s in %s", r.test, r.folder())
	}
	return string(out), err
}

func overlay(t *testing.T, file, broken string) string {
	raw, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tail is the end of what a command printed.
func tail(out string) string {
	const most = 2000
	return out[max(0, len(out)-most):]
}
