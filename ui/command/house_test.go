package command_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What is larger than this is a package that wants out.
const (
	mostMethods = 60 // of one type
	mostFiles   = 30 // in one folder, tests left out
	mostAlike   = 4  // files of one folder whose names begin with the same word
)

// TestHouseIsOfRooms measures the house, holds each of its sizes, and says which
// are the largest.
func TestHouseIsOfRooms(t *testing.T) {
	largest := map[int]string{} // by the limit
	sizes := houseSizes(t)
	for _, what := range slices.Sorted(maps.Keys(sizes)) {
		s := sizes[what]
		if s.n > s.most {
			t.Errorf("%s: %d, and at most %d are one idea: a package wants out", what, s.n, s.most)
		}
		if s.n > sizes[largest[s.most]].n {
			largest[s.most] = what
		}
	}
	for _, most := range []int{mostMethods, mostFiles, mostAlike} {
		t.Logf("most %s: %d, and at most %d", largest[most], sizes[largest[most]].n, most)
	}
}

type size struct{ n, most int }

func houseSizes(t *testing.T) map[string]size {
	t.Helper()
	sizes := map[string]size{}
	add := func(what string, most int) { sizes[what] = size{sizes[what].n + 1, most} }
	for _, s := range sources(t) {
		add("files in "+s.dir, mostFiles)
		if word, _, _ := strings.Cut(strings.TrimSuffix(s.name, ".go"), "_"); word != "" {
			add(fmt.Sprintf("files %s/%s*", s.dir, word), mostAlike)
		}
		for _, d := range s.parse(t).Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				add("methods of "+s.dir+"."+receiver(f), mostMethods)
			}
		}
	}
	return sizes
}

// parse reads the whole file.
func (s source) parse(t *testing.T) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, s.dir, s.name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// receiver is the name of the type that a method is of.
func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// What is compiled when a package is initialised costs every start, a hook's
// too: patterns are compiled when they are first needed.
func TestHouseCompilesNoPatternAtTheStart(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.parse(t).Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.FuncLit:
					return false // runs later
				case *ast.SelectorExpr:
					if id, ok := x.X.(*ast.Ident); ok && id.Name == "regexp" && strings.Contains(x.Sel.Name, "Compile") {
						t.Errorf("%s/%s compiles a pattern at the start: sync.OnceValue does it when it is needed", s.dir, s.name)
					}
				}
				return true
			})
		}
	}
}

// mapPath is what the newcomer's map calls a place: a path in backquotes, or the
// first word of a line of the picture.
var mapPath = regexp.MustCompile("`([a-z]+[a-z0-9_./-]*(?:/|\\.go))`")

// TestHouseMapNamesWhatIsThere keeps backend/README.md true: each place that it
// names exists, and the picture has every room.
func TestHouseMapNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "backend", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(text), "```\n")
	picture, rest, ok := strings.Cut(picture, "\n```\n")
	if !ok {
		t.Fatal("the map has no picture")
	}
	named := map[string]bool{}
	var above []string // the folders that the line is inside of
	for _, line := range strings.Split(picture, "\n") {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		if depth > len(above) {
			t.Fatalf("the picture's line %q stands inside of nothing", line)
		}
		above = append(above[:depth], strings.TrimSuffix(name, "/"))
		named[strings.Join(above, "/")] = true
	}
	for _, m := range mapPath.FindAllStringSubmatch(rest, -1) {
		named[strings.TrimSuffix(m[1], "/")] = true
	}
	if len(named) < 40 {
		t.Errorf("the map names %d places only", len(named))
	}
	for _, path := range slices.Sorted(maps.Keys(named)) {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Errorf("the map names %s, which is not there", path)
		}
	}
	for _, s := range sources(t) {
		if s.dir != "." && !named[s.dir] {
			named[s.dir] = true // said once
			t.Errorf("the picture of backend/README.md has no %s", s.dir)
		}
	}
}
