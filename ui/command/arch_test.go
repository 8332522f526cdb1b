package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// root is the repository's, seen from this package.
const root = "../.."

// mayImport is the house's plan: arrows only run down. A package that is not
// named here is refused until somebody decides where it stands.
func mayImport() map[string][]string {
	engine := []string{"backend/lease", "backend/wake", "backend/workspace", "backend/store", "backend/clock", "backend/guard", "backend/scratch", "model", "model/*"}
	noun := []string{"ui/command/cli", "backend", "backend/*", "model", "model/*"}
	return map[string][]string{
		".":                        {"ui/command"},
		"ui/command":               {"ui/command/*", "ui", "keymap", "backend/guard", "model", "model/*"},
		"ui/command/cli":           {"views/text", "themes", "backend", "backend/*", "model", "model/*"},
		"ui/command/workspace":     noun,
		"ui/command/ledger":        append([]string{"ui/command/fleet"}, noun...),     // verify asks the fleet's witnesses
		"ui/command/queue":         append([]string{"ui/command/workspace"}, noun...), // both bring laneq's databases over
		"ui/command/fleet":         append([]string{"ui/command/hooks"}, noun...),
		"ui/command/hooks":         noun,
		"ui/command/note":          noun,
		"ui/command/serve":         noun,
		"ui/command/session":       noun,
		"ui/command/feed":          noun,
		"ui/command/cockpit":       append([]string{"ui", "ui/plain", "ui/screen", "keymap", "themes"}, noun...),
		"ui":                       {"ui/pane", "ui/overlay", "ui/record", "ui/screen", "views", "views/*", "themes", "keymap", "backend/scratch", "model", "model/*"},
		"ui/pane":                  {"ui/record", "views", "views/canvas", "keymap", "model", "model/*"},
		"ui/overlay":               {"ui/record", "views", "views/*", "keymap", "model", "model/*"},
		"ui/record":                {"views", "keymap", "model", "model/*"},
		"ui/plain":                 {"backend/guard", "model", "model/*"},
		"ui/screen":                {"views/text", "backend/guard", "model", "model/*"},
		"ui/screen/golden":         {"ui/screen", "views/text", "model", "model/*"},
		"views":                    {"views/canvas", "views/summary", "views/text", "themes", "keymap", "model", "model/*"},
		"views/dialog":             {"views/canvas", "views/text", "themes", "keymap", "model", "model/*"},
		"views/document":           {"views/canvas", "views/summary", "views/text", "themes", "model", "model/*"},
		"views/canvas":             {"views/text", "themes", "model", "model/*"},
		"views/summary":            {"views/text", "model", "model/*"},
		"views/viewtest":           {"ui/screen", "views", "views/text", "themes", "keymap", "model", "model/*"},
		"views/text":               {},
		"themes":                   {"themes/ground", "model", "model/*"},
		"themes/ground":            {},
		"keymap":                   {"model", "model/*"},
		"backend":                  {"backend/notice", "backend/ledger", "backend/ledger/*", "backend/queue", "backend/queue/receipt", "backend/queue/work", "backend/fleet", "backend/fleet/hooks", "backend/coord", "backend/coord/feed", "backend/parts", "backend/wake", "backend/workspace", "backend/store", "backend/store/sqlite", "backend/clock", "backend/guard", "backend/scratch", "model", "model/*"},
		"backend/parts":            {"backend/ledger", "backend/queue", "backend/coord", "backend/coord/notes", "backend/fleet", "backend/store"},
		"backend/demo":             {"backend", "backend/parts", "backend/wake", "backend/ledger", "backend/queue", "backend/fleet", "backend/fleet/git", "backend/fleet/hooks", "backend/coord", "backend/coord/feed", "backend/coord/notes", "backend/store", "backend/guard", "model", "model/*"},
		"backend/serve":            {"backend", "backend/ledger", "backend/queue", "backend/fleet", "backend/coord", "backend/coord/feed", "backend/store", "backend/guard", "model", "model/*"},
		"backend/ledger":           engine,
		"backend/ledger/verify":    engine,
		"backend/ledger/query":     engine,
		"backend/ledger/archive":   append([]string{"backend/store/segment"}, engine...),
		"backend/ledger/export":    append([]string{"backend/ledger/query"}, engine...),
		"backend/ledger/backup":    append([]string{"backend/ledger", "backend/ledger/export", "backend/ledger/verify"}, engine...),
		"backend/importer":         append([]string{"backend/ledger"}, engine...),
		"backend/importer/changi":  append([]string{"backend/importer", "backend/store/sqlitefile", "backend/ledger"}, engine...),
		"backend/importer/laneq":   append([]string{"backend/store/sqlitefile", "backend/queue"}, engine...),
		"backend/bench":            append([]string{"backend/store/sqlitefile", "backend/store/sqlite", "backend/ledger", "backend/ledger/*"}, engine...),
		"backend/queue":            append([]string{"backend/ledger", "backend/queue/receipt"}, engine...),
		"backend/queue/receipt":    {"backend/store", "backend/workspace"},
		"backend/fleet":            append([]string{"backend/notice", "backend/fleet/*", "backend/coord"}, engine...),
		"backend/fleet/change":     {"backend/fleet/git", "backend/fleet/keys", "backend/fleet/statefile", "model", "model/*"},
		"backend/fleet/hooks":      append([]string{"backend/fleet/git", "backend/fleet/process", "backend/fleet/statefile"}, engine...),
		"backend/fleet/keys":       append([]string{"backend/fleet/git", "backend/fleet/statefile"}, engine...),
		"backend/fleet/git":        {"backend/fleet/process", "backend/fleet/statefile", "backend/guard", "backend/scratch", "model", "model/*"},
		"backend/fleet/process":    {"backend/guard"},
		"backend/fleet/statefile":  {"backend/scratch", "backend/wake", "model", "model/*"},
		"backend/coord":            engine,
		"backend/coord/feed":       append([]string{"backend/coord"}, engine...),
		"backend/coord/notes":      append([]string{"backend/fleet/git"}, engine...),
		"backend/store":            {"model", "model/*"},
		"backend/notice":           {"backend/guard"},
		"backend/store/sqlite":     {"backend/notice", "backend/store", "backend/store/segment", "backend/store/sqlitefile", "backend/store/walindex", "backend/workspace", "backend/wake", "backend/clock", "backend/guard", "backend/scratch", "model", "model/*"},
		"backend/store/segment":    {"backend/store", "backend/workspace", "backend/scratch", "model", "model/*"},
		"backend/store/sqlitefile": {"backend/store", "model", "model/*"},
		"backend/store/walindex":   {"model/clean"},
		"backend/workspace":        {"backend/store", "backend/wake", "backend/guard", "backend/scratch", "model", "model/*"},
		"backend/wake":             {"model", "model/*"},
		"backend/lease":            {"backend/store", "model", "model/*"},
		"backend/guard":            {},
		"backend/scratch":          {},
		"backend/clock":            {"model", "model/*"},
		"backend/clock/clocktest":  {"model", "model/*"},
		"backend/store/storetest":  {"backend/store", "backend/store/segment", "backend/store/sqlite", "model", "model/*"},
		"model":                    {"model/clean"},
		"model/clean":              {},
		"model/desk":               {"model", "model/*"},
		"model/directive":          {"model", "model/clean"},
		"model/filter":             {"model", "model/clean", "model/directive", "model/session", "model/note"},
		"model/fleetmap":           {"model", "model/clean", "model/session"},
		"model/session":            {"model", "model/clean"},
		"model/feed":               {"model", "model/clean", "model/session", "model/note"},
		"model/note":               {"model", "model/clean"},
		"model/redact":             {"model", "model/clean"},
		"model/modeltest":          {},

		"backend/queue/work":        append([]string{"backend/queue", "backend/fleet/process"}, engine...),
		"backend/ledger/ledgertest": {"backend/clock/clocktest", "backend/ledger", "backend/ledger/verify", "backend/parts", "backend/store", "backend/store/segment", "backend/store/storetest", "model", "model/*"},
	}
}

// owned are packages of others that only some of ours may import: the terminal
// in ui/screen, SQL in the store and the engines, child processes where they
// are needed.
func owned() map[string][]string {
	return map[string][]string{
		"github.com/gdamore/tcell/v2":            {"ui/screen"},
		"github.com/charmbracelet/bubbletea":     {"ui", "ui/overlay", "ui/pane", "ui/screen"},
		"github.com/charmbracelet/bubbles":       {"ui/overlay", "keymap"},
		"github.com/charmbracelet/lipgloss":      {"themes", "themes/ground"},
		"github.com/charmbracelet/x/ansi":        {"views/text", "ui/screen"},
		"github.com/fsnotify/fsnotify":           {"backend/notice"},
		"modernc.org/sqlite":                     {"backend/store/sqlite", "backend/store/sqlitefile"},
		"database/sql":                           {"backend/importer/changi", "backend/importer/laneq", "backend/bench", "backend/lease", "backend/store", "backend/store/sqlite", "backend/store/sqlitefile", "backend/ledger", "backend/ledger/verify", "backend/queue", "backend/fleet", "backend/coord", "backend/coord/feed", "backend/coord/notes", "backend/store/storetest"},
		"os/exec":                                {"backend/queue/work", "backend/fleet", "backend/fleet/git", "backend/fleet/process", "backend/serve", "ui", "ui/command/cockpit", "ui/screen"},
		"github.com/spf13/cobra":                 {"ui/command", "ui/command/*"},
		"github.com/go-json-experiment/json":     {"model", "model/fleetmap", "model/redact", "model/filter", "model/desk", "backend/importer/changi", "backend/ledger", "backend/queue", "backend/fleet", "backend/coord", "backend/coord/feed", "backend/serve"},
		"github.com/modelcontextprotocol/go-sdk": {"backend/serve"},
		"github.com/prometheus/client_golang":    {"backend/serve"},
		"go.opentelemetry.io/otel":               {"backend/serve"},
		"github.com/klauspost/compress":          {"backend/importer/changi", "backend/ledger", "backend/store/segment"},
		"github.com/hmarr/codeowners":            {"backend/coord/notes"},
		"go.yaml.in/yaml/v3":                     {"backend/coord/notes"},
		"github.com/hiddeco/sshsig":              {"backend/fleet/keys"},
		"golang.org/x/crypto":                    {"backend/fleet/keys", "backend/serve"},
		"golang.org/x/term":                      {"ui/command/cli", "ui/screen"},
		"github.com/charmbracelet/x/vt":          {},
		"github.com/charmbracelet/colorprofile":  {"ui/screen", "ui"},
		"github.com/sahilm/fuzzy":                {"ui/overlay"},
		"github.com/pelletier/go-toml/v2":        {"backend", "backend/fleet", "backend/fleet/hooks", "themes"},
		"github.com/muesli/termenv":              {"themes", "themes/ground"},
		"github.com/rogpeppe/go-internal":        {},
		"pgregory.net/rapid":                     {"model/modeltest", "backend/store/storetest"},
		"testing":                                {"backend/ledger/ledgertest", "backend/store/storetest", "views/viewtest", "ui/screen/golden"},
		"net/http":                               {"backend/serve"},

		// It looks for clipboard programs in the PATH at every start.
		"github.com/charmbracelet/bubbles/textinput": {},
	}
}

// source is one Go file of the program, tests left out.
type source struct {
	dir     string
	name    string
	imports []string
	doc     bool // it has the package's comment
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		s := source{dir: filepath.ToSlash(rel), name: name, doc: file.Doc != nil && !onlyDirectives(file.Doc)}
		for _, i := range file.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func onlyDirectives(doc *ast.CommentGroup) bool { return strings.TrimSpace(doc.Text()) == "" }

func TestArrowsOnlyRunDown(t *testing.T) {
	plan := mayImport()
	for _, s := range sources(t) {
		allowed, known := plan[s.dir]
		if !known {
			t.Errorf("the package %s has no place in the house: say in mayImport what it may import", s.dir)
			continue
		}
		for _, imported := range s.imports {
			if ours, ok := strings.CutPrefix(imported, "binnacle/"); ok && !matches(allowed, ours) {
				t.Errorf("%s/%s imports %s, which %s may not see", s.dir, s.name, ours, s.dir)
			}
		}
	}
}

func matches(allowed []string, pkg string) bool {
	for _, a := range allowed {
		if prefix, ok := strings.CutSuffix(a, "*"); ok && strings.HasPrefix(pkg, prefix) || a == pkg {
			return true
		}
	}
	return false
}

// The cockpit and --plain see a workspace through the desk only, so that what
// they show may lie at the far end of a wire: of the backend they know what has
// no workspace, how a goroutine starts and where a temporary file is put.
func TestTheCockpitSeesADesk(t *testing.T) {
	seers := []string{"ui", "ui/pane", "ui/overlay", "ui/record", "ui/plain"}
	apart := []string{"backend/guard", "backend/scratch"}
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			ours, _ := strings.CutPrefix(imported, "binnacle/")
			if slices.Contains(seers, s.dir) && matches([]string{"backend", "backend/*"}, ours) && !slices.Contains(apart, ours) {
				t.Errorf("%s/%s imports %s and not model/desk", s.dir, s.name, ours)
			}
		}
	}
}

// The plan itself must be one that can be kept: no package may come back to
// itself by its arrows.
func TestThePlanHasNoCircle(t *testing.T) {
	plan := mayImport()
	walked := map[string]bool{} // with all below it
	var walk func(pkg string, path []string)
	walk = func(pkg string, path []string) {
		if slices.Contains(path, pkg) {
			t.Fatalf("the plan runs in a circle: %s", strings.Join(append(path, pkg), " -> "))
		}
		if walked[pkg] {
			return
		}
		for other := range plan {
			if other != pkg && matches(plan[pkg], other) {
				walk(other, append(slices.Clone(path), pkg))
			}
		}
		walked[pkg] = true
	}
	for pkg := range plan {
		walk(pkg, nil)
	}
}

func TestOnlyTheOwnersImport(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for theirs, owners := range owned() {
				if imported != theirs && !strings.HasPrefix(imported, theirs+"/") {
					continue
				}
				if !matches(owners, s.dir) {
					t.Errorf("%s/%s imports %s, which only %s may", s.dir, s.name, imported, strings.Join(owners, ", "))
				}
			}
		}
	}
}

// The model is rules only: no clock of its own, no files, no processes. Only the
// desk's interface says with a context how long somebody waits, and its wire's
// form is made once.
func TestTheModelHasNoWorld(t *testing.T) {
	refused := []string{"os", "io/fs", "net", "os/exec", "os/signal", "syscall", "math/rand", "math/rand/v2", "crypto/rand", "log", "context", "sync"}
	for _, s := range sources(t) {
		if s.dir != "model" && !strings.HasPrefix(s.dir, "model/") || s.dir == "model/modeltest" {
			continue
		}
		for _, imported := range s.imports {
			if s.dir == "model/desk" && (imported == "context" || imported == "sync") {
				continue
			}
			theirs := strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
			if slices.Contains(refused, imported) || theirs && !strings.HasPrefix(imported, "github.com/go-json-experiment/json") {
				t.Errorf("%s/%s imports %s", s.dir, s.name, imported)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	has := map[string]bool{}
	for _, s := range sources(t) {
		has[s.dir] = has[s.dir] || s.doc
	}
	for dir, ok := range has {
		if !ok {
			t.Errorf("the package %s has no comment", dir)
		}
	}
}

func TestNothingElseAtTheTop(t *testing.T) {
	allowed := []string{
		"README.md", "backend", "go.mod", "go.sum", "keymap", "main.go", "model", "testdata", "themes", "ui", "views",
		"binnacle", // the program, where somebody built it; Git ignores it
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var extra []string
	for _, e := range entries {
		built := strings.HasSuffix(e.Name(), ".test") || strings.HasSuffix(e.Name(), ".prof") // Git ignores them
		if !strings.HasPrefix(e.Name(), ".") && !built && !slices.Contains(allowed, e.Name()) {
			extra = append(extra, e.Name())
		}
	}
	sort.Strings(extra)
	if len(extra) > 0 {
		t.Errorf("at the top level there is also %s", strings.Join(extra, ", "))
	}
}

func TestMainIsThreeLines(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "func main() { os.Exit(command.Main(os.Args[1:], command.OS())) }") {
		t.Error("main does more than to hand over")
	}
}
