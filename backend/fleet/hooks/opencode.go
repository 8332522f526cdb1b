package hooks

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
//
// opencode does not wait for its plugins' events either, and a process for each
// would overtake the one before: so there is one child for the whole tool, which
// reads one report a line. It is shared by all instances of the plugin, however
// often opencode loads it (two folders, several projects of one server), and
// the first one to see an event sends it. The queue is bounded in count and
// bytes; what falls out of it leaves a gap in binnacle_n.
func opencodePlugin(binary string, v2 bool) string {
	quoted, err := json.Marshal(binary)
	if err != nil {
		quoted = []byte(`"binnacle"`)
	}
	send := strings.Replace(opencodeSender, "PROGRAM", string(quoted), 1)
	if v2 {
		return opencodeMark + ", for opencode 2\n" + send + opencodePlugin2
	}
	return opencodeMark + ", for opencode 1\n" + send + opencodePlugin1
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

const opencodeSender = `
import { spawn } from "node:child_process"

const program = PROGRAM

// One sender for the whole process, however often this file is loaded.
const sender = (globalThis[Symbol.for("binnacle.fleet")] ??= (() => {
  const maxLines = 1000
  const maxBytes = 4 << 20
  const queue = []
  let bytes = 0 // of the lines in the queue
  let n = 0 // of the last report: what falls out of the queue leaves a gap
  let child = null
  let ready = true // the pipe takes more
  let failures = 0
  let timer = null
  const seen = new Set()

  const ended = (which) => {
    if (child !== which) return
    child = null
    ready = true
    if (timer) return
    timer = setTimeout(() => {
      timer = null
      flush()
    }, Math.min(30000, 100 * 2 ** failures++))
    timer.unref?.()
  }
  const start = () => {
    const c = spawn(program, ["fleet", "hook", "opencode", "--lines"], { stdio: ["pipe", "ignore", "ignore"] })
    child = c
    c.on("error", () => ended(c))
    c.on("exit", () => ended(c))
    c.stdin.on("error", () => ended(c))
    c.stdin.on("drain", () => {
      if (child !== c) return
      ready = true
      failures = 0
      flush()
    })
    // Neither keeps opencode from ending; the child ends with its stdin.
    c.unref()
    c.stdin.unref?.()
  }
  const flush = () => {
    try {
      if (queue.length > 0 && !child) {
        if (timer) return
        start()
      }
      while (ready && child && queue.length > 0) {
        const line = queue.shift()
        bytes -= line.length
        ready = child.stdin.write(line)
      }
    } catch {
      ended(child)
    }
  }
  const send = (report) => {
    try {
      const line = JSON.stringify({ ...report, binnacle_n: ++n }) + "\n"
      queue.push(line)
      bytes += line.length
      while (queue.length > maxLines || bytes > maxBytes) bytes -= queue.shift().length
      flush()
    } catch {}
  }
  // Two copies of the plugin hear of the same thing: the first one tells it.
  const once = (key) => {
    if (!key) return true
    if (seen.has(key)) return false
    seen.add(key)
    if (seen.size > 2000) seen.delete(seen.values().next().value)
    return true
  }
  return { send, once }
})())

const telling = /^(session|permission|question)\.|^file\.edited$/
`

const opencodePlugin1 = `
// What a report needs of an event: bulk, such as a session's diff, stays here.
const brief = (p = {}) => {
  const i = p.info
  return {
    sessionID: p.sessionID,
    file: p.file,
    status: p.status && { type: p.status.type },
    title: p.title,
    permission: p.permission ?? p.type,
    questions: Array.isArray(p.questions) ? p.questions.slice(0, 3).map((q) => ({ question: String(q?.question ?? "").slice(0, 500) })) : undefined,
    info: i && { id: i.id, sessionID: i.sessionID, parentID: i.parentID, directory: i.directory, title: typeof i.title === "string" ? i.title.slice(0, 500) : undefined, time: i.time, tokens: i.tokens },
  }
}

export const Binnacle = async ({ directory }) => ({
  event: async ({ event }) => {
    const done = event.type === "message.updated" && event.properties?.info?.time?.completed
    if (!done && !telling.test(event.type)) return
    if (event.type === "session.diff" || !sender.once(event.id)) return
    sender.send({ directory, event: { type: event.type, properties: brief(event.properties) } })
  },
  "chat.message": async (input, output) => {
    if (sender.once("prompt " + (output?.message?.id ?? input.messageID ?? "")))
      sender.send({ directory, hook: "chat.message", input: { sessionID: input.sessionID } })
  },
  "tool.execute.before": async (input) => {
    if (sender.once("before " + input.callID))
      sender.send({ directory, hook: "tool.execute.before", input: { tool: input.tool, sessionID: input.sessionID } })
  },
  "tool.execute.after": async (input) => {
    if (sender.once("after " + input.callID))
      sender.send({
        directory, hook: "tool.execute.after", input: { tool: input.tool, sessionID: input.sessionID }, args: { filePath: input.args?.filePath },
      })
  },
})
`

const opencodePlugin2 = `
export default {
  id: "binnacle",
  async setup(ctx) {
    const stop = new AbortController()
    const directory = process.cwd()
    const tool = (hook) => async (e) => {
      if (!sender.once(hook + " " + e.id)) return
      const path = e.input?.filePath ?? e.input?.file_path
      sender.send({ directory, hook, input: { tool: e.tool, sessionID: e.sessionID, args: { filePath: path } } })
    }
    await ctx.tool.hook("execute.before", tool("execute.before"))
    await ctx.tool.hook("execute.after", tool("execute.after"))
    ;(async () => {
      for await (const e of ctx.event.subscribe({ signal: stop.signal })) {
        if (telling.test(e.type) && sender.once(e.id)) sender.send({ directory, event: { type: e.type, data: e.data } })
      }
    })().catch(() => {})
    return () => stop.abort()
  },
}
`
