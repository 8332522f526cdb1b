package fleet

import (
	"path/filepath"
	"slices"
	"strings"

	"binnacle/model"

	"github.com/pelletier/go-toml/v2"
)

// HooksState says how a tool's hooks stand.
type HooksState struct {
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

// HooksShow looks at a tool's settings; it changes nothing.
func (f *Fleet) HooksShow(o HooksOptions) (HooksState, error) {
	p, err := f.openPlan(&o)
	if err != nil {
		return HooksState{}, err
	}
	s := HooksState{Tool: o.Tool, Path: p.Path, Present: exists(filepath.Dir(p.Path)), Gone: []string{}, Notes: f.hookNotes(o)}
	s.Off = append([]string{}, f.hooksOff(o)...)
	if o.Tool == ToolOpencode {
		f.showPlugin(&s, o, p.before)
		return s, nil
	}
	set := setFor(o.Tool, o.Binary)
	if s.Snippet, err = set.install(""); err != nil {
		return s, err
	}
	text, err := set.install(p.before)
	if err != nil {
		s.Fault = err.Error()
		return s, nil
	}
	bare, err := set.remove(p.before)
	if err != nil {
		s.Fault = err.Error()
		return s, nil
	}
	s.Installed = text == p.before && !blank(p.before)
	s.Partly = !s.Installed && bare != p.before
	programs := set.programs(p.before)
	if s.Partly && len(programs) == 1 {
		if same, err := setFor(o.Tool, programs[0]).install(p.before); err == nil && same == p.before {
			s.Other = programs[0]
		}
	}
	s.Gone = f.gone(programs)
	return s, nil
}

// gone lists the programs that are not there.
func (f *Fleet) gone(programs []string) []string {
	return slices.DeleteFunc(append([]string{}, programs...), f.isThere)
}

func (f *Fleet) showPlugin(s *HooksState, o HooksOptions, text string) {
	s.Snippet = opencodePlugin(o.Binary, o.V2)
	s.Present = exists(filepath.Dir(filepath.Dir(s.Path)))
	if !strings.HasPrefix(text, opencodeMark) {
		return
	}
	s.Installed = text == s.Snippet
	s.Partly = !s.Installed
	program := opencodeProgram(text)
	if program == "" {
		return
	}
	if s.Partly && (text == opencodePlugin(program, false) || text == opencodePlugin(program, true)) {
		s.Other = program
	}
	s.Gone = f.gone([]string{program})
}

// hookNotes says where a tool will not run hooks until somebody approved them:
// a hook that is installed and never runs looks like an idle agent.
func (f *Fleet) hookNotes(o HooksOptions) []string {
	switch o.Tool {
	case ToolClaude:
		return f.claudeNotes()
	case ToolCodex:
		return f.codexNotes(o)
	case ToolGemini:
		notes := f.geminiNotes()
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

func (f *Fleet) codexNotes(o HooksOptions) []string {
	folder, err := f.toolFolder(ToolCodex)
	if err != nil {
		return nil
	}
	var c codexConfig
	if raw, ok := readLayer(filepath.Join(folder, "config.toml")); ok && toml.Unmarshal(raw, &c) != nil {
		return []string{"Codex's config.toml can't be read, so it is not known whether the hooks are approved"}
	}
	var notes []string
	if o.Project {
		if p := c.Projects[f.repo.root]; p.Trust != "trusted" {
			notes = append(notes, "Codex reads no project's hooks before the folder is trusted: "+model.Clean(filepath.Join(folder, "config.toml"))+
				" has no trust_level = \"trusted\" for "+model.Clean(f.repo.root))
		}
	}
	path, err := f.settingsPath(o)
	if err != nil {
		return notes
	}
	approved := map[string]bool{}
	for _, key := range sortedKeys(c.Hooks.State) {
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

// UnknownEvents lists what tools sent that this program does not know.
type UnknownEvents struct {
	Tool    string     `json:"tool"`
	Event   string     `json:"event"`
	Count   int64      `json:"count"`
	Seen    model.Time `json:"seen"`
	Members string     `json:"members"`
}
