package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The plugin's two copies in one process, a child that dies, and more reports
// than the queue holds: what a child reads comes once and in order.
func TestOpencodeReportsComeOnceAndInOrder(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "binnacle")
	got := filepath.Join(dir, "got")
	// The first child dies after three lines, as one that is killed does.
	must(t, os.WriteFile(program, fmt.Appendf(nil, `#!/bin/sh
echo "$*" >> '%[1]s.args'
if [ ! -e '%[1]s.died' ]; then
	: > '%[1]s.died'
	for i in 1 2 3; do read -r line && printf '%%s\n' "$line" >> '%[1]s'; done
	exit 1
fi
exec cat >> '%[1]s'
`, got), 0o755))
	text := opencodePlugin(program, false)
	for _, name := range []string{"a.mjs", "b.mjs"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, "v2.mjs"), []byte(opencodePlugin(program, true)), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "main.mjs"), []byte(`
import { Binnacle as A } from "./a.mjs"
import { Binnacle as B } from "./b.mjs"
import v2 from "./v2.mjs"
import { readFileSync } from "node:fs"
if (v2.id !== "binnacle") throw new Error("version 2")
const hooks = [await A({ directory: "/d" }), await B({ directory: "/d" })]
let id = 0
const say = (type, properties) => { ++id; for (const h of hooks) h.event({ event: { id: "e" + id, type, properties } }) }
for (let i = 0; i < 3; i++) say("session.status", { sessionID: "s", status: { type: "busy" } })
// What is said to the dying child may be lost; what is said to the next is not.
const until = Date.now() + 20000
while (Date.now() < until && readFileSync("got.args", { encoding: "utf8", flag: "a+" }).split("\n").length < 3) {
  say("session.updated", { sessionID: "s", info: { id: "s", diff: "bulk" } })
  await new Promise((r) => setTimeout(r, 20))
}
for (const type of ["question.asked", "question.replied", "permission.asked", "permission.replied", "file.edited", "todo.updated", "message.part.updated"])
  say(type, { sessionID: "s" })
say("session.idle", { sessionID: "s" })
`), 0o600))
	cmd := exec.Command(node, "main.mjs")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var lines []string
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		raw, _ := os.ReadFile(got) // not there yet
		lines = strings.Split(strings.TrimSpace(string(raw)), "\n")
		if strings.Contains(lines[len(lines)-1], "session.idle") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%q", lines)
		}
	}
	var types []string
	last := 0
	for _, line := range lines {
		var r struct {
			Event struct{ Type string }
			N     int `json:"binnacle_n"`
		}
		must(t, json.Unmarshal([]byte(line), &r))
		if r.N <= last {
			t.Errorf("%d after %d", r.N, last)
		}
		last = r.N
		if n := len(types); r.Event.Type != "session.updated" || types[n-1] != r.Event.Type {
			types = append(types, r.Event.Type)
		}
	}
	want := "session.status session.status session.status session.updated question.asked question.replied permission.asked permission.replied file.edited session.idle"
	if s := strings.Join(types, " "); s != want || strings.Contains(strings.Join(lines, ""), "bulk") {
		t.Errorf("%s\n%q", s, lines)
	}
	if args := strings.TrimSpace(readText(t, got+".args")); args != "fleet hook opencode --lines\nfleet hook opencode --lines" {
		t.Errorf("children: %q", args)
	}
}
