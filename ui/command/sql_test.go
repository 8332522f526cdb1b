package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oneDatabase are the words of SQLite's SQL that another database does not have,
// or has with another meaning. Where an engine needs one, it stands behind
// store.Dialect or store.Inspection.
var oneDatabase = regexp.MustCompile(`\bGLOB\b|\bLIKE\b|json_[a-z]+\(|\bINSERT OR\b|\bREPLACE INTO\b|WITHOUT ROWID|\browid\b|sqlite_[a-z]+|` +
	`\bPRAGMA\b|\bpragma_|randomblob|\btypeof\(|\bINDEXED\b|\bAS BLOB\b|\binstr\(|\bifnull\(|group_concat|\bstrftime\b`)

// TestTheHouseNamesItsStoreOnce: which store a workspace has is said where one is opened,
// and for the engines' tests in storetest, and nowhere else.
func TestTheHouseNamesItsStoreOnce(t *testing.T) {
	for _, s := range sources(t) {
		named := slices.ContainsFunc(s.imports, func(p string) bool {
			return p == "binnacle/backend/store/sqlite" || p == "binnacle/backend/store/postgres"
		})
		if named && s.dir+"/"+s.name != "backend/open.go" && s.dir+"/"+s.name != "backend/store/storetest/open.go" {
			t.Errorf("%s/%s names an implementation of the store", s.dir, s.name)
		}
	}
	for _, engine := range []string{"ledger", "queue", "fleet", "fleet/*", "coord", "parts", "demo"} {
		tests, err := filepath.Glob(filepath.Join(root, "backend", engine, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tests {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				if i.Path.Value == `"binnacle/backend/store/sqlite"` {
					t.Errorf("%s names an implementation of the store: storetest opens one", name)
				}
			}
		}
	}
}

// TestTheHouseWritesSQLOfAnyDatabase reads every string of the engines. Who reads the
// SQLite file of another program is exempt.
func TestTheHouseWritesSQLOfAnyDatabase(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		of := slices.ContainsFunc([]string{"backend/ledger", "backend/queue", "backend/fleet", "backend/coord"}, func(engine string) bool {
			return s.dir == engine || strings.HasPrefix(s.dir, engine+"/")
		})
		foreign := slices.Contains(s.imports, "binnacle/backend/store/sqlitefile")
		if !of || foreign {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, s.dir, s.name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				return true
			}
			looked++
			if word := oneDatabase.FindString(text.Value); word != "" {
				t.Errorf("%s: %q is not for every database", set.Position(text.Pos()), word)
			}
			return true
		})
	}
	if looked < 100 {
		t.Errorf("only %d strings were read", looked)
	}
}
