//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// object is JSON as the agent programs send it and want it.
type object = map[string]any

// call is the one tool call that a model makes before it says that it is done.
type call struct {
	tool string // the end of the tool's name
	args object
}

// newModel is a model on loopback. It speaks as much of the four programs'
// wire formats as one turn needs: where a tool of the call's name is offered
// and no result of one is in the conversation yet, it asks for the tool; then it
// says "done.".
func newModel(t *testing.T, c call) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in object
		raw, _ := io.ReadAll(r.Body) // a request that is cut short is answered as an empty one
		_ = json.Unmarshal(raw, &in) // likewise
		name := offered(in["tools"], c.tool)
		if answered(raw) {
			name = ""
		}
		args, _ := json.Marshal(c.args) // plain words
		stream := in["stream"] == true || strings.Contains(r.URL.Path, "stream")
		var frames []frame
		switch path := r.URL.Path; {
		case strings.Contains(path, "count_tokens"):
			frames, stream = []frame{{"", object{"input_tokens": 10}}}, false
		case strings.Contains(path, "/messages"):
			frames = anthropic(name, string(args), stream)
		case strings.Contains(path, "/chat/completions"):
			frames = chat(name, string(args), stream)
		case strings.Contains(path, "/responses"):
			frames, stream = responses(name, string(args)), true
		case strings.Contains(path, "enerateContent"):
			frames = gemini(name, c.args)
		default:
			frames, stream = []frame{{"", object{"object": "list", "data": []any{object{"id": "mock", "object": "model"}}, "models": []any{}}}}, false
		}
		send(w, frames, stream)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

type frame struct {
	event string
	data  any // text is sent as it is
}

func send(w http.ResponseWriter, frames []frame, stream bool) {
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(frames[0].data) // a program that went away needs no answer
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, f := range frames {
		if f.event != "" {
			fmt.Fprintf(w, "event: %s\n", f.event)
		}
		text, ok := f.data.(string)
		if !ok {
			raw, _ := json.Marshal(f.data)
			text = string(raw)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
}

// offered finds the tool whose name has that end, wherever a format keeps it.
func offered(v any, end string) string {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if name := offered(e, end); name != "" {
				return name
			}
		}
	case object:
		if name, ok := v["name"].(string); ok && (name == end || strings.HasSuffix(name, "."+end)) {
			return name
		}
		for _, inner := range []string{"function", "functionDeclarations", "tools"} {
			if name := offered(v[inner], end); name != "" {
				return name
			}
		}
	}
	return ""
}

// answered says whether the conversation has a tool's result already.
func answered(raw []byte) bool {
	for _, mark := range []string{`"type":"tool_result"`, `"role":"tool"`, `"type":"function_call_output"`, `"functionResponse"`} {
		if strings.Contains(string(raw), mark) {
			return true
		}
	}
	return false
}

func anthropic(tool, args string, stream bool) []frame {
	message := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "mock", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 10, "output_tokens": 1},
	}
	if !stream {
		message["content"], message["stop_reason"] = []any{object{"type": "text", "text": "done."}}, "end_turn"
		return []frame{{"", message}}
	}
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done."}, "end_turn"
	if tool != "" {
		block = object{"type": "tool_use", "id": "toolu_1", "name": tool, "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": args}, "tool_use"
	}
	var out []frame
	for _, e := range []object{
		{"type": "message_start", "message": message},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5}},
		{"type": "message_stop"},
	} {
		out = append(out, frame{e["type"].(string), e})
	}
	return out
}

func chat(tool, args string, stream bool) []frame {
	usage := object{"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
	part := func(choice object) object {
		return object{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": []any{choice}, "usage": usage}
	}
	if !stream {
		return []frame{{"", part(object{"index": 0, "message": object{"role": "assistant", "content": "done."}, "finish_reason": "stop"})}}
	}
	delta, finish := object{"role": "assistant", "content": "done."}, "stop"
	if tool != "" {
		delta = object{"role": "assistant", "tool_calls": []any{object{
			"index": 0, "id": "t1", "type": "function", "function": object{"name": tool, "arguments": args},
		}}}
		finish = "tool_calls"
	}
	return []frame{
		{"", part(object{"index": 0, "delta": delta, "finish_reason": nil})},
		{"", part(object{"index": 0, "delta": object{}, "finish_reason": finish})},
		{"", "[DONE]"},
	}
}

func responses(tool, args string) []frame {
	answer := object{"id": "r1", "object": "response", "status": "in_progress", "model": "mock", "output": []any{}}
	item := object{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []any{
		object{"type": "output_text", "text": "done.", "annotations": []any{}},
	}}
	if tool != "" {
		item = object{"type": "function_call", "id": "fc1", "call_id": "call1", "name": tool, "arguments": args, "status": "completed"}
	}
	whole := object{"id": "r1", "object": "response", "status": "completed", "model": "mock", "output": []any{item}, "usage": object{
		"input_tokens": 10, "output_tokens": 2, "total_tokens": 12,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
	}}
	var out []frame
	for _, e := range []object{
		{"type": "response.created", "response": answer},
		{"type": "response.output_item.added", "output_index": 0, "item": item},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": whole},
	} {
		out = append(out, frame{e["type"].(string), e})
	}
	return out
}

func gemini(tool string, args object) []frame {
	part := object{"text": "done."}
	if tool != "" {
		part = object{"functionCall": object{"name": tool, "args": args}}
	}
	return []frame{{"", object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}, "modelVersion": "mock",
	}}}
}
