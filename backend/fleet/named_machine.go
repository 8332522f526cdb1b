package fleet

import (
	"crypto/sha256"
	"os"
	"strconv"
	"strings"

	"binnacle/model"
)

// machineVariable names this machine in the fleet, in place of the state
// folder's name: for runs whose home is thrown away, which would otherwise be a
// new machine each time. hostName as its value is a name that is made of the
// host's id, its host name and the user.
const (
	machineVariable = "BINNACLE_MACHINE"
	hostName        = "@host"
)

// nameOfMachine is the variable's name, else the state folder's. Nothing is
// derived from the host unasked: ids and host names are cloned with images, and
// two homes on one host may be at work at once.
func (f *Fleet) nameOfMachine() (string, error) {
	switch name := f.variable(machineVariable); name {
	case "":
		return machineName(f.opts.StateDir)
	case hostName:
		return hostMachine()
	default:
		if err := model.CheckMachine(name); err != nil {
			return "", model.Errorf(model.CodeUsage, "%s: %w", machineVariable, err).WithHint("%s", model.HintOf(err))
		}
		return name, nil
	}
}

// hostMachine is the same for a user of a host, whatever their home is.
func hostMachine() (string, error) {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		raw, err := os.ReadFile(path)
		id := strings.TrimSpace(string(raw))
		if err != nil || len(id) < 16 {
			continue
		}
		host, err := os.Hostname()
		if err != nil {
			return "", model.Errorf(model.CodeInternal, "the host's name can't be read: %w", err)
		}
		sum := sha256.Sum256([]byte("binnacle machine\x00" + id + "\x00" + host + "\x00" + strconv.Itoa(os.Getuid())))
		return model.NewMachine(sum[:7]), nil
	}
	return "", model.Errorf(model.CodeUsage, "this host has no id, so %s=%s names nothing", machineVariable, hostName).
		WithHint("set %s to a name of your choice", machineVariable)
}

// declared says whether the user said who this machine is. Then what stands
// under that name before the first push from a new home is an earlier run's.
func (f *Fleet) declared() bool { return f.variable(machineVariable) != "" }
