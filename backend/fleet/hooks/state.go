package hooks

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model/clean"

	"github.com/pelletier/go-toml/v2"
)

// State says how a tool's hooks stand.
type State struct {
	Tool      string   `json:"tool"`
	Path      string   `json:"path"`
	Present   bool     `json:"present"`         // the tool's own folder is there
	Installed bool     `json:"installed"`       // our hooks, all of them, calling this program
	Partly    bool     `json:"partly"`          // some of them, or of another path
	Other     string   `json:"other,omitempty"` // all of them, calling this other program
	Gone      []string `json:"gone"`            // programs that the settings name and that are not there
	Off       []string `json:"off"`             // what keeps hooks from running, with file and key
	Fault     string   `json:"fault,omitempty"`
	Snippet   string   `json:"snippet"` // what an install puts in
	Notes     []string `json:"notes"`   // what else it takes until they run
}

// Show looks at a tool's settings; it changes nothing.
func (s Settings) Show(o Options) (State, error) {
	p, err := s.openPlan(&o)
	if err != nil {
		return State{}, err
	}
	out := State{Tool: o.Tool, Path: p.Path, Present: statefile.Exists(filepath.Dir(p.Path)), Gone: []string{}, Notes: s.notes(o)}
	out.Off = append([]string{}, s.off(o)...)
	if o.Tool == ToolOpencode {
		s.showPlugin(&out, o, p.before)
		return out, nil
	}
	set := setFor(o.Tool, o.Binary)
	if out.Snippet, err = set.install(""); err != nil {
		return out, err
	}
	text, err := set.install(p.before)
	if err != nil {
		out.Fault = err.Error()
		return out, nil
	}
	bare, err := set.remove(p.before)
	if err != nil {
		out.Fault = err.Error()
		return out, nil
	}
	out.Installed = text == p.before && !blank(p.before)
	out.Partly = !out.Installed && bare != p.before
	programs := set.programs(p.before)
	if out.Partly && len(programs) == 1 {
		if same, err := setFor(o.Tool, programs[0]).install(p.before); err == nil && same == p.before {
			out.Other = programs[0]
		}
	}
	out.Gone = s.gone(programs)
	return out, nil
}

// gone lists the programs that are not there.
func (s Settings) gone(programs []string) []string {
	return slices.DeleteFunc(append([]string{}, programs...), s.isThere)
}

func (s Settings) showPlugin(out *State, o Options, text string) {
	out.Snippet = opencodePlugin(o.Binary, o.V2)
	out.Present = statefile.Exists(filepath.Dir(filepath.Dir(out.Path)))
	if !strings.HasPrefix(text, opencodeMark) {
		return
	}
	out.Installed = text == out.Snippet
	out.Partly = !out.Installed
	program := opencodeProgram(text)
	if program == "" {
		return
	}
	if out.Partly && (text == opencodePlugin(program, false) || text == opencodePlugin(program, true)) {
		out.Other = program
	}
	out.Gone = s.gone([]string{program})
}

// notes says where a tool will not run hooks until somebody approved them:
// a hook that is installed and never runs looks like an idle agent.
func (s Settings) notes(o Options) []string {
	switch o.Tool {
	case ToolClaude:
		return s.claudeNotes()
	case ToolCodex:
		return s.codexNotes(o)
	case ToolGemini:
		notes := s.geminiNotes()
		if o.Project {
			notes = append(notes, "Gemini CLI warns of new project hooks once, and then runs them")
		}
		return notes
	default:
		if o.V2 {
			return []string{"this plugin is for opencode 2; opencode 1 does not load it"}
		}
		return []string{"this plugin is for opencode 1; for opencode 2 install it with --v2"}
	}
}

// codexConfig is the part of Codex's config.toml and requirements.toml that
// bears on hooks.
type codexConfig struct {
	Features struct {
		Hooks *bool `toml:"hooks"`
	} `toml:"features"`
	ManagedOnly bool `toml:"allow_managed_hooks_only"`
	Projects    map[string]struct {
		Trust string `toml:"trust_level"`
	} `toml:"projects"`
	Hooks struct {
		State map[string]struct {
			Hash string `toml:"trusted_hash"`
		} `toml:"state"`
	} `toml:"hooks"`
}

func (s Settings) codexNotes(o Options) []string {
	folder, err := s.toolFolder(ToolCodex)
	if err != nil {
		return nil
	}
	var c codexConfig
	if raw, ok := readLayer(filepath.Join(folder, "config.toml")); ok && toml.Unmarshal(raw, &c) != nil {
		return []string{"Codex's config.toml can't be read, so it is not known whether the hooks are approved"}
	}
	var notes []string
	if o.Project {
		if p := c.Projects[s.Root]; p.Trust != "trusted" {
			notes = append(notes, "Codex reads no project's hooks before the folder is trusted: "+clean.Line(filepath.Join(folder, "config.toml"))+
				" has no trust_level = \"trusted\" for "+clean.Line(s.Root))
		}
	}
	path, err := s.settingsPath(o)
	if err != nil {
		return notes
	}
	approved := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(c.Hooks.State)) {
		if rest, ok := strings.CutPrefix(key, path+":"); ok && c.Hooks.State[key].Hash != "" {
			event, _, _ := strings.Cut(rest, ":")
			approved[enumName(event)] = true
		}
	}
	var missing []string
	for _, event := range setFor(ToolCodex, "binnacle").events {
		if !approved[enumName(event)] {
			missing = append(missing, event)
		}
	}
	if len(missing) > 0 {
		notes = append(notes, "Codex skips each hook, silently in codex exec, until it is approved in /hooks; an edit asks again. Not approved: "+
			strings.Join(missing, ", "))
	}
	return notes
}

// enumName compares event names whatever their case and underscores.
func enumName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
