package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// Every goroutine is started by package guard, so that a panic in any of them
// finds the terminal restored. What runs a function in a goroutine of its own
// counts, too. Test support is free.
func TestOnlyTheGuardStartsGoroutines(t *testing.T) {
	seen := false
	for _, s := range sources(t) {
		if s.dir == "backend/store/storetest" {
			continue
		}
		path := filepath.Join(root, s.dir, s.name)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if seen = true; s.dir != "backend/guard" {
					t.Errorf("%s has a go statement; guard.Go starts goroutines", set.Position(n.Pos()))
				}
			case *ast.SelectorExpr:
				// The frame's timer recovers by itself (ui/screen). A context's AfterFunc
				// is let be: what is called there is one cancel or one system call.
				pkg, _ := n.X.(*ast.Ident)
				if pkg != nil && pkg.Name == "time" && n.Sel.Name == "AfterFunc" && s.dir != "ui/screen" {
					t.Errorf("%s: time.AfterFunc runs in a goroutine that nothing guards", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if !seen {
		t.Error("no go statement was found, not even the guard's: the test looks past the code")
	}
}
