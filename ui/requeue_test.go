package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/queue"
	"binnacle/model/directive"
)

// TestReadmeSaysWhatRequeueAsks holds the sentence to what askRequeue does.
func TestReadmeSaysWhatRequeueAsks(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "so does requeueing what somebody holds or several at once") {
		t.Error("README does not say when requeue asks")
	}
	r := newRig(t, rigOptions{})
	r.pushed("one", directive.P1, "")
	r.pushed("two", directive.P1, "")
	r.take("")
	if _, err := r.b.Queue.Park(context.Background(), queue.Act{ID: 2, Force: true, Why: "later"}); err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.onDirective(2)
	r.press("r")
	if r.c.over.Len() != 0 || r.status(2).Status != directive.StatusPending {
		t.Errorf("one parked directive: %s", r.status(2).Status)
	}
	r.sync()
	r.onDirective(1)
	r.press("r")
	r.has("Whoever holds it loses the claim")
}
