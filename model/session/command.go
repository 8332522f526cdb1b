package session

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"binnacle/model"
	"binnacle/model/clean"
)

// This file is what somebody declares of a session by command: an agent whose
// tool has no hooks, or an orchestrator for its workers.

// ToolCommand is the tool of a session that was declared by command, where
// nobody said which program it is.
const ToolCommand = "command"

// MaxTask and MaxModel bound what a session says of its task and model, in bytes.
const (
	MaxTask  = 255
	MaxModel = 128
	maxTool  = 32
	maxPath  = 1024
)

// TaskDigest stands for a task's key where no text of people or agents may
// stand: the first 16 hex digits of its SHA-256. Two sessions on one task have
// the same.
func TaskDigest(task string) string {
	sum := sha256.Sum256([]byte(task))
	return hex.EncodeToString(sum[:8])
}

// CheckTool refuses what can't name a program: 1 to 32 lower-case letters,
// digits, dots, dashes and underscores.
func CheckTool(name string) error {
	if name == "" || len(name) > maxTool || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		return model.Errorf(model.CodeInvalid, "%q can't name a session's program", clean.Line(model.CutBytes(name, 40))).
			WithHint("take 1 to %d lower-case letters, digits, dots, dashes and underscores", maxTool)
	}
	return nil
}

// CheckModel refuses what is not a model's name: it is one word, so that nothing
// is said with it.
func CheckModel(name string) error {
	if len(name) > MaxModel || !model.IsWord(strings.NewReplacer("[", "", "]", "").Replace(name)) {
		return model.Errorf(model.CodeInvalid, "%q is not a model's name", clean.Line(model.CutBytes(name, 40))).
			WithHint("it is one word of at most %d letters, digits and ._:/@+-[]", MaxModel)
	}
	return nil
}

// DeclaredPaths are paths as a session declares them, in the form in which
// hooks' paths stand: sorted, slash separated, relative to the work tree, folders
// with a slash at their end, patterns as they are, at most MaxPaths of them.
func DeclaredPaths(list []string) ([]string, error) {
	var out []string
	for _, given := range list {
		p, err := declaredPath(given)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return MergePaths(nil, out), nil
}

func declaredPath(p string) (string, error) {
	shown := clean.Line(model.CutBytes(p, 60))
	switch {
	case p == "":
		return "", model.Errorf(model.CodeInvalid, "a path is empty")
	case len(p) > maxPath:
		return "", model.Errorf(model.CodeInvalid, "the path %q has %d bytes; at most %d fit", shown, len(p), maxPath)
	case !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl):
		return "", model.Errorf(model.CodeInvalid, "the path %q has a control character, or is not valid UTF-8", shown)
	case strings.HasPrefix(p, "/"):
		return "", model.Errorf(model.CodeInvalid, "the path %q is not in the work tree", shown).WithHint("write it relative to the work tree")
	}
	c := path.Clean(p)
	switch {
	case c == "..", strings.HasPrefix(c, "../"):
		return "", model.Errorf(model.CodeInvalid, "the path %q leads out of the work tree", shown)
	case c == ".":
		return "./", nil
	case strings.HasSuffix(p, "/"):
		c += "/"
	}
	return c, nil
}

// Begin is the first fact of a session that is declared: at work from the start,
// for whoever declares it has something to do. s is the session as it is, about
// what is said of it (as in Next, and Task, Model and Paths). A session that is
// open is refused.
func (s Session) Begin(about Session) (model.Draft, error) {
	key := Key(about.Tool, about.ID)
	to, ok := Machine().To(s.State, string(ActPrompt))
	if !ok || s.State != "" && s.State != Ended {
		return model.Draft{}, model.Errorf(model.CodeRefused, "session %q is open already", clean.Line(key))
	}
	p := sessionPayload{
		Act: ActPrompt, Tool: about.Tool, Session: about.ID, Machine: about.Machine, Boot: about.Boot, Incarnation: s.Incarnation + 1,
		Parent: about.Parent, Change: about.Change, Base: about.Base, Task: about.Task,
		Untrusted: outsides(about.View, about.Paths),
	}
	p.by(about.Actor)
	if about.Model != "" {
		p.outsides().Model = about.Model
	}
	return sessionDraft(TopicStarted, key, to, p), nil
}

// SetPaths is the fact that the session works on these paths and no others; ok
// is false when it does already. A session that is over is refused.
func (s Session) SetPaths(paths []string) (d model.Draft, ok bool, err error) {
	if s.State == "" || s.State == Ended {
		return d, false, model.Errorf(model.CodeRefused, "session %q is over, so its paths stay as they are", clean.Line(s.Key)).
			WithHint("binnacle session start declares another")
	}
	if slices.Equal(paths, s.Paths) {
		return d, false, nil
	}
	p := sessionPayload{Incarnation: s.Incarnation, Task: s.Task, Untrusted: outsides("", paths)}
	return sessionDraft(TopicPaths, s.Key, s.State, p), true, nil
}
