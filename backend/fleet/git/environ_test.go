package git

import (
	"strings"
	"testing"
)

func TestClosedEnvironment(t *testing.T) {
	config := parseConfig([]byte("global\x00user.name\nT\x00local\x00remote.up.url\ngit@h:x\x00local\x00remote.up.proxy\np\x00local\x00remote.up.promisor\ntrue\x00" +
		"local\x00http.proxy\nq\x00global\x00http.sslverify\nfalse\x00worktree\x00credential.helper\n!evil\x00local\x00core.sshcommand\nssh -i k\x00local\x00core.fsmonitor\x00"))
	if config.get("core.fsmonitor") != "true" || config.get("user.name") != "T" {
		t.Errorf("%+v", config)
	}
	env := closedEnv([]string{"PATH=/bin", "HOME=/h", "GIT_DIR=/x", "GIT_CONFIG_COUNT=1", "LD_PRELOAD=x", "https_proxy=p", "SSH_AUTH_SOCK=s", "SECRET=1"},
		config.withoutPrograms().forward("up", "git@h:x", "git@h:x"))
	all := strings.Join(env, "\n")
	for _, want := range []string{
		"PATH=/bin", "HOME=/h", "https_proxy=p", "SSH_AUTH_SOCK=s", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "LC_ALL=C",
		"=remote.git@h:x.proxy", "=http.proxy",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
	for _, not := range []string{"GIT_DIR", "LD_PRELOAD", "SECRET", "promisor", "sslverify", "user.name", "credential", "sshcommand"} {
		if strings.Contains(all, not) {
			t.Errorf("%s got through", not)
		}
	}
	if got := config.sshEnv(); len(got) != 1 || got[0] != "GIT_SSH_COMMAND=ssh -i k -o BatchMode=yes -o ConnectTimeout=10" {
		t.Error(got)
	}
	if got := (Config{{"local", "core.sshcommand", "plink"}}).sshEnv(); got != nil {
		t.Error(got)
	}
	rules := Config{{"global", "url.https://a/.insteadof", "x:"}, {"global", "url.https://b/.insteadof", "x:y/"}}
	if got := rules.rewrite("x:y/z", "insteadof"); got != "https://b/z" {
		t.Error(got)
	}
	if got := HideSecret("fatal: https://u:p@h/x and http://t@i/y"); strings.Contains(got, "p@") || strings.Contains(got, "t@") {
		t.Error(got)
	}
}
