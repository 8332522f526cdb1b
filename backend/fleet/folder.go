package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"binnacle/backend/scratch"
	"binnacle/model"
)

// shortHash names a folder after something that is too long, or too private,
// to stand in a file name.
func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// writeFile replaces the file whole: a reader sees the old or the new bytes,
// also after a power cut.
func writeFile(path string, content []byte, mode fs.FileMode) error {
	return replaceFile(path, content, mode, true)
}

// replaceFile is writeFile; without durable it is whole for every reader, but
// a power cut may undo it.
func replaceFile(path string, content []byte, mode fs.FileMode, durable bool) error {
	f, err := scratch.NewFile(filepath.Dir(path), "state")
	if err != nil {
		return folderError(err)
	}
	defer f.Discard()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err == nil {
		err = f.Replace(path)
	}
	return folderError(err)
}

func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return writeFile(path, append(raw, '\n'), 0o600)
}

// readJSON leaves v as it is when there is no such file. A file that can't be
// read as JSON is set aside, for it may explain what happened, and counts as
// none: everything in these files can be made again from the remote.
func readJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return folderError(err)
	}
	if json.Unmarshal(raw, v) != nil {
		return folderError(os.Rename(path, path+".unreadable"))
	}
	return nil
}

func makeDir(path string) error { return folderError(os.MkdirAll(path, 0o700)) }

func folderError(err error) error {
	if err == nil {
		return nil
	}
	return model.Errorf(model.CodeInternal, "the fleet's folder can't be used: %w", err).
		WithHint("it stands in the user's state folder; see binnacle fleet doctor")
}
