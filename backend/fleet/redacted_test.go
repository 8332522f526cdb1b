package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/fleet/statefile"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/redact"
	"binnacle/model/session"
)

// theToken looks like a secret to every rule, and is none.
const theToken = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

// What looks like a secret stands neither in the ledger's facts nor in what is
// published, whichever text of a session holds it.
func TestNoSecretIsRecordedOrPublished(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, "tree-"+theToken)
	w.clone("tree-" + theToken)
	redactor, err := redact.New(nil)
	must(t, err)
	n := w.node("a", func(o *Options) {
		o.RepoDir, o.Redactor, o.Actor = dir, redactor, "ada "+theToken
	})
	n.repo = dir
	n.feed(hooks.ToolClaude, os.Getpid(),
		ev("s", "UserPromptSubmit", `"prompt":"use `+theToken+`"`),
		ev("s", "PostToolUse", `"tool_name":"Write","tool_input":{"file_path":"{}/`+theToken+`.txt"}`),
		ev("s", "PostToolUse", `"tool_name":"Write","tool_input":{"file_path":"{}/`+theToken+`.txt"}`),
		ev(theToken, "SessionStart"),
		ev("s", "New "+theToken))
	// Another workspace's part, as an earlier version left it.
	r, err := n.remoteFor(bg())
	must(t, err)
	now := n.clock.now()
	must(t, statefile.WriteJSON(filepath.Join(r.Dir, "rows", "other.json"), source{Workspace: w.dir, Rows: []sourceRow{{
		Seen: now, Row: fleetmap.LiveRow{Session: "o", Agent: "codex", State: session.Idle, Paths: []string{"deep/" + theToken}, LastWrite: theToken},
	}}}))
	p := n.push()
	raw := w.git(w.remote, "show", p.Commit+":live.json")
	if p.Rows != 3 || strings.Contains(raw, theToken) || strings.Count(raw, "[redacted:") < 5 {
		t.Errorf("published %d rows: %s", p.Rows, raw)
	}
	must(t, n.store.Read(bg(), func(rd store.Reader) error {
		events, err := rd.Events(0, 100)
		for _, e := range events {
			if strings.Contains(e.Key+string(e.Payload), theToken) {
				t.Errorf("%s %s %s", e.Topic, e.Key, e.Payload)
			}
		}
		if len(events) != 3 { // two starts, and the path once
			t.Errorf("%d facts", len(events))
		}
		return err
	}))
	wantFold(t, n)
}

func TestAChangesTitleWithASecretIsRefused(t *testing.T) {
	w := newWorld(t)
	redactor, err := redact.New(nil)
	must(t, err)
	n := w.node("a", func(o *Options) { o.Redactor = redactor })
	_, err = n.ChangeOpen(bg(), change.Draft{ID: "C-1", Title: "rotate " + theToken})
	wantCode(t, err, model.CodeSecret)
	_, err = n.ChangeOpen(bg(), change.Draft{ID: "C-1", Inputs: []fleetmap.ChangeInput{{Kind: fleetmap.InputPath, Ref: theToken}}})
	wantCode(t, err, model.CodeSecret)
	if w.remoteRef("refs/bay/change/C-1") != "" {
		t.Fatal("it was published")
	}
	c, err := n.ChangeOpen(bg(), change.Draft{ID: "C-1", Title: "rotate " + theToken, Secrets: redact.SecretsRedact})
	if err != nil || c.Title != "rotate [redacted:github-token]" {
		t.Errorf("%q %v", c.Title, err)
	}
	c, err = n.ChangeOpen(bg(), change.Draft{ID: "C-2", Title: "rotate " + theToken, Secrets: redact.SecretsAllow})
	if err != nil || c.Title != "rotate "+theToken {
		t.Errorf("%q %v", c.Title, err)
	}
}

// Trunk's paths are named by whoever pushed there.
func TestLandingsAreRecordedWithoutSecrets(t *testing.T) {
	w := newWorld(t)
	redactor, err := redact.New(nil)
	must(t, err)
	n := w.node("a", func(o *Options) { o.Redactor = redactor })
	n.fetch()
	_, err = n.NoteLandings(bg())
	must(t, err)
	w.land("keys/"+theToken, "x\n", "second")
	n.fetch()
	if k, err := n.NoteLandings(bg()); k != 1 || err != nil {
		t.Fatal(k, err)
	}
	must(t, n.store.Read(bg(), func(rd store.Reader) error {
		events, err := rd.Events(0, 100)
		if len(events) != 1 || strings.Contains(string(events[0].Payload), theToken) || !strings.Contains(string(events[0].Payload), "keys/[redacted:") {
			t.Errorf("%s", events[0].Payload)
		}
		return err
	}))
}
