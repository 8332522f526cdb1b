package fleet

import (
	"os"
	"path/filepath"
	"strings"

	"binnacle/model"

	"github.com/pelletier/go-toml/v2"
)

// HooksState says how a tool's hooks stand.
type HooksState struct {
	Tool      string   `json:"tool"`
	Path      string   `json:"path"`
	Present   bool     `json:"present"`   // the tool's own folder is there
	Installed bool     `json:"installed"` // our hooks, all of them
	Partly    bool     `json:"partly"`    // some of them, or of another path
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
	s := HooksState{Tool: o.Tool, Path: p.Path, Present: exists(filepath.Dir(p.Path)), Notes: f.hookNotes(o)}
	if o.Tool == ToolOpencode {
		s.Snippet = opencodePlugin(o.Binary, o.V2)
		s.Present = exists(filepath.Dir(filepath.Dir(p.Path)))
		s.Installed = p.before == s.Snippet
		s.Partly = !s.Installed && strings.HasPrefix(p.before, opencodeMark)
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
	s.Installed = text == p.before && p.before != ""
	s.Partly = !s.Installed && bare != p.before
	return s, nil
}

// hookNotes says where a tool will not run hooks until somebody approved them:
// a hook that is installed and never runs looks like an idle agent.
func (f *Fleet) hookNotes(o HooksOptions) []string {
	switch o.Tool {
	case ToolClaude:
		return []string{"Claude Code runs no hook of its settings before this folder is trusted: answer its question once, interactively (claude -p does not ask)"}
	case ToolCodex:
		return f.codexNotes(o)
	case ToolGemini:
		if o.Project {
			return []string{"Gemini CLI warns of new project hooks once, and runs none in a folder that it does not trust"}
		}
		return []string{"Gemini CLI may run no hooks in a folder that it does not trust"}
	default:
		if o.V2 {
			return []string{"this plugin is for opencode 2; opencode 1 does not load it"}
		}
		return []string{"this plugin is for opencode 1; for opencode 2 install it with --v2"}
	}
}

// codexConfig is the part of Codex's config.toml that bears on hooks.
type codexConfig struct {
	Features struct {
		Hooks *bool `toml:"hooks"`
	} `toml:"features"`
	Hooks struct {
		State map[string]struct {
			Hash string `toml:"trusted_hash"`
		} `toml:"state"`
	} `toml:"hooks"`
}

func (f *Fleet) codexNotes(o HooksOptions) []string {
	path, err := f.settingsPath(HooksOptions{Tool: ToolCodex})
	if err != nil {
		return nil
	}
	var c codexConfig
	if raw, err := os.ReadFile(filepath.Join(filepath.Dir(path), "config.toml")); err == nil {
		if toml.Unmarshal(model.CutBOM(raw), &c) != nil {
			return []string{"Codex's config.toml can't be read, so it is not known whether the hooks are approved"}
		}
	}
	if c.Features.Hooks != nil && !*c.Features.Hooks {
		return []string{"Codex's hooks are off: [features] hooks = false in its config.toml"}
	}
	if path, err = f.settingsPath(o); err != nil {
		return nil
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
	if len(missing) == 0 {
		return nil
	}
	return []string{
		"Codex skips each hook, silently in codex exec, until it is approved in /hooks; an edit asks again. Not approved: " +
			strings.Join(missing, ", "),
	}
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
