package store

import (
	"errors"
	"io/fs"
	"os"

	"binnacle/model"
)

// Names in a workspace.
const (
	Folder   = ".binnacle"
	Database = "binnacle.db"
)

// refuseLink refuses a path that is a symbolic link: through it, two folders
// would be one workspace, or somebody else's file would be ours.
func refuseLink(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return Explain("look at "+path, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return model.Errorf(model.CodeRefused, "%s is a symbolic link", path).
			WithHint("put the real thing in its place, or name its own folder with --workspace")
	}
	return nil
}
