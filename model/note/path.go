package note

import (
	"path"
	"slices"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// Root is the path of the whole tree.
const Root = "."

// CheckPath refuses what is not the path of a file or a folder in the project:
// at most MaxPath bytes, relative, separated by single slashes, without "..", and
// like every text of a note without what can't be seen. Root is the project.
func CheckPath(p string) error {
	if err := model.CheckProse("path", p, MaxPath, clean.OneLine); err != nil {
		return err
	}
	bad := func(why string) error {
		return model.Errorf(model.CodeInvalid, "the path %q %s", clean.Line(p), why).
			WithHint("write it as it is from the project's top, e.g. src/main.go; . is the whole project")
	}
	segments := strings.Split(p, "/")
	switch {
	case p == Root:
		return nil
	case segments[0] == "":
		return bad("is not relative")
	case slices.Contains(segments, ""):
		return bad("has an empty segment")
	case slices.Contains(segments, ".."):
		return bad("has .. in it")
	case slices.Contains(segments, "."):
		return bad("has . in it")
	}
	return nil
}

// Above lists the path and every folder above it, the nearest first; Root is the
// last.
func Above(p string) []string {
	all := []string{p}
	for p != Root {
		p = path.Dir(p)
		all = append(all, p)
	}
	return all
}
