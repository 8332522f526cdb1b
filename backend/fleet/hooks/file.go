package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"binnacle/backend/fleet/statefile"
	"binnacle/backend/scratch"
	"binnacle/model"
	"binnacle/model/clean"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 16 << 20

// settingsFile is a tool's settings as they were read: the file that a link
// leads to, where there is one, so that a link into somebody's dotfiles stays.
type settingsFile struct {
	target  string
	text    string
	existed bool
	mode    fs.FileMode
	uid     int
	gid     int
}

func readSettings(path string) (settingsFile, error) {
	s := settingsFile{mode: 0o644, uid: -1, gid: -1}
	var err error
	if s.target, err = followLinks(path); err != nil {
		return s, err
	}
	info, err := os.Stat(s.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, settingsError(path, "be looked at", err)
	case !info.Mode().IsRegular():
		return s, model.Errorf(model.CodeRefused, "%s is not a regular file, so it is left alone", clean.Line(path))
	case info.Size() > maxSettings:
		return s, model.Errorf(model.CodeRefused, "%s is larger than %d MiB, so it is left alone", clean.Line(path), maxSettings>>20)
	}
	raw, err := os.ReadFile(s.target)
	if err != nil {
		return s, settingsError(path, "be read", err)
	}
	s.text, s.existed, s.mode = string(raw), true, info.Mode().Perm()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.uid, s.gid = int(st.Uid), int(st.Gid)
	}
	return s, nil
}

// followLinks leads to the file itself. A link to nothing leads to the place
// where its file would be, if the folder is there.
func followLinks(path string) (string, error) {
	at := path
	for range 40 {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if at != path && errors.Is(err, fs.ErrNotExist) && !statefile.Exists(filepath.Dir(at)) {
				return "", model.Errorf(model.CodeRefused, "%s is a link to %s, and that folder is not there", clean.Line(path), clean.Line(at)).
					WithHint("make the folder, or remove the link")
			}
			return at, nil
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", settingsError(path, "be followed", err)
		}
		at = statefile.Resolve(filepath.Dir(at), to)
	}
	return "", model.Errorf(model.CodeRefused, "%s is a link that leads in a circle", clean.Line(path))
}

// writable refuses a file that somebody made read-only: replacing it would work
// all the same, and would pass over what was meant.
func (s settingsFile) writable(path string, force bool) error {
	if !s.existed || force {
		return nil
	}
	if s.mode&0o222 == 0 {
		return model.Errorf(model.CodeRefused, "%s is read-only (mode %04o), so it is left alone", clean.Line(path), s.mode).
			WithHint("make it writable, or repeat with --force")
	}
	f, err := os.OpenFile(s.target, os.O_WRONLY, 0)
	if err != nil {
		return model.Errorf(model.CodeRefused, "%s may not be written by you, so it is left alone: %w", clean.Line(path), errors.Unwrap(err))
	}
	return f.Close()
}

// write replaces the file whole; mode and owner stay. What was read must stand
// there still when the new file takes its place.
func (s settingsFile) write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(s.target), 0o755); err != nil {
		return settingsError(path, "be made", err)
	}
	f, err := scratch.NewFile(filepath.Dir(s.target), "settings")
	if err != nil {
		return settingsError(path, "be written", err)
	}
	defer f.Discard()
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(s.mode)
	}
	if err == nil && s.existed && (s.uid != os.Geteuid() || s.gid != os.Getegid()) {
		err = f.Chown(s.uid, s.gid)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return settingsError(path, "be written", err)
	}
	if err := s.unchanged(path); err != nil {
		return err
	}
	if err := f.Replace(s.target); err != nil {
		return settingsError(path, "be written", err)
	}
	return nil
}

func (s settingsFile) remove(path string) error {
	if err := s.unchanged(path); err != nil {
		return err
	}
	if err := os.Remove(s.target); err != nil {
		return settingsError(path, "be removed", err)
	}
	return nil
}

func (s settingsFile) unchanged(path string) error {
	now, err := readSettings(path)
	if err != nil {
		return err
	}
	if now.target != s.target || now.existed != s.existed || now.text != s.text {
		return model.Errorf(model.CodeStale, "%s changed since the diff was made", clean.Line(path)).
			WithHint("look at the new diff and repeat")
	}
	return nil
}

func settingsError(path, what string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return model.Errorf(model.CodeRefused, "%s can't %s: %w", clean.Line(path), what, err)
}
