package command

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
	} {
		env := Env{User: func() string { return c.login }, Getenv: func(name string) string {
			return map[string]string{"BINNACLE_PRODUCER": c.producer, "QUAY_PRODUCER": c.quay}[name]
		}}
		a := &app{env: env}
		if got, command := actor(env, c.config), a.producer(c.config); got != c.want || command != c.want {
			t.Errorf("%s: the cockpit acts as %q, the commands as %q; wanted %q", c.name, got, command, c.want)
		}
	}
}
