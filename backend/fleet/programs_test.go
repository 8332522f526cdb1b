package fleet

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// guardedHost is a host that wants a password for everything.
func guardedHost(t *testing.T) string {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(host.Close)
	return host.URL
}

// hostile writes a program that leaves a mark, and returns both.
func hostile(t *testing.T, w *world) (program, mark string) {
	t.Helper()
	mark = filepath.Join(w.dir, "ran")
	program = filepath.Join(w.dir, "evil")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\ntouch "+mark+"\nexit 1\n"), 0o755))
	return program, mark
}

// A folder's own .git/config runs nothing before somebody trusted it; what the
// user's own configuration says runs always.
func TestAHostileConfigurationRunsNothing(t *testing.T) {
	w := newWorld(t)
	program, mark := hostile(t, w)
	for name, set := range map[string][][2]string{
		"core.sshCommand":     {{"remote.origin.url", "ssh://h.invalid/x"}, {"core.sshCommand", program}},
		"credential.helper":   {{"remote.origin.url", guardedHost(t)}, {"credential.helper", "!" + program}},
		"credential.*.helper": {{"remote.origin.url", guardedHost(t)}, {"credential.http://127.0.0.1.helper", "!" + program}},
		"ssh.variant":         {{"remote.origin.url", "ssh://h.invalid/x"}, {"ssh.variant", "simple"}, {"core.sshCommand", program}},
		"include.path":        {{"remote.origin.url", "ssh://h.invalid/x"}, {"include.path", "more"}},
		"core.fsmonitor":      {{"core.fsmonitor", program}},
		"core.askPass":        {{"remote.origin.url", guardedHost(t)}, {"core.askPass", program}},
		"core.gitProxy":       {{"remote.origin.url", "git://h.invalid/x"}, {"core.gitProxy", program}},
		"uploadpack":          {{"remote.origin.uploadpack", program}},
		"receivepack":         {{"remote.origin.receivepack", program}},
		"vcs":                 {{"remote.origin.vcs", "ext"}, {"protocol.ext.allow", "always"}},
		"an ext URL":          {{"remote.origin.url", "ext::" + program}, {"protocol.ext.allow", "always"}},
		"an insteadOf":        {{"url.ext::" + program + " .insteadOf", w.remote}, {"protocol.ext.allow", "always"}},
		"a pushInsteadOf":     {{"url.ext::" + program + " .pushInsteadOf", w.remote}, {"protocol.ext.allow", "always"}},
		"a pushurl":           {{"remote.origin.pushurl", "ext::" + program}, {"protocol.ext.allow", "always"}},
		"a pager and editor":  {{"core.pager", program}, {"pager.config", program}, {"core.editor", program}},
		"an alias":            {{"alias.config", "!" + program}, {"alias.ls-remote", "!" + program}},
	} {
		t.Run(name, func(t *testing.T) {
			n := w.node(strings.NewReplacer(" ", "-", ".", "-", "*", "x").Replace(strings.ToLower(name)))
			must(t, os.WriteFile(filepath.Join(n.repo, ".git", "more"), []byte("[core]\n\tsshCommand = "+program+"\n"), 0o644))
			for _, kv := range set {
				w.git(n.repo, "config", kv[0], kv[1])
			}
			_, _ = n.Fetch(bg()) // some can't be reached
			_, _ = n.Push(bg())
			_, _ = n.Map(bg())
			_, err := n.Doctor(bg())
			must(t, err)
			if statefile.Exists(mark) {
				must(t, os.Remove(mark))
				t.Error("it ran")
			}
		})
	}
}

// A bare repository that came in the folder has hooks of its own.
func TestARemoteInsideTheFolderRunsNoHooks(t *testing.T) {
	w := newWorld(t)
	_, mark := hostile(t, w)
	for _, where := range []string{"inside", "beside", "link"} {
		t.Run(where, func(t *testing.T) {
			n := w.node(where)
			bare, url := filepath.Join(n.repo, "bare.git"), filepath.Join(n.repo, "bare.git")
			switch where {
			case "beside":
				bare, url = filepath.Join(w.dir, "next.git"), "../next.git"
			case "link":
				url = filepath.Join(w.dir, "link-to-it")
				must(t, os.Symlink(bare, url))
			}
			w.git(w.dir, "clone", "-q", "--bare", w.remote, bare)
			for _, h := range []string{"pre-receive", "update", "post-receive", "reference-transaction"} {
				must(t, os.WriteFile(filepath.Join(bare, "hooks", h), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755))
			}
			w.git(n.repo, "config", "remote.origin.url", url)
			_, err := n.Push(bg())
			wantCode(t, err, model.CodeUntrusted)
			if statefile.Exists(mark) {
				t.Fatal("its hook ran")
			}
			_, err = n.Trust(bg())
			must(t, err)
			n.push()
			if !statefile.Exists(mark) {
				t.Error("it is trusted, and its hook did not run: the test shows nothing")
			}
			must(t, os.Remove(mark))
		})
	}
}

func TestTheUsersOwnConfigurationCounts(t *testing.T) {
	w := newWorld(t)
	program, mark := hostile(t, w)
	n := w.node("a")
	w.git(n.repo, "config", "remote.origin.url", "ssh://h.invalid/x")
	w.git(n.repo, "config", "--global", "core.sshCommand", program)
	if _, err := n.Fetch(bg()); err == nil || !statefile.Exists(mark) {
		t.Fatalf("the user's ssh did not run: %v", err)
	}
}

// Trust stands for the settings as they are, and a change asks again.
func TestTrustedSettingsRunUntilTheyChange(t *testing.T) {
	w := newWorld(t)
	_, mark := hostile(t, w)
	n := w.node("a")
	program := filepath.Join(n.repo, "ssh-wrap")
	body := "#!/bin/sh\ntouch " + mark + "\nexit 1\n"
	must(t, os.WriteFile(program, []byte(body), 0o755))
	w.git(n.repo, "config", "remote.origin.url", "ssh://h.invalid/x")
	w.git(n.repo, "config", "core.sshCommand", program)
	ran := func() bool {
		t.Helper()
		_, _ = n.Fetch(bg()) // there is no such host
		ok := statefile.Exists(mark)
		if ok {
			must(t, os.Remove(mark))
		}
		return ok
	}
	if ran() {
		t.Fatal("it ran before anybody trusted it")
	}
	if _, err := n.Fetch(bg()); !strings.Contains(model.HintOf(err), "core.sshcommand can run programs and is left out") {
		t.Errorf("hint %q of %v", model.HintOf(err), err)
	}
	got, err := n.Trust(bg())
	must(t, err)
	if len(got.Settings) != 1 || got.Settings[0] != "core.sshcommand="+program {
		t.Errorf("%+v", got)
	}
	if !ran() {
		t.Error("it is trusted and does not run")
	}
	must(t, os.WriteFile(program, []byte(body+"# more\n"), 0o755))
	if ran() {
		t.Error("the changed program ran")
	}
	_, err = n.Trust(bg())
	must(t, err)
	w.git(n.repo, "config", "core.sshCommand", program+" -v")
	if ran() {
		t.Error("the changed setting ran")
	}
	_, err = n.Trust(bg())
	must(t, err)
	must(t, n.Untrust())
	if ran() {
		t.Error("it ran after the trust was taken back")
	}
}

// Every file of the repository that a command names is part of what was
// trusted.
func TestTrustCoversEveryFileThatIsNamed(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	dir := n.repo
	file := func(name, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	file("scripts/n", "#!/bin/sh\n")
	file("tools/x.py", "pass\n")
	file("lib/deep/part", "one\n")
	must(t, os.Symlink(filepath.Join(dir, "scripts", "n"), filepath.Join(dir, "link")))
	must(t, os.Symlink("scripts/n", filepath.Join(w.dir, "outside")))
	for command, changed := range map[string]string{
		"sh scripts/n":                               "scripts/n",
		"./scripts/n":                                "scripts/n",
		"sh lib/../scripts/n":                        "scripts/n",
		"sh " + dir + "/scripts/n":                   "scripts/n",
		"env -S./scripts/n":                          "",
		"sh ./link":                                  "scripts/n",
		"python3 tools/x.py --flag":                  "tools/x.py",
		"env --chdir=tools python3":                  "tools/x.py",
		"make -C lib":                                "lib/deep/part",
		"sh -c ./scripts/n;./later":                  "later",
		"sh ../" + filepath.Base(dir) + "/scripts/n": "scripts/n",
	} {
		if changed == "" {
			continue
		}
		note := Notify{Command: command}
		before, err := n.trustHash(note)
		must(t, err)
		was, _ := os.ReadFile(filepath.Join(dir, changed))
		file(changed, string(was)+"# changed\n")
		after, err := n.trustHash(note)
		must(t, err)
		if before == after {
			t.Errorf("%s: a change of %s asks nobody", command, changed)
		}
		if was == nil {
			must(t, os.Remove(filepath.Join(dir, changed)))
			continue
		}
		file(changed, string(was))
		if again, err := n.trustHash(note); err != nil || again != before {
			t.Errorf("%s: the same files are another trust (%v)", command, err)
		}
	}
}

// The user's keyrings and tokens reach the user's helpers.
func TestTheUsersEnvironmentReachesTheHelpers(t *testing.T) {
	w := newWorld(t)
	out := filepath.Join(w.dir, "env")
	program := filepath.Join(w.dir, "helper")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\nenv > "+out+"\n"), 0o755))
	want := []string{
		"USER=ada", "LOGNAME=ada", "XDG_RUNTIME_DIR=/run/user/7", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x", "GH_TOKEN=a", "GITHUB_TOKEN=b",
	}
	n := w.node("a", func(o *Options) {
		o.Environ = append(append([]string{}, w.env...), append(want[1:], "GIT_DIR=/x", "GIT_SSH_COMMAND=/x", "LD_PRELOAD=/x")...)
	})
	w.git(n.repo, "config", "remote.origin.url", guardedHost(t))
	w.git(n.repo, "config", "--global", "credential.helper", "!"+program)
	_, err := n.Fetch(bg())
	wantCode(t, err, model.CodeOffline)
	got := "\n" + readText(t, out)
	for _, kv := range want {
		if !strings.Contains(got, "\n"+kv+"\n") {
			t.Errorf("%s does not reach the helper", kv)
		}
	}
	for _, name := range []string{"GIT_DIR=/x", "GIT_SSH_COMMAND=/x", "LD_PRELOAD="} {
		if strings.Contains(got, "\n"+name) {
			t.Errorf("%s got through", name)
		}
	}
}

func TestReadOnlyAsksTheRemoteNothing(t *testing.T) {
	w := newWorld(t)
	w.node("a").fetch()
	program, mark := hostile(t, w)
	w.git(filepath.Join(w.dir, "a"), "config", "--global", "remote.origin.uploadpack", program)
	n := w.node("a", func(o *Options) { o.Offline = true })
	_, err := n.Fetch(bg())
	wantCode(t, err, model.CodeReadOnly)
	m, _, err := n.Status(bg())
	if err != nil || m.FetchedAt == 0 {
		t.Errorf("%+v %v", m, err)
	}
	if _, err := n.Watch(bg(), change.WatchOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := n.Doctor(bg()); err != nil {
		t.Error(err)
	}
	if statefile.Exists(mark) {
		t.Error("the remote was asked")
	}
}
