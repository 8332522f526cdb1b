package hooks

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"binnacle/model"
)

// hookSet is what is installed into one tool's settings: by event, the group
// that the tool wants there.
type hookSet struct {
	tool   string
	events []string
	group  func(event string) any
}

type handler struct {
	Name    string   `json:"name,omitempty"`
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout,omitempty"`
}

type group struct {
	Hooks []handler `json:"hooks"`
}

func setFor(tool, binary string) hookSet {
	line := shellWord(binary) + " fleet hook " + tool
	switch tool {
	case ToolClaude:
		return hookSet{tool, []string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest",
			"PermissionDenied", "Notification", "Stop", "StopFailure", "SubagentStop", "PreCompact", "CwdChanged", "SessionEnd",
		}, func(string) any {
			return group{[]handler{{Type: "command", Command: binary, Args: []string{"fleet", "hook", tool}, Timeout: 5}}}
		}}
	case ToolCodex:
		return hookSet{tool, []string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop", "Interrupt", "SessionEnd",
		}, func(event string) any {
			seconds := 5
			if event == "Interrupt" || event == "SessionEnd" {
				seconds = 3 // the most that it allows
			}
			return group{[]handler{{Type: "command", Command: line, Timeout: seconds}}}
		}}
	default:
		// No matcher: that of Gemini's lifecycle events is exact.
		return hookSet{ToolGemini, []string{
			"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification", "SessionEnd",
		}, func(string) any {
			return group{[]handler{{Name: "binnacle", Type: "command", Command: line, Timeout: 5000}}}
		}}
	}
}

// shellWord quotes a path for the shell that runs a hook's command.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ours says whether a handler is one that an install of ours made, of whatever
// path and version.
func ours(raw []byte, tool string) bool { return programOf(raw, tool) != "" }

// programOf is the program that a handler of ours calls, "" where the handler
// is somebody else's. Where the arguments stand apart they alone decide; a line
// for the shell is ours when it is one word and then our arguments, and
// binnacle is part of the word.
func programOf(raw []byte, tool string) string {
	b, err := parseBag(raw)
	if err != nil || b.text("type") != "command" {
		return ""
	}
	var args []string
	_ = json.Unmarshal(b["args"], &args) // absent in the other tools
	command := b.text("command")
	if slices.Equal(args, []string{"fleet", "hook", tool}) {
		return command
	}
	word, ok := strings.CutSuffix(command, " fleet hook "+tool)
	if !ok {
		return ""
	}
	program := strings.ReplaceAll(strings.Trim(word, `'`), `'\''`, `'`)
	if shellWord(program) != word && strings.ContainsAny(word, " \t") || !strings.Contains(program, "binnacle") {
		return ""
	}
	return program
}

// programs lists what our handlers in the settings call, each once.
func (h hookSet) programs(text string) []string {
	root, err := readSpans(text)
	if err != nil {
		return nil
	}
	i, ok := root.member("hooks")
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for _, list := range root.members[i].members {
		for _, g := range list.members {
			hi, ok := g.member("hooks")
			for _, n := range h.oursIn(text, g) {
				if e := g.members[hi].members[n]; ok {
					seen[programOf([]byte(text[e.from:e.to]), h.tool)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// install returns the settings with our hooks in each event's list, and
// nothing else changed.
func (h hookSet) install(text string) (string, error) {
	lines := lineEnds(text)
	if blank(text) {
		text = text[:len(text)-len(strings.TrimPrefix(text, byteOrderMark))] + "{}\n"
	}
	for _, event := range h.events {
		var err error
		if text, err = h.installOne(text, event); err != nil {
			return "", err
		}
	}
	return lines(text), nil
}

const byteOrderMark = "\ufeff"

// blank says that a settings file holds nothing yet.
func blank(text string) bool { return strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark)) == "" }

// lineEnds gives what is added to a text the ends of line that the text has
// throughout.
func lineEnds(text string) func(string) string {
	n := strings.Count(text, "\n")
	if n == 0 || strings.Count(text, "\r\n") != n {
		return func(s string) string { return s }
	}
	return func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n") }
}

func (h hookSet) installOne(text, event string) (string, error) {
	want, err := json.Marshal(h.group(event))
	if err != nil {
		return "", err
	}
	if has, err := h.has(text, event, want); err != nil || has {
		return text, err
	}
	if text, err = h.removeFrom(text, event); err != nil {
		return "", err
	}
	root, err := readSpans(text)
	if err != nil {
		return "", err
	}
	indent := indentOf(text, root)
	i, ok := root.member("hooks")
	if !ok {
		return insertInto(text, root, `"hooks": {`+"\n"+indent+indent+h.eventText(event, indent, 2)+"\n"+indent+"}", indent, ""), nil
	}
	hooks := root.members[i]
	i, ok = hooks.member(event)
	if !ok {
		return insertInto(text, hooks, h.eventText(event, indent, 2), indent, indent), nil
	}
	return insertInto(text, hooks.members[i], h.groupText(event, indent, 3), indent, indent+indent), nil
}

func (h hookSet) eventText(event, indent string, deep int) string {
	outer := strings.Repeat(indent, deep)
	return `"` + event + `": [` + "\n" + outer + indent + h.groupText(event, indent, deep+1) + "\n" + outer + "]"
}

func (h hookSet) groupText(event, indent string, deep int) string {
	raw, err := json.MarshalIndent(h.group(event), strings.Repeat(indent, deep), indent)
	if err != nil {
		return "{}" // strings and numbers only: it can't fail
	}
	return string(raw)
}

// lists finds the event's list, checking the shape on the way: settings of
// another shape are somebody else's, and stay as they are.
func (h hookSet) lists(text, event string) (span, bool, error) {
	root, err := readSpans(text)
	if err != nil {
		return span{}, false, err
	}
	odd := func(what string) error {
		return model.Errorf(model.CodeRefused, "the settings have %s of another form than %s's", what, h.tool).
			WithHint("repair the settings, or put the hooks in by hand: binnacle fleet hooks show %s", h.tool)
	}
	if root.kind != '{' {
		return span{}, false, odd("a document")
	}
	i, ok := root.member("hooks")
	if !ok {
		return span{}, false, nil
	}
	hooks := root.members[i]
	if hooks.kind != '{' {
		return span{}, false, odd("hooks")
	}
	i, ok = hooks.member(event)
	if !ok {
		return span{}, false, nil
	}
	if hooks.members[i].kind != '[' {
		return span{}, false, odd("the event " + event)
	}
	return hooks.members[i], true, nil
}

// has says whether our group stands there as it is wanted, once.
func (h hookSet) has(text, event string, want []byte) (bool, error) {
	list, ok, err := h.lists(text, event)
	if err != nil || !ok {
		return false, err
	}
	var wanted any
	if err := json.Unmarshal(want, &wanted); err != nil {
		return false, err
	}
	exact, all := 0, 0
	for _, g := range list.members {
		n := len(h.oursIn(text, g))
		all += n
		var got any
		if n == 1 && json.Unmarshal([]byte(text[g.from:g.to]), &got) == nil && reflect.DeepEqual(got, wanted) {
			exact++
		}
	}
	return exact == 1 && all == 1, nil
}

// oursIn lists the places of our handlers in a group.
func (h hookSet) oursIn(text string, g span) []int {
	if g.kind != '{' {
		return nil
	}
	i, ok := g.member("hooks")
	if !ok || g.members[i].kind != '[' {
		return nil
	}
	var out []int
	for n, e := range g.members[i].members {
		if e.kind == '{' && ours([]byte(text[e.from:e.to]), h.tool) {
			out = append(out, n)
		}
	}
	return out
}

// remove returns the settings without any handler of ours; a group, a list and
// the hooks themselves go with the last thing in them.
func (h hookSet) remove(text string) (string, error) {
	if blank(text) {
		return text, nil
	}
	root, err := readSpans(text)
	if err != nil {
		return "", err
	}
	i, ok := root.member("hooks")
	if !ok || root.members[i].kind != '{' {
		return text, nil
	}
	for n, event := range root.members[i].names {
		if root.members[i].members[n].kind != '[' {
			continue // no list of the tool's, so nothing of ours is in it
		}
		if text, err = h.removeFrom(text, event); err != nil {
			return "", err
		}
	}
	return text, nil
}

func (h hookSet) removeFrom(text, event string) (string, error) {
	for {
		list, ok, err := h.lists(text, event)
		if err != nil || !ok {
			return text, err
		}
		next, found := h.removeNext(text, event, list)
		if !found {
			return text, nil
		}
		text = next
	}
}

// removeNext takes one handler out; the places are read anew for the next one.
func (h hookSet) removeNext(text, event string, list span) (string, bool) {
	for gi, g := range list.members {
		at := h.oursIn(text, g)
		if len(at) == 0 {
			continue
		}
		hi, _ := g.member("hooks")
		handlers := g.members[hi]
		if len(handlers.members) > 1 {
			return removeAt(text, handlers, at[0]), true
		}
		if len(list.members) > 1 {
			return removeAt(text, list, gi), true
		}
		root, err := readSpans(text)
		if err != nil {
			return text, false
		}
		ri, _ := root.member("hooks")
		hooks := root.members[ri]
		if len(hooks.members) > 1 {
			ei, _ := hooks.member(event)
			return removeAt(text, hooks, ei), true
		}
		return removeAt(text, root, ri), true
	}
	return text, false
}
