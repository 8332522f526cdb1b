package notes

import (
	"slices"
	"strings"
	"testing"

	"binnacle/model/note"
)

// Whatever a CODEOWNERS file holds, it names owners that stand in it or is refused,
// and the last rule that fits every path is the one that counts.
func FuzzCodeowners(f *testing.F) {
	for _, s := range []string{
		"* @ann\n", "/src/ @ann bob\n# c\n/src/*.go t@example.invalid # why\n", "a\\ b @x\n", "** @x\n", "*** @x\n", "/src/ \\", "[S] @x\n",
		"\ufeff* @ann\r\n", "!x @ann\n", strings.Repeat("*/", 200) + " @x\n", "\x00 \xff\n",
	} {
		f.Add([]byte(s), "src/main.go", false)
		f.Add([]byte(s), "src", true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, p string, folder bool) {
		if note.CheckPath(p) != nil {
			return
		}
		owners, err := byRules(raw, p, folder)
		if err != nil {
			if len(owners) > 0 {
				t.Fatalf("%v, %q", err, owners)
			}
			return
		}
		for _, o := range owners {
			if o == "" || strings.ContainsAny(o, " \t\n#") || !strings.Contains(string(raw), o) {
				t.Fatalf("%q owns by %q", o, raw)
			}
		}
		owners, err = byRules(append(slices.Clone(raw), "\n* @last\n"...), p, folder)
		if err != nil || !slices.Equal(owners, []string{"@last"}) {
			t.Fatalf("%q, %v", owners, err)
		}
	})
}

// Whatever an OWNERS file holds, it is read or refused, and names no owner of
// whom it does not speak.
func FuzzOwners(f *testing.F) {
	for _, s := range []string{
		"approvers:\n- ann\noptions: {no_parent_owners: true}\n", "filters:\n  '\\.go$': {approvers: [ann]}\n  '(': {}\n", "ann\n@bob # b\nset noparent\n",
		"per-file *.go = eve\n", "file://x\n", "a: &a [*a]\n", "- ann\n", "\"ann\"\n", "*\n", "{}", "\x00",
	} {
		f.Add([]byte(s), "main.go")
	}
	f.Fuzz(func(t *testing.T, raw []byte, p string) {
		file, err := parseOwners(raw)
		if err != nil {
			return
		}
		if owners, err := file.of(p); err == nil && len(owners) > 0 && len(strings.TrimSpace(string(raw))) == 0 {
			t.Fatalf("%q of nothing", owners)
		}
		if plain, is := plainOwners(string(raw)); is {
			for _, o := range plain.Approvers {
				if !strings.Contains(string(raw), o) || strings.ContainsAny(o, "# \t\n") {
					t.Fatalf("%q of %q", o, raw)
				}
			}
		}
	})
}
