package hooks

import (
	"path/filepath"
	"reflect"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
)

// Options say whose settings are meant.
type Options struct {
	Tool    string // one of Tools
	Project bool   // the project's settings, not the user's
	Binary  string // the program that hooks call; this one, as it was called, when ""
	V2      bool   // opencode: for its version 2
	Force   bool   // write a file also where it is read-only
}

// Plan is a change of a tool's settings that was not made yet.
type Plan struct {
	Tool    string   `json:"tool"`
	Path    string   `json:"path"`
	Existed bool     `json:"existed"`
	Delete  bool     `json:"delete"` // the file goes, as it was not there before an install
	Diff    string   `json:"diff"`   // "" when nothing is to be done
	Notes   []string `json:"notes"`  // what else it takes until the hooks run
	before  string
	after   string
	file    settingsFile
	install bool
	force   bool
}

// Changed says whether there is anything to do.
func (p Plan) Changed() bool { return p.before != p.after || p.Delete }

// PlanInstall says what an install would change. Nothing is written.
func (s Settings) PlanInstall(o Options) (Plan, error) {
	p, err := s.openPlan(&o)
	if err != nil {
		return p, err
	}
	p.install, p.Notes = true, append(s.off(o), s.notes(o)...)
	if o.Project && !s.isThere(o.Binary) {
		p.Notes = append(p.Notes, "no program "+clean.Line(o.Binary)+" is on your PATH: whoever works on this project needs one")
	}
	if o.Tool == ToolOpencode {
		if p.Existed && !strings.HasPrefix(p.before, opencodeMark) {
			return p, model.Errorf(model.CodeRefused, "%s is another plugin's file", clean.Line(p.Path))
		}
		p.after = opencodePlugin(o.Binary, o.V2)
	} else {
		set := setFor(o.Tool, o.Binary)
		if p.after, err = set.install(p.before); err != nil {
			return p, err
		}
		if err := set.onlyOurs(p.before, p.after); err != nil {
			return p, err
		}
	}
	p.Diff = unifiedDiff(p.Path, p.before, p.after)
	return p, nil
}

// PlanRemove says what it takes to undo an install: the file as it was before,
// byte for byte, where nobody changed it since; else the same file without our
// hooks.
func (s Settings) PlanRemove(o Options) (Plan, error) {
	p, err := s.openPlan(&o)
	if err != nil || !p.Existed {
		return p, err
	}
	var u undo
	if err := statefile.ReadJSON(s.undoPath(p.Path), &u); err != nil {
		return p, err
	}
	switch {
	case u.Path == p.Path && u.After == p.before:
		p.after, p.Delete = u.Before, !u.Existed
	case o.Tool == ToolOpencode:
		if !strings.HasPrefix(p.before, opencodeMark) {
			return p, nil
		}
		p.after, p.Delete = "", true
	default:
		set := setFor(o.Tool, o.Binary)
		if p.after, err = set.remove(p.before); err != nil {
			return p, err
		}
		if err := set.onlyOurs(p.before, p.after); err != nil {
			return p, err
		}
	}
	p.Diff = unifiedDiff(p.Path, p.before, p.after)
	return p, nil
}

// undo is what an install found, kept so that it can be put back.
type undo struct {
	Path    string `json:"path"`
	Existed bool   `json:"existed"`
	Before  string `json:"before"`
	After   string `json:"after"`
}

func (s Settings) undoPath(path string) string {
	return filepath.Join(s.StateDir, "hooks", statefile.Hash(path)+".json")
}

// Apply carries a plan out. A file that changed since the plan was made is
// refused: what was shown is no longer what would happen.
func (s Settings) Apply(p Plan) error {
	if !p.Changed() {
		return nil
	}
	if err := p.file.unchanged(p.Path); err != nil {
		return err
	}
	if err := p.file.writable(p.Path, p.force); err != nil {
		return err
	}
	if p.install {
		if err := s.keepUndo(p); err != nil {
			return err
		}
	}
	if p.Delete {
		return p.file.remove(p.Path)
	}
	return p.file.write(p.Path, p.after)
}

// keepUndo keeps what the file was before the first of several installs.
func (s Settings) keepUndo(p Plan) error {
	if err := statefile.MakeDir(filepath.Join(s.StateDir, "hooks")); err != nil {
		return err
	}
	u := undo{Path: p.Path, Existed: p.Existed, Before: p.before, After: p.after}
	var old undo
	if err := statefile.ReadJSON(s.undoPath(p.Path), &old); err != nil {
		return err
	}
	if old.Path == p.Path && old.After == p.before {
		u.Existed, u.Before = old.Existed, old.Before
	}
	return statefile.WriteJSON(s.undoPath(p.Path), u)
}

func (s Settings) openPlan(o *Options) (Plan, error) {
	path, err := s.settingsPath(*o)
	if err != nil {
		return Plan{}, err
	}
	if o.Binary, err = s.program(*o); err != nil {
		return Plan{}, err
	}
	p := Plan{Tool: o.Tool, Path: path, force: o.Force}
	p.file, err = readSettings(path)
	p.before, p.Existed = p.file.text, p.file.existed
	p.after = p.before
	return p, err
}

// onlyOurs checks that an edit changed nothing but our own hooks: without
// them, both texts say the same.
func (h hookSet) onlyOurs(before, after string) error {
	a, err := h.without(before)
	if err != nil {
		return err
	}
	b, err := h.without(after)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(a, b) {
		return model.Errorf(model.CodeInternal, "the settings can't be changed without touching what is not ours").
			WithHint("put the hooks in by hand: binnacle fleet hooks show %s", h.tool)
	}
	return nil
}

func (h hookSet) without(text string) (any, error) {
	if blank(text) {
		return map[string]any{}, nil
	}
	bare, err := h.remove(text)
	if err != nil {
		return nil, err
	}
	root, err := readSpans(bare)
	if err != nil {
		return nil, err
	}
	v := valueOf(bare, root)
	// An empty list of hooks says what none says.
	if m, ok := v.(map[string]any); ok {
		if hooks, ok := m["hooks"].(map[string]any); ok {
			for event, list := range hooks {
				if l, ok := list.([]any); ok && len(l) == 0 {
					delete(hooks, event)
				}
			}
			if len(hooks) == 0 {
				delete(m, "hooks")
			}
		}
	}
	return v, nil
}

// valueOf turns spans into plain values; what is no object or array stays
// text, so that no number changes.
func valueOf(text string, s span) any {
	switch s.kind {
	case '{':
		m := map[string]any{}
		for i, name := range s.names {
			m[name] = valueOf(text, s.members[i])
		}
		return m
	case '[':
		list := []any{}
		for _, e := range s.members {
			list = append(list, valueOf(text, e))
		}
		return list
	default:
		return text[s.from:s.to]
	}
}
