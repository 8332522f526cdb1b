package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/process"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

func (n *tools) set(kv ...string) { n.Environ = append(append(process.Environ{}, kv...), n.Environ...) }

func TestSettingsStandWhereTheToolLooks(t *testing.T) {
	for _, c := range []struct{ tool, variable, want string }{
		{ToolClaude, "", "HOME/.claude/settings.json"},
		{ToolClaude, "CLAUDE_CONFIG_DIR=/c", "/c/settings.json"},
		{ToolCodex, "CODEX_HOME=/c", "/c/hooks.json"},
		{ToolGemini, "GEMINI_CLI_HOME=/c", "/c/.gemini/settings.json"},
		{ToolOpencode, "", "HOME/.config/opencode/plugins/binnacle.js"},
		{ToolOpencode, "XDG_CONFIG_HOME=/c", "/c/opencode/plugins/binnacle.js"},
		{ToolOpencode, "OPENCODE_CONFIG_DIR=/c", "/c/plugins/binnacle.js"},
	} {
		n := newTools(t)
		n.set(c.variable)
		got, err := n.settingsPath(Options{Tool: c.tool})
		must(t, err)
		if want := strings.Replace(c.want, "HOME", n.Home, 1); got != want {
			t.Errorf("%s with %q: %s, not %s", c.tool, c.variable, got, want)
		}
	}
	n := newTools(t)
	n.set("CODEX_HOME=here")
	_, err := n.settingsPath(Options{Tool: ToolCodex})
	wantCode(t, err, model.CodeRefused)
	n.Home = ""
	for _, tool := range []string{ToolClaude, ToolGemini, ToolOpencode} {
		_, err := n.PlanInstall(Options{Tool: tool})
		wantCode(t, err, model.CodeRefused)
	}
}

func TestHooksCallTheProgramAsItWasCalled(t *testing.T) {
	n := newTools(t)
	dir := t.TempDir()
	versioned, link := filepath.Join(dir, "binnacle-1.2"), filepath.Join(dir, "binnacle")
	must(t, os.WriteFile(versioned, []byte("#!/bin/sh\n"), 0o755))
	must(t, os.Symlink(versioned, link))
	n.set("PATH=" + dir)
	for _, c := range []struct {
		called  string
		project bool
		want    string
	}{{link, false, link}, {"binnacle", false, link}, {link, true, "binnacle"}, {"binnacle", true, "binnacle"}} {
		n.Called = c.called
		got, err := n.program(Options{Project: c.project})
		if err != nil || got != c.want {
			t.Errorf("called as %s (project %v): %s %v", c.called, c.project, got, err)
		}
	}
}

func TestOursAreKnownInEveryForm(t *testing.T) {
	for command, want := range map[string]bool{
		"binnacle fleet hook codex": true, "/usr/bin/binnacle fleet hook codex": true, "'/my dir/binnacle' fleet hook codex": true,
		"/opt/binnacle-1.2/bn fleet hook codex": true, `'/it'\''s/binnacle' fleet hook codex`: true,
		"echo binnacle fleet hook codex": false, "notify fleet hook codex": false, "binnacle fleet hook gemini": false,
	} {
		raw := mustJSON(t, handler{Type: "command", Command: command})
		if got := ours(raw, ToolCodex); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestWhatKeepsHooksFromRunningIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ tool, file, text, want string }{
		"claude user":     {ToolClaude, "HOME/.claude/settings.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		"claude project":  {ToolClaude, "REPO/.claude/settings.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		"claude local":    {ToolClaude, "REPO/.claude/settings.local.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		"claude managed":  {ToolClaude, "SYS/etc/claude-code/managed-settings.json", `{"allowManagedHooksOnly":true}`, "allowManagedHooksOnly"},
		"claude drop-in":  {ToolClaude, "SYS/etc/claude-code/managed-settings.d/10.json", `{"disableAllHooks":true}`, "disableAllHooks"},
		"codex user":      {ToolCodex, "HOME/.codex/config.toml", "[features]\nhooks = false\n", "[features] hooks"},
		"codex project":   {ToolCodex, "REPO/.codex/config.toml", "[features]\nhooks = false\n", "[features] hooks"},
		"codex managed":   {ToolCodex, "SYS/etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", "allow_managed_hooks_only"},
		"gemini user":     {ToolGemini, "HOME/.gemini/settings.json", `{"hooksConfig":{"enabled":false}} // c`, "hooksConfig.enabled"},
		"gemini disabled": {ToolGemini, "REPO/.gemini/settings.json", `{"hooksConfig":{"disabled":["x","binnacle"]}}`, "hooksConfig.disabled"},
		"gemini system":   {ToolGemini, "SYS/etc/gemini-cli/settings.json", `{"hooksConfig":{"enabled":false}}`, "hooksConfig.enabled"},
		"gemini trust":    {ToolGemini, "HOME/.gemini/trustedFolders.json", `{"REPO":"DO_NOT_TRUST"}`, "DO_NOT_TRUST"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newTools(t)
			n.System = t.TempDir()
			if off := n.off(Options{Tool: c.tool}); len(off) != 0 {
				t.Fatalf("without a reason: %v", off)
			}
			at := strings.NewReplacer("HOME", n.Home, "REPO", n.Root, "SYS", n.System)
			path := at.Replace(c.file)
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(at.Replace(c.text)), 0o644))
			off := n.off(Options{Tool: c.tool})
			if len(off) != 1 || !strings.Contains(off[0], c.want) || !strings.Contains(off[0], path) {
				t.Errorf("%q", off)
			}
		})
	}
	n := newTools(t)
	n.System = t.TempDir()
	n.settings(t, Options{Tool: ToolClaude}, `{"disableAllHooks":true}`)
	n.settings(t, Options{Tool: ToolClaude, Project: true}, `{"disableAllHooks":false}`)
	if off := n.off(Options{Tool: ToolClaude}); len(off) != 0 {
		t.Errorf("the project has the last word: %v", off)
	}
	n.set("OPENCODE_PURE=1")
	if off := n.off(Options{Tool: ToolOpencode}); len(off) != 1 {
		t.Errorf("%v", off)
	}
}

func TestSettingsAreWrittenThroughLinksOnly(t *testing.T) {
	o := Options{Tool: ToolClaude, Binary: "/x/binnacle"}
	n := newTools(t)
	path := n.settings(t, o, "")
	dots := t.TempDir()
	must(t, os.Symlink(filepath.Join(dots, "settings.json"), path))
	plan, err := n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	isLink := func() bool {
		info, err := os.Lstat(path)
		return err == nil && info.Mode()&os.ModeSymlink != 0
	}
	if !isLink() || !statefile.Exists(filepath.Join(dots, "settings.json")) {
		t.Fatal("the link's file was not made")
	}
	plan, err = n.PlanRemove(o)
	must(t, err)
	must(t, n.Apply(plan))
	if !isLink() || statefile.Exists(filepath.Join(dots, "settings.json")) {
		t.Fatal("remove did not leave what was there before")
	}
	must(t, os.RemoveAll(dots))
	_, err = n.PlanInstall(o)
	wantCode(t, err, model.CodeRefused)
	must(t, os.Remove(path))
	must(t, os.Symlink(path, path))
	_, err = n.PlanInstall(o)
	wantCode(t, err, model.CodeRefused)
}

func TestReadOnlySettingsAreLeftAlone(t *testing.T) {
	o := Options{Tool: ToolClaude, Binary: "/x/binnacle"}
	n := newTools(t)
	path := n.settings(t, o, "{}")
	must(t, os.Chmod(path, 0o444))
	plan, err := n.PlanInstall(o)
	must(t, err)
	wantCode(t, n.Apply(plan), model.CodeRefused)
	if readText(t, path) != "{}" {
		t.Fatal("it was written")
	}
	o.Force = true
	plan, err = n.PlanInstall(o)
	must(t, err)
	must(t, n.Apply(plan))
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o444 || !strings.Contains(readText(t, path), "SessionStart") {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestInstallKeepsRemarksMarksAndLineEnds(t *testing.T) {
	set := setFor(ToolGemini, "/x/binnacle")
	for _, text := range []string{
		"\ufeff{\r\n  // one\r\n  \"a\": 1, // two\r\n}\r\n", "{\n  \"a\": 1 // two\n}\n", "{\n  \"a\": 1 /* x */ , // y\n}", "\ufeff", "\r\n", "{ /* only */ }",
	} {
		after, err := set.install(text)
		must(t, err)
		for _, kept := range []string{"// one", "// two", "/* x */", "// y", "/* only */", "\ufeff"} {
			if strings.Contains(text, kept) != strings.Contains(after, kept) {
				t.Errorf("%q: %q\n%s", text, kept, after)
			}
		}
		if strings.Contains(text, "1 // two\n") && !strings.Contains(after, "1, // two\n") {
			t.Errorf("a remark left its line:\n%s", after)
		}
		if n := strings.Count(after, "\n"); strings.Contains(text, "\r\n") && strings.TrimSpace(text) != "" && strings.Count(after, "\r\n") != n {
			t.Errorf("%q: mixed ends of line in %q", text, after)
		}
		must(t, set.onlyOurs(text, after))
		bare, err := set.remove(strings.Replace(after, "\"hooks\"", "// mine\n\"hooks\"", 1))
		must(t, err)
		if _, err := readSpans(bare); err != nil || strings.Contains(after, ", // mine") && !strings.Contains(bare, "// mine") {
			t.Errorf("%v in %s", err, bare)
		}
	}
}
