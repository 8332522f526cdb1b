package workspace

import "testing"

func TestNetworkMagic(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB2", 0x01021997: "9p", 0x65735546: "FUSE",
		0xef53: "", 0x58465342: "", 0x9123683e: "", 0x01021994: "", 0x794c7630: "",
	} {
		if got := networkMagic(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
}
