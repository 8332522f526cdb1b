package fleet

import (
	"encoding/json"
	"strings"
)

// opencodeMark begins our plugin's file: a file without it is somebody else's.
const opencodeMark = "// Made by `binnacle fleet hooks install opencode`"

// opencodePlugin is the plugin's text. Version 1 loads every export as a
// plugin function, version 2 the default export, so one file can't serve both.
// It passes on what tells a session's state, never a part of a message, and
// waits for nothing.
func opencodePlugin(binary string, v2 bool) string {
	quoted, err := json.Marshal(binary)
	if err != nil {
		quoted = []byte(`"binnacle"`)
	}
	send := strings.ReplaceAll(`
import { spawn } from "node:child_process"

const send = (report) => {
  try {
    const child = spawn(BINARY, ["fleet", "hook", "opencode"], { stdio: ["pipe", "ignore", "ignore"], detached: true })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(report))
    child.unref()
  } catch {}
}
`, "BINARY", string(quoted))
	if v2 {
		return opencodeMark + ", for opencode 2\n" + send + `
export default {
  id: "binnacle",
  async setup(ctx) {
    const stop = new AbortController()
    const directory = process.cwd()
    const tool = (hook) => async (e) => {
      send({ directory, hook, input: { tool: e.tool, sessionID: e.sessionID, args: e.input } })
    }
    await ctx.tool.hook("execute.before", tool("execute.before"))
    await ctx.tool.hook("execute.after", tool("execute.after"))
    ;(async () => {
      for await (const e of ctx.event.subscribe({ signal: stop.signal })) {
        if (/^(session|permission)\./.test(e.type)) send({ directory, event: { type: e.type, data: e.data } })
      }
    })().catch(() => {})
    return () => stop.abort()
  },
}
`
	}
	return opencodeMark + ", for opencode 1\n" + send + `
export const Binnacle = async ({ directory }) => ({
  event: async ({ event }) => {
    const done = event.type === "message.updated" && event.properties?.info?.time?.completed
    if (done || /^(session|permission)\./.test(event.type)) send({ directory, event })
  },
  "chat.message": async (input) => send({ directory, hook: "chat.message", input: { sessionID: input.sessionID } }),
  "tool.execute.before": async (input) => send({ directory, hook: "tool.execute.before", input }),
  "tool.execute.after": async (input) =>
    send({ directory, hook: "tool.execute.after", input: { tool: input.tool, sessionID: input.sessionID }, args: { filePath: input.args?.filePath } }),
})
`
}

// opencodeProgram is the program that a plugin of ours calls, whatever version
// wrote it; "" when it can't be told.
func opencodeProgram(text string) string {
	for _, before := range []string{"\nconst program = ", "spawn("} {
		_, rest, ok := strings.Cut(text, before)
		var program string
		if ok && json.NewDecoder(strings.NewReader(rest)).Decode(&program) == nil {
			return program
		}
	}
	return ""
}
