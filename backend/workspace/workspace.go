package workspace

import (
	"errors"
	"io/fs"
	"os"

	"binnacle/backend/store"
	"binnacle/model"
)

// Names in a workspace.
const (
	Folder   = ".binnacle"
	Database = "binnacle.db"
)

// RefuseLink refuses a path that is a symbolic link: through it, two folders
// would be one workspace, or somebody else's file would be ours.
func RefuseLink(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return store.Explain("look at "+path, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return model.Errorf(model.CodeRefused, "%s is a symbolic link", path).
			WithHint("put the real thing in its place, or name its own folder with --workspace")
	}
	return nil
}
