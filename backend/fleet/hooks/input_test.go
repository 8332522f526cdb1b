package hooks

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"binnacle/model"
)

func TestPatchedFiles(t *testing.T) {
	got := patchedFiles("*** Begin Patch\n*** Update File: a/b.go\n*** Move to: a/c.go\r\n+*** Add File: no\n*** Add File: d\n*** Delete File: e\n")
	if strings.Join(got, " ") != "a/b.go a/c.go d e" {
		t.Fatal(got)
	}
	r, err := Parse(ToolCodex, []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"command":["apply_patch","*** Add File: x"]}}`))
	must(t, err)
	if len(r.Writes) != 1 || r.Writes[0] != "x" {
		t.Fatalf("%+v", r)
	}
}

func TestHookInput(t *testing.T) {
	next := func(h *Input) string {
		t.Helper()
		raw, err := h.Next()
		if err != nil {
			return "error " + string(model.CodeOf(err))
		}
		r, err := Parse(ToolClaude, raw)
		if err != nil {
			return err.Error()
		}
		return r.Session + " " + r.Event
	}
	bulk := strings.Repeat(`x\"\u0022{`, 1<<20)
	big := `{"session_id":"a","tool_response":{"stdout":"` + bulk + `"},"hook_event_name":"Stop"}`
	list := `{"session_id":"a","tool_input":[` + strings.Repeat("1,", 2<<20) + `1],"hook_event_name":"Stop"}`
	for name, text := range map[string]string{
		"plain": `{"session_id":"a","hook_event_name":"Stop"}`, "a mark": "\ufeff" + `{"session_id":"a","hook_event_name":"Stop"}`,
		"10 MB of text": big, "4 MB of numbers": list,
		"many lines": "{\n\"session_id\":\"a\",\n\"hook_event_name\":\"Stop\"\n}",
	} {
		if got := next(NewInput(strings.NewReader(text), false)); got != "a Stop" {
			t.Errorf("%s: %s", name, got)
		}
	}
	raw, err := NewInput(strings.NewReader(big), false).Next()
	if err != nil || len(raw) > 6*maxHookText {
		t.Errorf("%d bytes are held (%v)", len(raw), err)
	}
	// It ends with the object, though nobody closes the pipe.
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = w.Write([]byte(`{"session_id":"a","hook_event_name":"Stop"}`)) }()
	if got := next(NewInput(r, false)); got != "a Stop" {
		t.Error(got)
	}
	h := NewInput(strings.NewReader(`{"session_id":"a","hook_event_name":"Stop"}`+"\nnonsense {\n"+`{"session_id":"b`+"\n"+`{"session_id":"c","hook_event_name":"Stop"}`+"\n"), true)
	got := []string{next(h), next(h), next(h), next(h)}
	if want := "a Stop|error INVALID|error INVALID|c Stop"; strings.Join(got, "|") != want {
		t.Errorf("%v", got)
	}
	if _, err := h.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func FuzzHookInput(f *testing.F) {
	f.Add([]byte(`{"a":"\u0022","b":[{}]}`), false)
	f.Add([]byte("{\"a\":\"x\n{}"), true)
	f.Fuzz(func(t *testing.T, raw []byte, lines bool) {
		h := NewInput(bytes.NewReader(raw), lines)
		for range len(raw) + 2 {
			if _, err := h.Next(); errors.Is(err, io.EOF) || err != nil && !lines {
				return
			}
		}
		if len(raw) > 0 && lines {
			t.Fatal("it never ends")
		}
	})
}
