package statefile

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

// Hash names a folder after something that is too long, or too private,
// to stand in a file name.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// Write replaces the file whole: a reader sees the old or the new bytes,
// also after a power cut.
func Write(path string, content []byte, mode fs.FileMode) error {
	return Replace(path, content, mode, true)
}

// Replace is Write; without durable it is whole for every reader, but
// a power cut may undo it.
func Replace(path string, content []byte, mode fs.FileMode, durable bool) error {
	f, err := scratch.NewFile(filepath.Dir(path), "state")
	if err != nil {
		return Error(err)
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
	return Error(err)
}

// WriteJSON is Write of a value as JSON, for this user alone.
func WriteJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return Write(path, append(raw, '\n'), 0o600)
}

// ReadJSON leaves v as it is when there is no such file. A file that can't be
// read as JSON is set aside, for it may explain what happened, and counts as
// none: everything in these files can be made again from the remote.
func ReadJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return Error(err)
	}
	if json.Unmarshal(raw, v) != nil {
		return Error(os.Rename(path, path+".unreadable"))
	}
	return nil
}

// MakeDir makes a folder for this user alone, and those above it.
func MakeDir(path string) error { return Error(os.MkdirAll(path, 0o700)) }

// Error says of a failure that it is the state folder's; nil stays nil.
func Error(err error) error {
	if err == nil {
		return nil
	}
	return model.Errorf(model.CodeInternal, "the fleet's folder can't be used: %w", err).
		WithHint("it stands in the user's state folder; see binnacle fleet doctor")
}

// CreateOnce writes a file that is complete from its first moment, unless
// there is one.
func CreateOnce(path, text string) error {
	tmp, err := scratch.NewFile(filepath.Dir(path), "state")
	if err != nil {
		return Error(err)
	}
	defer tmp.Discard()
	_, err = tmp.WriteString(text)
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = tmp.Publish(path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return Error(err)
}

// Exists says whether there is a file or folder of that name.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Resolve is a path that may be relative to a folder.
func Resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
