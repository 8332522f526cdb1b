package workspace

import (
	"fmt"
	"testing"

	"binnacle/model"
)

func TestNetworkFileSystems(t *testing.T) {
	if err := CheckFileSystem(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nfs", "smbfs", "webdav", "9p", "macfuse"} {
		if networkName(name) == "" {
			t.Errorf("%s is taken for local", name)
		}
	}
	for _, name := range []string{"apfs", "hfs", ""} {
		if networkName(name) != "" {
			t.Errorf("%s is taken for a network's", name)
		}
	}
	if fmt.Sprint(model.CodeOf(networkRefusal("/x", "NFS"))) != string(model.CodeFileSys) {
		t.Error("the refusal has another code")
	}
}
