package session_test

import (
	"testing"

	"binnacle/model/session"
)

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a.go", "a.go", true},
		{"a.go", "a.gox", false},
		{"src/", "src/a.go", true},
		{"src", "src/a.go", true},
		{"src/", "src", true},
		{"src/a/", "src/ab", false},
		{"./", "anything/at/all", true},
		{"./src/a.go", "src/", true},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src", true},
		{"src/*.go", "web/a.go", false},
		{"src/pa*", "src/parser/lex.go", true},
		{"src/pa*", "src/", true},
		{"src/pa*", "src/lex.go", false},
		{"**/*.go", "web/x", true},
		{".", "src/a.go", true},
		{".", "./", true},
		{".", "*.go", true},
		{".go", ".", true},
		{".go", "a", false},
		{"src/[ab]/", "src/{a,c}", true},
	} {
		if session.Overlap(c.a, c.b) != c.want || session.Overlap(c.b, c.a) != c.want {
			t.Errorf("%q and %q overlap: %v and %v, want %v", c.a, c.b, session.Overlap(c.a, c.b), session.Overlap(c.b, c.a), c.want)
		}
	}
}
