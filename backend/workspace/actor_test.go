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
		if got := (World{getenv, func() string { return c.login }}).Producer(c.config); got != c.want {
			t.Errorf("%s: it acts as %q; wanted %q", c.name, got, c.want)
		}
	}
	if got := (World{Getenv: func(string) string { return "" }}).Producer(""); got != "binnacle" {
		t.Errorf("where the user can't be known it acts as %q", got)
	}
}

// A session's actor is the same for the hook that reports it, the commands and
// the cockpit: the person, whatever machine they sit at.
func TestOneActorForOnePerson(t *testing.T) {
	env := map[string]string{
		"BINNACLE_ACTOR": "role", "BINNACLE_PRODUCER": "ana", "USER": "root", "LOGNAME": "log",
	}
	w := World{Getenv: func(name string) string { return env[name] }, User: func() string { return "os@vm" }}
	fleet, producer := "conf", "both"
	for _, c := range []struct {
		want   string
		remove func() // what decided that
	}{
		{"role", func() { delete(env, "BINNACLE_ACTOR") }},
		{"ana", func() { delete(env, "BINNACLE_PRODUCER") }},
		{"conf", func() { fleet = "" }},
		{"both", func() { producer = "" }},
		{"root", func() { delete(env, "USER") }},
		{"log", func() { delete(env, "LOGNAME") }},
		{"os", func() { w.User = nil }},
		{"unknown", func() { fleet = "a\xffb" }},
		{"a?b", func() {}},
	} {
		if got := w.Actor(fleet, producer); got != c.want {
			t.Errorf("the actor is %q; wanted %q", got, c.want)
		}
		c.remove()
	}
}
