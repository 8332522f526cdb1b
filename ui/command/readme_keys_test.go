package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/keymap"
)

// TestReadmeKeys compares the README's table of keys with the keymap.
func TestReadmeKeys(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- keys: binnacle keys --markdown -->\n", "<!-- end of keys -->"
	_, rest, ok := strings.Cut(string(text), begin)
	table, _, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the README has no table of keys between its two marks")
	}
	if want := keymap.Default().Markdown(); strings.TrimSpace(table) != strings.TrimSpace(want) {
		t.Errorf("the README's keys are not the keymap's; binnacle keys --markdown prints them")
	}
}
