package workspace

import "testing"

// The cockpit and the commands act under one name.
func TestOneNameForOnePerson(t *testing.T) {
	for _, c := range []struct {
		name                          string
		producer, quay, config, login string
		want                          string
	}{
		{"the environment first", "ana", "quay", "conf", "root@vm", "ana"},
		{"then Quay's", "", "quay", "conf", "root@vm", "quay"},
		{"then the configuration", "", "", "conf", "root@vm", "conf"},
		{"then the user at the host", "", "", "", "root@vm", "root@vm"},
		{"nobody known", "", "", "", "", "binnacle"},
		{"a name that can't be one", "", "", "", "bad\x1bname", "binnacle"},
	} {
		getenv := func(name string) string {
			return map[string]string{"BINNACLE_PRODUCER": c.producer, "QUAY_PRODUCER": c.quay}[name]
		}
		if got := Actor(getenv, c.config, func() string { return c.login }); got != c.want {
			t.Errorf("%s: it acts as %q; wanted %q", c.name, got, c.want)
		}
	}
	if got := Actor(func(string) string { return "" }, "", nil); got != "binnacle" {
		t.Errorf("where the user can't be known it acts as %q", got)
	}
}
