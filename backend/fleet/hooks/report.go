package hooks

import (
	"maps"
	"slices"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// The tools whose hooks are understood.
const (
	ToolClaude   = "claude-code"
	ToolCodex    = "codex"
	ToolGemini   = "gemini"
	ToolOpencode = "opencode"
)

// Tools lists the tools whose hooks are understood.
func Tools() []string { return []string{ToolClaude, ToolCodex, ToolGemini, ToolOpencode} }

// Parse brings a tool's hook input into one form. An event that is not
// known is no error: it says that the session is alive. A report without a
// session is about none.
func Parse(tool string, raw []byte) (session.Report, error) {
	parse := map[string]func(bag) session.Report{
		ToolClaude: parseClaude, ToolCodex: parseCodex, ToolGemini: parseGemini, ToolOpencode: parseOpencode,
	}[tool]
	if parse == nil {
		return session.Report{}, model.Errorf(model.CodeUsage, "the hooks of %q are not understood", clean.Line(tool)).
			WithHint("the tools are %s", strings.Join(Tools(), ", "))
	}
	b, err := parseBag(raw)
	if err != nil {
		return session.Report{}, err
	}
	r := parse(b)
	r.Tool, r.N = tool, b.number("binnacle_n")
	r.Session, r.Parent = sessionID(r.Session), sessionID(r.Parent)
	if len(r.Event) > 128 {
		r.Event = r.Event[:128]
	}
	r.Event = strings.ToValidUTF8(r.Event, "?")
	r.Title, r.Asks = firstLine(r.Title), firstLine(r.Asks)
	if !r.Known {
		r.Act, r.Members = session.ActOther, slices.Sorted(maps.Keys(b))
	}
	return r, nil
}

// firstLine is a text's first line that says something, still long enough to
// find a secret in it whole.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ToValidUTF8(line[:min(len(line), 4096)], "")
}

// sessionID keeps a tool's id as it is where it is one, and names by its hash
// what could be a text: a session's facts hold none.
func sessionID(id string) string {
	if id == "" || len(id) <= 200 && model.IsWord(id) {
		return id
	}
	return session.HashedName(id)
}

// hookBase reads what three of the tools have in common.
func hookBase(b bag) session.Report {
	return session.Report{
		Session: b.text("session_id"), Subagent: b.text("agent_id"), Event: b.text("hook_event_name"),
		Cwd: b.text("cwd"), Transcript: b.text("transcript_path"), Reason: b.text("reason"),
	}
}

// parseClaude reads Claude Code's hooks, and its statusline input, which names
// no event but carries the context use.
func parseClaude(b bag) session.Report {
	r := hookBase(b)
	r.Known = true
	if r.Event == "" && b["context_window"] != nil {
		r.Event, r.Act = "statusline", session.ActOther
		c := b.object("context_window")
		r.Ctx = session.ContextUse{Used: c.number("total_input_tokens"), Max: c.number("context_window_size")}
		if r.Ctx.Used == 0 || r.Ctx.Max > 0 && r.Ctx.Used > r.Ctx.Max {
			r.Ctx.Used = c.number("used_percentage") * r.Ctx.Max / 100
		}
		return r
	}
	switch r.Event {
	case "SessionStart":
		// After a compaction the session goes on with what it was doing.
		if r.Act = session.ActStart; b.text("source") == "compact" {
			r.Act = session.ActOther
		}
	case "UserPromptSubmit":
		r.Act, r.Title = session.ActPrompt, b.text("prompt")
	case "PreToolUse", "PostToolBatch", "PermissionDenied", "ElicitationResult":
		r.Act = session.ActTool
	case "PostToolUse":
		r.Act, r.Writes = session.ActTool, claudeWrites(b)
	case "PostToolUseFailure":
		// An interrupt is followed by no Stop.
		if r.Act = session.ActTool; b.truth("is_interrupt") {
			r.Act = session.ActStop
		}
	case "PermissionRequest", "Elicitation":
		r.Act, r.Asks = session.ActAsk, asks(b)
	case "Notification":
		r.Asks = b.text("message")
		claudeNotice(&r, b.text("notification_type"))
	case "Stop", "StopFailure":
		if r.Act = session.ActStop; running(b.list("background_tasks")) {
			r.Act = session.ActBackground
		}
	case "SessionEnd":
		r.Act = session.ActEnd
	case "SubagentStart", "SubagentStop":
		// Fired for the session itself, too, and missing for background ones:
		// they say nothing of its state.
		r.Act = session.ActOther
	case "Setup", "UserPromptExpansion", "MessageDisplay", "TaskCreated", "TaskCompleted", "TeammateIdle",
		"InstructionsLoaded", "ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate",
		"WorktreeRemove", "PreCompact", "PostCompact":
		r.Act = session.ActOther
	default:
		r.Known = false
	}
	return r
}

// asks is what a request for a permission, or of a tool's server, asks in a few
// words.
func asks(b bag) string {
	if m := b.text("message"); m != "" {
		return m
	}
	in := b.object("tool_input")
	return strings.TrimSpace(b.text("tool_name") + " " + in.first("command", "file_path", "path", "url", "pattern"))
}

// claudeNotice says what a notification is: only what blocks on a person is a
// question. One that is not known changes nothing, and is counted by its type.
func claudeNotice(r *session.Report, kind string) {
	r.Act = session.ActOther
	switch kind {
	case "permission_prompt", "elicitation_dialog":
		r.Act = session.ActAsk
	case "idle_prompt", "agent_completed", "auth_success", "elicitation_complete", "elicitation_response",
		"quota_auto_resume_scheduled", "quota_auto_resume_started", "quota_auto_resume_failed":
	default:
		unknownNotice(r, kind)
	}
}

// unknownNotice counts what is of a type that is not known: of a notification,
// or of a state.
func unknownNotice(r *session.Report, kind string) {
	r.Known = false
	r.Event += " " + kind
}

// running says whether one of the tasks that a tool lists is not over.
func running(tasks []bag) bool {
	for _, t := range tasks {
		switch t.text("status") {
		case "completed", "failed", "killed", "cancelled", "canceled", "stopped":
		default:
			return true
		}
	}
	return false
}

func claudeWrites(b bag) []string {
	switch b.text("tool_name") {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		if p := b.object("tool_input").first("file_path", "notebook_path"); p != "" {
			return []string{p}
		}
	}
	return nil
}

// parseCodex reads Codex CLI's hooks.
func parseCodex(b bag) session.Report {
	r := hookBase(b)
	r.Known = true
	switch r.Event {
	case "SessionStart":
		if r.Act = session.ActStart; b.text("source") == "compact" {
			r.Act = session.ActOther
		}
	case "UserPromptSubmit":
		r.Act, r.Title = session.ActPrompt, b.text("prompt")
	case "PreToolUse":
		r.Act = session.ActTool
	case "PostToolUse":
		r.Act = session.ActTool
		if b.text("tool_name") == "apply_patch" {
			r.Writes = patchedFiles(b.object("tool_input").words("command"))
		}
	case "PermissionRequest":
		r.Act, r.Asks = session.ActAsk, asks(b)
	case "Stop", "StopFailure", "Interrupt":
		r.Act = session.ActStop
	case "SessionEnd":
		r.Act = session.ActEnd
	case "SubagentStart", "SubagentStop", "PreCompact", "PostCompact":
		r.Act = session.ActOther
	default:
		r.Known = false
	}
	return r
}

// patchedFiles lists what an apply_patch text writes.
func patchedFiles(patch string) []string {
	var out []string
	for _, line := range strings.Split(patch, "\n") {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), mark); ok && p != "" && len(out) < 1000 {
				out = append(out, p)
			}
		}
	}
	return out
}

// parseGemini reads Gemini CLI's hooks. Subagents there fire tool and model
// hooks only, under the session's own id.
func parseGemini(b bag) session.Report {
	r := hookBase(b)
	r.Known = true
	switch r.Event {
	case "SessionStart":
		r.Act = session.ActStart
	case "SessionEnd":
		r.Act = session.ActEnd
	case "BeforeAgent":
		// One without a prompt is followed by no AfterAgent.
		r.Title = b.text("prompt")
		if r.Act = session.ActPrompt; strings.TrimSpace(r.Title) == "" {
			r.Act = session.ActOther
		}
	case "AfterAgent":
		r.Act = session.ActStop
	case "BeforeTool":
		r.Act = session.ActTool
	case "AfterTool":
		r.Act = session.ActTool
		switch b.text("tool_name") {
		case "write_file", "replace":
			if p := b.object("tool_input").first("file_path", "path"); p != "" {
				r.Writes = []string{p}
			}
		}
	case "Notification":
		r.Asks = b.text("message")
		if r.Act = session.ActAsk; b.text("notification_type") != "ToolPermission" {
			unknownNotice(&r, b.text("notification_type"))
		}
	case "AfterModel":
		r.Act = session.ActOther
		r.Ctx.Used = b.object("llm_response").object("usageMetadata").number("promptTokenCount")
	case "BeforeModel", "BeforeToolSelection", "PreCompress":
		r.Act = session.ActOther
	default:
		r.Known = false
	}
	return r
}

// parseOpencode reads what our plugin passes on: {directory, event} with an
// event of version 1 ({type, properties}) or 2 ({type, data}), or {directory,
// hook, input, args} of a plugin's hook.
func parseOpencode(b bag) session.Report {
	r := session.Report{Known: true, Act: session.ActOther, Cwd: b.text("directory")}
	if hook := b.text("hook"); hook != "" {
		in := b.object("input")
		r.Event, r.Session = hook, in.text("sessionID")
		switch hook {
		case "chat.message":
			r.Act = session.ActPrompt
		case "tool.execute.before", "execute.before":
			r.Act = session.ActTool
		case "tool.execute.after", "execute.after":
			r.Act = session.ActTool
			args := b.object("args")
			if args == nil {
				args = in.object("args")
			}
			switch in.text("tool") {
			case "edit", "write", "multiedit", "patch":
				if p := args.first("filePath", "file_path"); p != "" {
					r.Writes = []string{p}
				}
			}
		default:
			r.Known = false
		}
		return r
	}
	event := b.object("event")
	p := event.object("properties")
	if p == nil {
		p = event.object("data")
	}
	info := p.object("info")
	r.Event, r.Session = event.text("type"), p.first("sessionID", "sessionId")
	if r.Session == "" {
		r.Session = info.first("sessionID", "id")
	}
	opencodeEvent(&r, p, info)
	return r
}

func opencodeEvent(r *session.Report, p, info bag) {
	switch r.Event {
	case "session.created", "session.forked":
		r.Act, r.Parent = session.ActStart, info.first("parentID", "parentId")
		if r.Parent == "" && r.Event == "session.created" {
			r.Parent = p.text("parentID")
		}
		if d := info.text("directory"); d != "" {
			r.Cwd = d
		}
	case "session.updated":
		r.Parent, r.Title = info.first("parentID", "parentId"), info.text("title")
	case "session.status":
		switch kind := p.object("status").text("type"); kind {
		case "idle":
			r.Act = session.ActStop
		case "busy", "retry":
			r.Act = session.ActTool
		default:
			unknownNotice(r, kind)
		}
	case "session.execution.started":
		r.Act = session.ActTool
	case "session.idle", "session.error", "session.execution.succeeded", "session.execution.failed", "session.execution.interrupted":
		r.Act = session.ActStop
	case "session.deleted":
		r.Act = session.ActEnd
	case "permission.asked", "permission.updated", "question.asked":
		r.Act, r.Asks = session.ActAsk, p.first("title", "permission", "type")
		if q := p.list("questions"); len(q) > 0 {
			r.Asks = q[0].text("question")
		}
	case "permission.replied", "question.replied", "question.rejected":
		r.Act = session.ActTool
	case "message.updated":
		r.Ctx.Used = opencodeTokens(info.object("tokens"))
	case "session.step.ended":
		r.Ctx.Used = opencodeTokens(p.object("tokens"))
	case "file.edited":
		if f := p.text("file"); f != "" {
			r.Writes = []string{f}
		}
	case "session.compacted", "session.compaction.ended", "message.part.updated", "todo.updated", "command.executed":
	default:
		r.Known = false
	}
}

func opencodeTokens(t bag) int64 {
	c := t.object("cache")
	return t.number("input") + c.number("read") + c.number("write")
}
