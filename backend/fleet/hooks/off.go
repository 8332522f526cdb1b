package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"binnacle/model/clean"

	"github.com/pelletier/go-toml/v2"
)

// off says what keeps a tool from running the hooks that are installed for
// it, each with the file and the key, in whatever layer of its settings. A file
// that can't be read says nothing here: the tool itself complains of it.
func (s Settings) off(o Options) []string {
	folder, err := s.toolFolder(o.Tool)
	if err != nil && !o.Project {
		return nil
	}
	switch o.Tool {
	case ToolClaude:
		return s.claudeOff(folder)
	case ToolCodex:
		return s.codexOff(folder)
	case ToolGemini:
		return s.geminiOff(folder)
	default:
		return s.opencodeOff(o)
	}
}

// readLayer reads a layer of a tool's settings; a missing, odd or huge one is
// none.
func readLayer(path string) ([]byte, bool) {
	if !filepath.IsAbs(path) {
		return nil, false // no folder is known
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil, false
	}
	raw, err := os.ReadFile(path)
	return raw, err == nil
}

// layer is one file of settings in JSON, comments allowed.
type layer struct {
	path string
	text string
	root span
	ok   bool
}

func jsonLayer(path string) layer {
	l := layer{path: path}
	raw, ok := readLayer(path)
	if !ok {
		return l
	}
	root, err := readSpans(string(raw))
	if err != nil {
		return l
	}
	return layer{path, string(raw), root, true}
}

// at is the value's text under a path of names, "" when there is none.
func (l layer) at(names ...string) string {
	s, ok := l.find(names)
	if !ok {
		return ""
	}
	return l.text[s.from:s.to]
}

func (l layer) find(names []string) (span, bool) {
	s := l.root
	if !l.ok {
		return s, false
	}
	for _, name := range names {
		i, ok := s.member(name)
		if s.kind != '{' || !ok {
			return s, false
		}
		s = s.members[i]
	}
	return s, true
}

// list is an array of words under a path of names.
func (l layer) list(names ...string) []string {
	s, ok := l.find(names)
	if !ok || s.kind != '[' {
		return nil
	}
	var out []string
	for _, e := range s.members {
		var word string
		if json.Unmarshal([]byte(l.text[e.from:e.to]), &word) == nil {
			out = append(out, word)
		}
	}
	return out
}

// said is how an obstacle reads: the key, its value, the file.
func (l layer) said(key, value string) string {
	return key + " is " + value + " in " + clean.Line(l.path)
}

// lastWord is the layer that decides a key: the last one that has it.
func lastWord(layers []layer, names ...string) (layer, string) {
	for _, l := range slices.Backward(layers) {
		if v := l.at(names...); v != "" {
			return l, v
		}
	}
	return layer{}, ""
}

// claudeManaged are the administrator's settings, in their order.
func (s Settings) claudeManaged() []layer {
	dir := s.systemFile("etc/claude-code", "Library/Application Support/ClaudeCode")
	layers := []layer{jsonLayer(filepath.Join(dir, "managed-settings.json"))}
	more, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json")) // fails only on a bad pattern
	for _, path := range more {
		layers = append(layers, jsonLayer(path))
	}
	return layers
}

func (s Settings) claudeOff(folder string) []string {
	var out []string
	managed := s.claudeManaged()
	for _, key := range []string{"allowManagedHooksOnly", "strictPluginOnlyCustomization"} {
		l, v := lastWord(managed, key)
		if v == "true" || slices.Contains(l.list(key), "hooks") {
			out = append(out, l.said(key, v))
		}
	}
	project := s.projectFolder(ToolClaude)
	layers := append([]layer{
		jsonLayer(filepath.Join(folder, "settings.json")),
		jsonLayer(filepath.Join(project, "settings.json")),
		jsonLayer(filepath.Join(project, "settings.local.json")),
	}, managed...)
	if l, v := lastWord(layers, "disableAllHooks"); v == "true" {
		out = append(out, l.said("disableAllHooks", v))
	}
	return out
}

// claudeNotes says whether the folder is trusted: the file stands in the
// settings' folder where that was named, and beside it where it was not.
func (s Settings) claudeNotes() []string {
	folder, err := s.toolFolder(ToolClaude)
	if err != nil {
		return nil
	}
	path := filepath.Join(folder, ".claude.json")
	if s.Environ.Get("CLAUDE_CONFIG_DIR") == "" {
		path = filepath.Join(filepath.Dir(folder), ".claude.json")
	}
	l := jsonLayer(path)
	for at := s.Root; ; at = filepath.Dir(at) {
		if l.at("projects", at, "hasTrustDialogAccepted") == "true" {
			return nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return []string{"Claude Code asks once, on a terminal, whether you trust this folder, and runs no hooks there before; claude -p does not ask, and runs them"}
}

func (s Settings) codexOff(folder string) []string {
	var out []string
	decided := ""
	managed := filepath.Join(s.System, "etc", "codex")
	for _, path := range []string{
		filepath.Join(managed, "config.toml"), filepath.Join(folder, "config.toml"),
		filepath.Join(s.projectFolder(ToolCodex), "config.toml"), filepath.Join(managed, "managed_config.toml"),
		filepath.Join(managed, "requirements.toml"),
	} {
		var c codexConfig
		raw, ok := readLayer(path)
		if !ok || toml.Unmarshal(raw, &c) != nil {
			continue
		}
		if c.ManagedOnly {
			out = append(out, "allow_managed_hooks_only is true in "+clean.Line(path))
		}
		if c.Features.Hooks != nil {
			if decided = ""; !*c.Features.Hooks {
				decided = "[features] hooks is false in " + clean.Line(path)
			}
		}
	}
	if decided != "" {
		out = append(out, decided)
	}
	return out
}

// geminiOff follows Gemini's order: the administrator's defaults, the user, the
// project, the administrator's last word. A hook is switched off by its name,
// and the lists of all layers add up.
func (s Settings) geminiOff(folder string) []string {
	system := s.Environ.Get("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
	if system == "" {
		system = s.systemFile("etc/gemini-cli/settings.json", "Library/Application Support/GeminiCli/settings.json")
	}
	defaults := s.Environ.Get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH")
	if defaults == "" {
		defaults = filepath.Join(filepath.Dir(system), "system-defaults.json")
	}
	layers := []layer{
		jsonLayer(defaults), jsonLayer(filepath.Join(folder, "settings.json")),
		jsonLayer(filepath.Join(s.projectFolder(ToolGemini), "settings.json")), jsonLayer(system),
	}
	var out []string
	// Older versions had both keys among the hooks themselves, or the tools.
	for _, key := range [][]string{{"hooksConfig", "enabled"}, {"hooks", "enabled"}, {"tools", "enableHooks"}} {
		if l, v := lastWord(layers, key...); v == "false" {
			out = append(out, l.said(strings.Join(key, "."), v))
		}
	}
	for _, section := range []string{"hooksConfig", "hooks"} {
		for _, l := range layers {
			for _, name := range l.list(section, "disabled") {
				if name == "binnacle" || strings.HasSuffix(name, " fleet hook "+ToolGemini) {
					out = append(out, clean.Line(name)+" stands in "+section+".disabled in "+clean.Line(l.path))
				}
			}
		}
	}
	if path, trust := s.geminiTrust(folder); trust == "DO_NOT_TRUST" {
		out = append(out, clean.Line(s.Root)+" is "+trust+" in "+clean.Line(path))
	}
	return out
}

// geminiTrust is what the user decided about this folder, "" when nothing: the
// rule of the longest path counts.
func (s Settings) geminiTrust(folder string) (path, trust string) {
	path = s.Environ.Get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
	if path == "" {
		path = filepath.Join(folder, "trustedFolders.json")
	}
	l := jsonLayer(path)
	longest := -1
	for i, name := range l.root.names {
		var rule string
		v := l.root.members[i]
		if json.Unmarshal([]byte(l.text[v.from:v.to]), &rule) != nil {
			continue
		}
		under := filepath.Clean(name)
		if rule == "TRUST_PARENT" {
			under = filepath.Dir(under)
		}
		inside := s.Root == under || strings.HasPrefix(s.Root, strings.TrimSuffix(under, "/")+"/")
		if inside && len(under) > longest {
			longest, trust = len(under), rule
		}
	}
	return path, trust
}

func (s Settings) geminiNotes() []string {
	folder, err := s.toolFolder(ToolGemini)
	if err != nil {
		return nil
	}
	if path, trust := s.geminiTrust(folder); trust == "" {
		return []string{"Gemini CLI runs no hooks, your own included, in a folder that it does not trust; " + clean.Line(path) + " does not name this one"}
	}
	return nil
}

func (s Settings) opencodeOff(o Options) []string {
	var out []string
	names := []string{"OPENCODE_PURE"}
	if o.Project {
		names = append(names, "OPENCODE_DISABLE_PROJECT_CONFIG")
	}
	for _, name := range names {
		if v := strings.ToLower(s.Environ.Get(name)); v == "1" || v == "true" {
			out = append(out, name+" is "+v+" in the environment, so that opencode loads no such plugin")
		}
	}
	return out
}
