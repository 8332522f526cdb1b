package workspace

import "golang.org/x/sys/unix"

// fileSystemOf returns the name of the network file system that dir is on, ""
// for a local one.
func fileSystemOf(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	name := unix.ByteSliceToString(st.Fstypename[:])
	if st.Flags&unix.MNT_LOCAL == 0 {
		return name, nil
	}
	return networkName(name), nil
}
