package keymap

import (
	"slices"
	"sort"

	"binnacle/model"
	"binnacle/model/clean"
)

// Map is a set of actions with their keys. It never changes; the zero Map has
// no action.
type Map struct {
	actions []Action
	byName  map[string]int
	byKey   map[bound]int
}

type bound struct {
	scope Scope
	key   string
}

// Default is the map with every action's own keys.
func Default() Map { return index(actions()) }

func index(list []Action) Map {
	m := Map{actions: list, byName: make(map[string]int, len(list)), byKey: make(map[bound]int, 4*len(list))}
	for i, a := range list {
		m.byName[a.Name] = i
		for _, s := range a.Scopes {
			for _, k := range a.Keys {
				m.byKey[bound{s, k}] = i
			}
		}
	}
	return m
}

// WithOverrides returns a map in which the named actions have the given keys
// and no others; an empty list leaves an action without a key, reachable by the
// palette. Unknown names, what is no key, and two actions that could apply at
// the same time with one key are refused (INVALID).
func (m Map) WithOverrides(overrides map[string][]string) (Map, error) {
	names := make([]string, 0, len(overrides))
	for name := range overrides {
		names = append(names, name)
	}
	sort.Strings(names)
	list := slices.Clone(m.actions)
	for _, name := range names {
		i, ok := m.byName[name]
		if !ok {
			return Map{}, m.unknown(name)
		}
		keys := make([]string, 0, len(overrides[name]))
		for _, k := range overrides[name] {
			k, err := Parse(k)
			if err != nil {
				return Map{}, model.Errorf(model.CodeInvalid, "keys of %s: %w", name, err).WithHint("%s", model.HintOf(err))
			}
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
		list[i].Keys = keys
	}
	if err := conflict(list); err != nil {
		return Map{}, err
	}
	return index(list), nil
}

func (m Map) unknown(name string) error {
	e := model.Errorf(model.CodeInvalid, "there is no action %q", clean.Line(name))
	all := make([]string, len(m.actions))
	for i, a := range m.actions {
		all[i] = a.Name
	}
	if near := nearest(name, all); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("binnacle keys lists every action")
}

// conflict finds the first two actions that one key could mean at one time.
func conflict(list []Action) error {
	byKey := map[string][]int{}
	for i, a := range list {
		for _, k := range a.Keys {
			for _, j := range byKey[k] {
				if list[j].overlaps(a) {
					return model.Errorf(model.CodeInvalid, "the key %q is bound to both %s and %s", k, list[j].Name, a.Name).
						WithHint("give one of them another key, or [] for none")
				}
			}
			byKey[k] = append(byKey[k], i)
		}
	}
	return nil
}

// Lookup returns what the key means in the scopes, which are given the
// narrowest first. The scope Always is looked at last, whether given or not.
func (m Map) Lookup(key string, scopes ...Scope) (Action, bool) {
	key = Normal(key)
	for _, s := range scopes {
		if i, ok := m.byKey[bound{s, key}]; ok {
			return m.actions[i], true
		}
	}
	if i, ok := m.byKey[bound{Always, key}]; ok {
		return m.actions[i], true
	}
	return Action{}, false
}

// Action returns an action by its name.
func (m Map) Action(name string) (Action, bool) {
	i, ok := m.byName[name]
	if !ok {
		return Action{}, false
	}
	return m.actions[i], true
}

// Actions lists every action, in the order of help. The slice is a copy.
func (m Map) Actions() []Action { return slices.Clone(m.actions) }

// KeysOf returns the action's keys, none when it has none or does not exist.
func (m Map) KeysOf(name string) []string {
	a, _ := m.Action(name)
	return slices.Clone(a.Keys)
}

// KeyOf returns the key that is shown for the action, "" when it has none.
func (m Map) KeyOf(name string) string {
	a, _ := m.Action(name)
	if len(a.Keys) == 0 {
		return ""
	}
	return Label(a.Keys[0])
}

// Line lists the actions for the bottom line: those with a rank and a key that
// apply in one of the scopes, by rank.
func (m Map) Line(scopes ...Scope) []Action {
	var out []Action
	for _, a := range m.actions {
		if a.Rank == 0 || len(a.Keys) == 0 {
			continue
		}
		for _, s := range scopes {
			if a.named(s) {
				out = append(out, a)
				break
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Rank < out[j].Rank })
	return out
}
