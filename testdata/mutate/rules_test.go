package mutate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the repository's, seen from this package.
const root = "../.."

// folder is where the rule's test is.
func (r rule) folder() string {
	if r.pkg != "" {
		return r.pkg
	}
	return filepath.Dir(r.file)
}

// TestEveryRuleFitsTheCode looks whether each rule can still be broken and has a
// test to catch that, without running any.
func TestEveryRuleFitsTheCode(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.rule, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, r.file))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), r.text); n != 1 {
				t.Errorf("%s has this %d times, and must have it once:\n%s", r.file, n, r.text)
			}
			tests, err := filepath.Glob(filepath.Join(root, r.folder(), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			named := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(r.test) + `\(`)
			for _, test := range tests {
				text, err := os.ReadFile(test)
				if err != nil {
					t.Fatal(err)
				}
				if named.Match(text) {
					return
				}
			}
			t.Errorf("no %s is in %s", r.test, r.folder())
		})
	}
}
