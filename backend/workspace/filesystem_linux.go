package workspace

import "golang.org/x/sys/unix"

// networkMagic names the file systems that are another machine's, by the magic
// number that statfs gives (linux/magic.h and the file systems' own sources).
func networkMagic(magic uint32) string {
	switch magic {
	case 0x6969:
		return "NFS"
	case 0x517b:
		return "SMB"
	case 0xff534d42:
		return "CIFS"
	case 0xfe534d42:
		return "SMB2"
	case 0x01021997:
		return "9p"
	case 0x65735546:
		return "FUSE"
	case 0x564c:
		return "NCP"
	case 0x5346414f, 0x6b414653:
		return "AFS"
	case 0x73757245:
		return "Coda"
	case 0x00c36400:
		return "Ceph"
	case 0x0bd00bd0:
		return "Lustre"
	case 0x47504653:
		return "GPFS"
	case 0x01161970:
		return "GFS2"
	case 0x7461636f:
		return "OCFS2"
	case 0x19830326:
		return "BeeGFS"
	case 0x013111a8:
		return "IBRIX"
	case 0x786f4256:
		return "VirtualBox shared folder"
	}
	return ""
}

// fileSystemOf returns the name of the network file system that dir is on, ""
// for a local one.
func fileSystemOf(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	return networkMagic(uint32(st.Type)), nil
}
