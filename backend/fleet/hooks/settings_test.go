package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"

	"pgregory.net/rapid"
)

const busySettings = `{
    // kept by hand
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"], "deny": []},
    "hooks": {
        "PostToolUse": [
            {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "prettier --write"}]},
            {"hooks": [{"type": "command", "command": "echo fleet hook claude-code"}]}
        ],
        "UserPromptSubmit": [], /* none yet */
        "Custom": "kept"
    },
    "big": 12345678901234567890.0001,
    "z": null
}
`

func (n *tools) settings(t *testing.T, o Options, text string) string {
	t.Helper()
	path, err := n.settingsPath(o)
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if text != "" {
		must(t, os.WriteFile(path, []byte(text), 0o640))
	}
	return path
}

func TestHooksInstallAndUndo(t *testing.T) {
	for name, text := range map[string]string{
		"busy": busySettings, "empty object": "{}", "one line": `{"a":1}`, "no newline": "{\n\t\"a\": [1,2]\n}", "blank": "\n",
		"empty hooks": `{"hooks":{}}`, "trailing commas": "{\n  \"a\": 1,\n}\n", "no file": "",
	} {
		for _, tool := range []string{ToolClaude, ToolCodex, ToolGemini} {
			t.Run(name+" "+tool, func(t *testing.T) {
				n := newTools(t)
				o := Options{Tool: tool, Binary: "/opt/my tools/binnacle"}
				path := n.settings(t, o, text)
				plan, err := n.PlanInstall(o)
				must(t, err)
				if !plan.Changed() || !strings.Contains(plan.Diff, "+") || strings.Contains(plan.Diff, "\n-    \"model\"") {
					t.Fatalf("diff:\n%s", plan.Diff)
				}
				if statefile.Exists(path) != (text != "") {
					t.Fatal("planning wrote")
				}
				must(t, n.Apply(plan))
				after := readText(t, path)
				state, err := n.Show(o)
				must(t, err)
				if !state.Installed || state.Partly || state.Fault != "" {
					t.Fatalf("%+v in\n%s", state, after)
				}
				if text == busySettings {
					for _, kept := range []string{"// kept by hand", "/* none yet */", "prettier --write", "12345678901234567890.0001", `"Custom": "kept"`} {
						if !strings.Contains(after, kept) {
							t.Errorf("%q is gone", kept)
						}
					}
				} else if !strings.Contains(text, ",\n}") && !json.Valid([]byte(after)) {
					t.Errorf("not JSON:\n%s", after)
				}
				again, err := n.PlanInstall(o)
				must(t, err)
				if again.Changed() || again.Diff != "" {
					t.Fatalf("a second install changes\n%s", again.Diff)
				}
				undo, err := n.PlanRemove(o)
				must(t, err)
				must(t, n.Apply(undo))
				if text == "" {
					if statefile.Exists(path) {
						t.Error("the file was not there before")
					}
				} else if got := readText(t, path); got != text {
					t.Errorf("undone:\n%s", got)
				}
			})
		}
	}
}

func TestHooksRemoveAfterOthersChangedTheFile(t *testing.T) {
	n := newTools(t)
	o := Options{Tool: ToolClaude, Binary: "/usr/bin/binnacle"}
	path := n.settings(t, o, busySettings)
	plan, err := n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	changed := strings.Replace(readText(t, path), `"opus"`, `"haiku"`, 1)
	must(t, os.WriteFile(path, []byte(changed), 0o640))
	if err := n.Apply(plan); err != nil && model.CodeOf(err) != model.CodeStale {
		t.Fatal(err)
	}
	undo, err := n.PlanRemove(o)
	must(t, err)
	must(t, n.Apply(undo))
	got := readText(t, path)
	if strings.Contains(got, "/usr/bin/binnacle") || !strings.Contains(got, "haiku") || !strings.Contains(got, "echo fleet hook claude-code") {
		t.Fatalf("%s", got)
	}
	set := setFor(ToolClaude, "/usr/bin/binnacle")
	a, err := set.without(strings.Replace(busySettings, `"opus"`, `"haiku"`, 1))
	must(t, err)
	b, err := set.without(got)
	must(t, err)
	if string(mustJSON(t, a)) != string(mustJSON(t, b)) {
		t.Fatalf("more than ours is gone:\n%s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return raw
}

func TestHooksMoveToAnotherBinaryInPlace(t *testing.T) {
	n := newTools(t)
	o := Options{Tool: ToolCodex, Binary: "/old/binnacle"}
	path := n.settings(t, o, "{}")
	plan, err := n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	o.Binary = "/new/binnacle"
	if s, err := n.Show(o); err != nil || s.Installed || !s.Partly {
		t.Fatalf("%+v %v", s, err)
	}
	plan, err = n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	got := readText(t, path)
	if strings.Contains(got, "/old/") || strings.Count(got, "/new/binnacle fleet hook codex") != len(setFor(ToolCodex, "").events) {
		t.Fatalf("%s", got)
	}
	undo, err := n.PlanRemove(o)
	must(t, err)
	must(t, n.Apply(undo))
	if got := readText(t, path); got != "{}" {
		t.Errorf("%q", got)
	}
}

func TestHooksRefuseWhatTheyDoNotUnderstand(t *testing.T) {
	for name, text := range map[string]string{
		"broken": `{"a":`, "array": `[]`, "hooks a list": `{"hooks":[]}`, "event an object": `{"hooks":{"SessionStart":{}}}`, "two values": `{} {}`,
	} {
		n := newTools(t)
		o := Options{Tool: ToolClaude}
		path := n.settings(t, o, text)
		if _, err := n.PlanInstall(o); err == nil {
			t.Errorf("%s: taken", name)
		}
		if readText(t, path) != text {
			t.Errorf("%s: changed", name)
		}
	}
}

func TestHooksThroughALinkAndStalePlans(t *testing.T) {
	n := newTools(t)
	o := Options{Tool: ToolClaude, Binary: "binnacle"}
	path := n.settings(t, o, "")
	dotfile := filepath.Join(t.TempDir(), "settings.json")
	must(t, os.WriteFile(dotfile, []byte("{}"), 0o600))
	must(t, os.Symlink(dotfile, path))
	plan, err := n.PlanInstall(o)
	must(t, err)
	must(t, os.WriteFile(dotfile, []byte(`{"b":2}`), 0o600))
	wantCode(t, n.Apply(plan), model.CodeStale)
	plan, err = n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if !strings.Contains(readText(t, dotfile), "SessionStart") {
		t.Error("not written through the link")
	}
}

func TestOpencodePlugin(t *testing.T) {
	n := newTools(t)
	for _, v2 := range []bool{false, true} {
		o := Options{Tool: ToolOpencode, Binary: `/a "b"/binnacle`, V2: v2}
		plan, err := n.PlanInstall(o)
		must(t, err)
		must(t, n.Apply(plan))
		text := readText(t, plan.Path)
		if !strings.Contains(text, `const program = "/a \"b\"/binnacle"`) || strings.Contains(text, "export default") != v2 {
			t.Errorf("%s", text)
		}
		if s, err := n.Show(o); err != nil || !s.Installed {
			t.Errorf("%+v %v", s, err)
		}
	}
	plan, err := n.PlanRemove(Options{Tool: ToolOpencode})
	must(t, err)
	must(t, n.Apply(plan))
	if statefile.Exists(plan.Path) {
		t.Error("still there")
	}
	must(t, os.WriteFile(plan.Path, []byte("export const Mine = 1\n"), 0o600))
	if _, err := n.PlanInstall(Options{Tool: ToolOpencode}); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("another plugin's file is taken: %v", err)
	}
	if p, err := n.PlanRemove(Options{Tool: ToolOpencode}); err != nil || p.Changed() {
		t.Errorf("another plugin's file would be removed: %+v %v", p, err)
	}
}

func TestCodexSaysWhatIsNotApproved(t *testing.T) {
	n := newTools(t)
	o := Options{Tool: ToolCodex, Binary: "binnacle"}
	path := n.settings(t, o, "")
	config := filepath.Join(filepath.Dir(path), "config.toml")
	notes := func() string { return strings.Join(n.notes(o), " ") }
	if !strings.Contains(notes(), "SessionStart, UserPromptSubmit") {
		t.Error(notes())
	}
	text := ""
	for _, e := range setFor(ToolCodex, "").events {
		if e != "Stop" {
			text += "[hooks.state.'" + path + ":" + e + ":0:0']\ntrusted_hash = \"x\"\n"
		}
	}
	must(t, os.WriteFile(config, []byte(text), 0o600))
	if got := notes(); !strings.HasSuffix(got, "Not approved: Stop") {
		t.Error(got)
	}
	must(t, os.WriteFile(config, []byte("[features]\nhooks = false\n"), 0o600))
	if off := n.off(o); len(off) != 1 || off[0] != "[features] hooks is false in "+config {
		t.Error(off)
	}
}

func TestInstallKeepsAnySettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyJSON(t, 3)
		m, ok := v.(map[string]any)
		if !ok {
			m = map[string]any{"v": v}
		}
		delete(m, "hooks")
		if rapid.Bool().Draw(t, "hooked") {
			m["hooks"] = map[string]any{"Stop": []any{map[string]any{"matcher": "x", "hooks": []any{map[string]any{"type": "command", "command": "theirs"}}}}}
		}
		indent := rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indent")
		raw, err := json.MarshalIndent(m, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		set := setFor(ToolClaude, "/x/binnacle")
		after, err := set.install(string(raw))
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		if !json.Valid([]byte(after)) {
			t.Fatalf("not JSON: %s", after)
		}
		if err := set.onlyOurs(string(raw), after); err != nil {
			t.Fatalf("%v\n%s\n%s", err, raw, after)
		}
		if again, err := set.install(after); err != nil || again != after {
			t.Fatalf("not idempotent: %v\n%s", err, again)
		}
		bare, err := set.remove(after)
		if err != nil || strings.Contains(bare, "/x/binnacle") || !json.Valid([]byte(bare)) {
			t.Fatalf("%v %s", err, bare)
		}
	})
}

func anyJSON(t *rapid.T, deep int) any {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "s")
	case 1:
		return rapid.Int32().Draw(t, "n")
	case 2:
		return nil
	case 3:
		if deep > 0 {
			list := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "len") {
				list = append(list, anyJSON(t, deep-1))
			}
			return list
		}
		return true
	default:
		m := map[string]any{}
		if deep > 0 {
			for range rapid.IntRange(0, 4).Draw(t, "members") {
				m[rapid.StringN(0, 6, -1).Draw(t, "key")] = anyJSON(t, deep-1)
			}
		}
		return m
	}
}

func FuzzReadSpans(f *testing.F) {
	f.Add(busySettings)
	f.Add("\ufeff{}")
	f.Add(`{"a":"\"}"}`)
	f.Fuzz(func(t *testing.T, text string) {
		root, err := readSpans(text)
		if json.Valid([]byte(text)) && err != nil && strings.Count(text, "[")+strings.Count(text, "{") < maxSpanDepth {
			t.Fatalf("valid JSON refused: %v", err)
		}
		if err != nil {
			return
		}
		if root.from < 0 || root.to > len(text) || root.from > root.to {
			t.Fatalf("%+v", root)
		}
		set := setFor(ToolClaude, "/x/binnacle")
		after, err := set.install(text)
		if err != nil {
			return
		}
		if _, err := readSpans(after); err != nil {
			t.Fatalf("broken: %v\n%s\n%s", err, text, after)
		}
	})
}

func TestUnifiedDiff(t *testing.T) {
	got := unifiedDiff("f", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\n")
	want := "--- f\n+++ f\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -8,3 +8,4 @@\n h\n i\n j\n+k\n"
	if got != want {
		t.Fatalf("%s\nwant\n%s", got, want)
	}
}
