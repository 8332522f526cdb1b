package workspace

import (
	"binnacle/backend/store"
	"binnacle/model"
)

// CheckFileSystem refuses a folder on a file system on which a write-ahead log
// can't work: its shared memory and locks must be one machine's. CodeFileSys.
func CheckFileSystem(dir string) error {
	name, err := fileSystemOf(dir)
	if err != nil {
		return store.Explain("look at the file system of "+dir, err)
	}
	if name == "" {
		return nil
	}
	return networkRefusal(dir, name)
}

func networkRefusal(dir, name string) error {
	return model.Errorf(model.CodeFileSys, "%s is on a network file system (%s), where SQLite's log gets corrupted", dir, name).
		WithHint("put the workspace on a local disk and point to it with --workspace or BINNACLE_WORKSPACE")
}

// networkName returns name when it is, by the name that macOS gives it, a file
// system of another machine or of a program (FUSE), else "".
func networkName(name string) string {
	switch name {
	case "nfs", "smbfs", "cifs", "afpfs", "webdav", "ftp", "9p", "fuse", "fusefs", "macfuse", "osxfuse", "fuse-t", "acfs", "autofs":
		return name
	}
	return ""
}
