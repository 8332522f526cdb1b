package model

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What Go and the system put before a reason reaches nobody, however deep it
// lies, and the error stays what it was for programs.
func TestReasonsWithoutPrefixes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, open := os.Open(filepath.Join(dir, "nowhere"))
	_, read := os.ReadFile(dir)
	_, stat := os.Stat(filepath.Join(file, "below"))
	_, null := os.Stat("a\x00b")
	_, long := os.Stat(filepath.Join(dir, strings.Repeat("x", 300)))
	_, listen := net.Listen("unix", filepath.Join(dir, "nowhere", "socket"))
	start := exec.Command(filepath.Join(dir, "nowhere")).Start()
	for _, x := range []struct {
		err  error
		want string
	}{
		{open, "there is no such file"},
		{read, "it is a folder"},
		{stat, "a part of its path is not a folder"},
		{null, "the system does not take it"},
		{long, "its name is too long"},
		{os.Rename(file, filepath.Join(dir, "nowhere", "x")), "there is no such file"},
		{os.Link(file, file), "it is there already"},
		{listen, "there is no such file"},
		{start, "there is no such file"},
		{fmt.Errorf("copying: %w", open), "copying: there is no such file"},
		{errors.New("as it is"), "as it is"},
	} {
		got := Errorf(CodeUsage, "%s can't be used: %w", "it", x.err)
		if want := "it can't be used: " + x.want; got.Message != want {
			t.Errorf("%v is told as %q, not as %q", x.err, got.Message, want)
		}
		if !errors.Is(got, x.err) {
			t.Errorf("%q is not the error that it tells", got.Message)
		}
	}
	if got := Errorf(CodeUsage, "%w", open); !errors.Is(got, fs.ErrNotExist) {
		t.Error("what lies below is lost")
	}
}

func TestMessagesCanBeRead(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 100_000), strings.Repeat("x ", 100_000), strings.Repeat("日", 50_000)} {
		e := Errorf(CodeUsage, "%q is none", s).WithHint("not %q", s)
		for _, got := range []string{e.Message, e.Hint} {
			if n := len([]rune(got)); n > maxMessage+1 || !strings.Contains(got, "…") {
				t.Errorf("%d characters are shown: %.80s", n, got)
			}
		}
	}
	if got := Errorf(CodeUsage, "%q is none of a or b", strings.Repeat("x", 400)).Message; !strings.HasSuffix(got, `…" is none of a or b`) {
		t.Errorf("what follows a long word is lost: %s", got[len(got)-60:])
	}
	path := "/" + strings.Repeat("folder/", 40)
	if got := Errorf(CodeUsage, "no file %s", path).Message; got != "no file "+path {
		t.Errorf("a path was cut: %s", got)
	}
}
