package notes

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hmarr/codeowners"
	"go.yaml.in/yaml/v3"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/note"
)

// maxOwners bounds a file of owners, in bytes.
const maxOwners = 3 << 20

// codeownersFiles is where CODEOWNERS may stand; the first that is there counts.
var codeownersFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}

// ownersOf names who owns a path, as the files of the work tree say: those of the
// last rule of CODEOWNERS that fits it, and the approvers of OWNERS in its folder
// and in every one above. A file that can't be read is an error: who owns the
// path is not to be guessed.
func ownersOf(dir, p string) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer func() { _ = root.Close() }() // it was only read from
	info, err := root.Stat(p)
	folder := err == nil && info.IsDir()
	owners, err := codeowner(root, p, folder)
	if err != nil {
		return nil, err
	}
	more, err := approvers(root, p, folder)
	owners = append(owners, more...)
	slices.Sort(owners)
	return slices.Compact(owners), err
}

func unreadable(name string, err error) error {
	return model.Errorf(model.CodeRefused, "who owns the path can't be told: %s can't be read: %w", clean.Line(name), err)
}

// readFile reads a file of the work tree, nil where there is none.
func readFile(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer func() { _ = f.Close() }() // it was only read from
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxOwners+1))
	if err == nil && len(raw) > maxOwners {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	return raw, nil
}

// codeowner names the owners of a path by CODEOWNERS.
func codeowner(root *os.Root, p string, folder bool) ([]string, error) {
	for _, name := range codeownersFiles {
		raw, err := readFile(root, name)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		owners, err := byRules(raw, p, folder)
		if err != nil {
			return nil, unreadable(name, err)
		}
		return owners, nil
	}
	return nil, nil
}

// anyOwner takes every word for an owner: whoever is called otherwise is none.
var anyOwner = codeowners.OwnerMatchFunc(func(word string) (codeowners.Owner, error) { return codeowners.Owner{Value: word}, nil })

// byRules names the owners of a path by the text of a CODEOWNERS file.
func byRules(raw []byte, p string, folder bool) ([]string, error) {
	for line := range bytes.Lines(raw) {
		if len(line) >= bufio.MaxScanTokenSize { // the parser would end there without a word
			return nil, errors.New("a line is too long")
		}
	}
	rules, err := codeowners.ParseFile(bytes.NewReader(raw), codeowners.WithOwnerMatchers([]codeowners.OwnerMatcher{anyOwner}))
	if err != nil {
		return nil, err
	}
	if folder {
		p = path.Join(p, "*") // a rule for a folder fits what is in it
	}
	rule, err := rules.Match(p)
	if err != nil || rule == nil {
		return nil, err
	}
	var owners []string
	for _, o := range rule.Owners {
		owners = append(owners, o.Value)
	}
	return owners, nil
}

// ownersFile is an OWNERS file, as far as it says who approves: YAML as
// Kubernetes writes it, or a plain list as Chromium does.
type ownersFile struct {
	Approvers []string `yaml:"approvers"`
	Options   struct {
		NoParentOwners bool `yaml:"no_parent_owners"`
	} `yaml:"options"`
	Filters map[string]struct {
		Approvers []string `yaml:"approvers"`
	} `yaml:"filters"`
}

// parseOwners reads an OWNERS file. A plain list that does more than to name
// owners, a line each, and to say "set noparent" is an error.
func parseOwners(raw []byte) (f ownersFile, err error) {
	if plain, is := plainOwners(string(raw)); is {
		return plain, nil
	}
	err = yaml.Unmarshal(raw, &f)
	return f, err
}

func plainOwners(text string) (f ownersFile, is bool) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case len(words) == 2 && words[0] == "set" && words[1] == "noparent":
			f.Options.NoParentOwners = true
		case len(words) == 1 && !strings.ContainsAny(words[0], ":{}[]\"'"):
			f.Approvers = append(f.Approvers, words[0])
		default:
			return ownersFile{}, false
		}
	}
	return f, true
}

// approvers names the owners of a path by the OWNERS files from its folder
// upward, with the aliases at the top put in.
func approvers(root *os.Root, p string, folder bool) ([]string, error) {
	above := note.Above(p)
	if !folder && p != note.Root {
		above = above[1:]
	}
	var owners []string
	for _, dir := range above {
		name := path.Join(dir, "OWNERS")
		raw, err := readFile(root, name)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		f, err := parseOwners(raw)
		if err != nil {
			return nil, unreadable(name, err)
		}
		more, err := f.of(strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"))
		if err != nil {
			return nil, unreadable(name, err)
		}
		owners = append(owners, more...)
		if f.Options.NoParentOwners {
			break
		}
	}
	return withAliases(root, owners)
}

// of names the owners of a path below the file's own folder.
func (f ownersFile) of(p string) ([]string, error) {
	owners := f.Approvers
	for pattern, more := range f.Filters {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		if re.MatchString(p) {
			owners = append(owners, more.Approvers...)
		}
	}
	return owners, nil
}

// withAliases puts the names in the place of those that OWNERS_ALIASES stands for.
func withAliases(root *os.Root, owners []string) ([]string, error) {
	const name = "OWNERS_ALIASES"
	if len(owners) == 0 {
		return nil, nil
	}
	raw, err := readFile(root, name)
	if err != nil {
		return nil, err
	}
	var f struct {
		Aliases map[string][]string `yaml:"aliases"`
	}
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return nil, unreadable(name, err)
	}
	var out []string
	for _, o := range owners {
		if names, is := f.Aliases[o]; is {
			out = append(out, names...)
		} else {
			out = append(out, o)
		}
	}
	return out, nil
}
