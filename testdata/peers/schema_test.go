package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goqite ships its schema as a file beside its source and no way to ask for it:
// it is read from the module's folder.
func goqiteSchema() (string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "maragu.dev/goqite").Output()
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "schema_sqlite.sql"))
	return string(b), err
}
