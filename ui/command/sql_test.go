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

// TestEnginesWriteSQLOfAnyDatabase reads every string of the engines. Who reads the
// SQLite file of another program, or measures against SQLite itself, is exempt.
func TestEnginesWriteSQLOfAnyDatabase(t *testing.T) {
	foreign := []string{"backend/ledger/changi.go", "backend/ledger/bench.go", "backend/queue/laneq_read.go"}
	looked := 0
	for _, s := range sources(t) {
		of := slices.ContainsFunc([]string{"backend/ledger", "backend/queue", "backend/fleet", "backend/coord"}, func(engine string) bool {
			return s.dir == engine || strings.HasPrefix(s.dir, engine+"/")
		})
		if !of || slices.Contains(foreign, s.dir+"/"+s.name) {
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
