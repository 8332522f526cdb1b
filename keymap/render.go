package keymap

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Markdown is the table of the README: a line for each action, under its
// group's heading, in a stable order.
func (m Map) Markdown() string {
	var b strings.Builder
	for i, g := range Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("**" + string(g) + "**\n\n| key | action | what it does |\n| --- | --- | --- |\n")
		for _, a := range m.actions {
			if a.Group == g {
				b.WriteString("| " + markdownKeys(a.Keys) + " | `" + a.Name + "` | " + a.Help + " |\n")
			}
		}
	}
	return b.String()
}

func markdownKeys(keys []string) string {
	if len(keys) == 0 {
		return "(none)"
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		k = strings.ReplaceAll(Label(k), "|", `\|`)
		if strings.Contains(k, "`") {
			out[i] = "`` " + k + " ``"
		} else {
			out[i] = "`" + k + "`"
		}
	}
	return strings.Join(out, " ")
}

// Text is `binnacle keys` for people: aligned lines under the groups' headings.
func (m Map) Text() string {
	keys, name := 0, 0
	for _, a := range m.actions {
		keys = max(keys, utf8.RuneCountInString(strings.Join(a.Keys, " ")))
		name = max(name, len(a.Name))
	}
	pad := func(s string, n int) string { return s + strings.Repeat(" ", max(n-utf8.RuneCountInString(s), 0)) }
	var b strings.Builder
	for i, g := range Groups() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(g) + "\n")
		for _, a := range m.actions {
			if a.Group == g {
				b.WriteString("  " + pad(strings.Join(a.Keys, " "), keys) + "  " + pad(a.Name, name) + "  " + a.Help + "\n")
			}
		}
	}
	return b.String()
}

// MarshalJSON writes the actions as `binnacle keys --json` prints them.
func (m Map) MarshalJSON() ([]byte, error) {
	type row struct {
		Name     string   `json:"name"`
		Keys     []string `json:"keys"`
		Scopes   []Scope  `json:"scopes"`
		Group    Group    `json:"group"`
		Help     string   `json:"help"`
		Changes  bool     `json:"changes"`
		Synonyms []string `json:"synonyms"`
	}
	out := make([]row, len(m.actions))
	for i, a := range m.actions {
		keys := a.Keys
		if keys == nil {
			keys = []string{}
		}
		out[i] = row{a.Name, keys, a.Scopes, a.Group, a.Help, a.Changes, append([]string{}, a.Synonyms...)}
	}
	return json.Marshal(out)
}
