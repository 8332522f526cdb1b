package hooks

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// toolFolder is where a tool keeps the user's settings, by the tool's own rule.
// Install, doctor, show and remove all ask here. A folder that can't be told,
// or that would change with the place where one stands, is refused: settings
// never land in whatever project somebody happens to be in.
func (s Settings) toolFolder(tool string) (string, error) {
	switch tool {
	case ToolClaude:
		return s.folderOf([]string{"CLAUDE_CONFIG_DIR"}, ".claude")
	case ToolCodex:
		return s.folderOf([]string{"CODEX_HOME"}, ".codex")
	case ToolGemini:
		// The variable names the home, not the folder in it.
		home, err := s.folderOf([]string{"GEMINI_CLI_HOME"}, "")
		return filepath.Join(home, ".gemini"), err
	default:
		if s.Environ.Get("OPENCODE_CONFIG_DIR") != "" {
			return s.folderOf([]string{"OPENCODE_CONFIG_DIR"}, "")
		}
		config, err := s.folderOf([]string{"XDG_CONFIG_HOME"}, ".config")
		return filepath.Join(config, "opencode"), err
	}
}

// folderOf is the folder that the first variable names, else the one in the
// user's home.
func (s Settings) folderOf(variables []string, inHome string) (string, error) {
	for _, name := range variables {
		v := s.Environ.Get(name)
		switch {
		case v == "":
		case !filepath.IsAbs(v):
			return "", model.Errorf(model.CodeRefused, "%s is %q, which means a different folder wherever it is read", name, clean.Line(v)).
				WithHint("set %s to a path that begins with /", name)
		default:
			return filepath.Clean(v), nil
		}
	}
	if !filepath.IsAbs(s.Home) {
		return "", model.Errorf(model.CodeRefused, "HOME is not set, so it can't be told where the tool's settings are").
			WithHint("set HOME, or use --project")
	}
	return filepath.Join(s.Home, inHome), nil
}

// settingsPath is the file that an install writes.
func (s Settings) settingsPath(o Options) (string, error) {
	known := false
	for _, t := range Tools() {
		known = known || t == o.Tool
	}
	if !known {
		return "", model.Errorf(model.CodeUsage, "the hooks of %q are not understood", clean.Line(o.Tool)).
			WithHint("the tools are %s", strings.Join(Tools(), ", "))
	}
	file := map[string]string{
		ToolClaude: "settings.json", ToolCodex: "hooks.json", ToolGemini: "settings.json", ToolOpencode: filepath.Join("plugins", "binnacle.js"),
	}[o.Tool]
	if o.Project {
		return filepath.Join(s.projectFolder(o.Tool), file), nil
	}
	folder, err := s.toolFolder(o.Tool)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, file), nil
}

// projectFolder is where a tool looks for a project's settings.
func (s Settings) projectFolder(tool string) string {
	return filepath.Join(s.Root, map[string]string{
		ToolClaude: ".claude", ToolCodex: ".codex", ToolGemini: ".gemini", ToolOpencode: ".opencode",
	}[tool])
}

// systemFile is a file of the machine's administrator; the tools keep theirs
// elsewhere on macOS.
func (s Settings) systemFile(linux, darwin string) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(s.System, darwin)
	}
	return filepath.Join(s.System, linux)
}

// program is what hooks call: the one that was named, else this one as it was
// called. A link is not followed, for its target changes with the next version;
// and a file that others get with the repository has the name only.
func (s Settings) program(o Options) (string, error) {
	called := s.Called
	if called == "" {
		called = os.Args[0]
	}
	switch {
	case o.Binary != "" && strings.ContainsRune(o.Binary, '/'):
		return filepath.Abs(o.Binary)
	case o.Binary != "":
		return o.Binary, nil
	case o.Project:
		if name := filepath.Base(called); strings.Contains(name, "binnacle") {
			return name, nil
		}
		return "binnacle", nil
	}
	if strings.ContainsRune(called, '/') {
		if abs, err := filepath.Abs(called); err == nil && runnable(abs) {
			return abs, nil
		}
	} else if path := s.onPath(called); path != "" {
		return path, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", model.Errorf(model.CodeInternal, "this program can't find itself: %w", err)
	}
	return path, nil
}

// onPath finds a program by PATH, with no link followed; "" when it is not
// there.
func (s Settings) onPath(name string) string {
	for _, dir := range filepath.SplitList(s.Environ.Get("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && runnable(path) {
			return path
		}
	}
	return ""
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// isThere says whether a program that settings name can be called.
func (s Settings) isThere(program string) bool {
	if strings.ContainsRune(program, '/') {
		return runnable(program)
	}
	return s.onPath(program) != ""
}
