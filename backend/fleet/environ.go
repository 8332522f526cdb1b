package fleet

import (
	"path/filepath"
	"strconv"
	"strings"

	"binnacle/model"
)

// passed says whether a variable of ours reaches a git child: what git, ssh and
// the user's credential helpers need to find programs, keyrings, tokens,
// proxies and certificates. Everything else stays out, above all GIT_DIR and
// its like.
func passed(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
		"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
		"GNUPGHOME", "PASSWORD_STORE_DIR", "KRB5CCNAME", "KRB5_CONFIG":
		return true
	case "GCM_INTERACTIVE":
		return false // ours says never
	}
	// The families of the hosts' own helpers: gh, glab, git-credential-manager,
	// the clouds'.
	for _, family := range []string{"GH_", "GITHUB_", "GLAB_", "GITLAB_", "GCM_", "AWS_", "AZURE_", "CLOUDSDK_", "GOOGLE_"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "all_proxy", "no_proxy":
		return true
	}
	return false
}

// closedEnv is the environment of every git child. config are settings of the
// user's repository that bear on how the remote is reached.
func closedEnv(environ []string, config []setting) []string {
	env := make([]string, 0, 24+2*len(config))
	for _, kv := range environ {
		if name, _, ok := strings.Cut(kv, "="); ok && passed(name) {
			env = append(env, kv)
		}
	}
	env = append(env,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=never",
		"GCM_INTERACTIVE=never", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C",
	)
	if len(config) > 0 {
		env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)))
		for i, s := range config {
			n := strconv.Itoa(i)
			env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
		}
	}
	return env
}

// setting is one line of git's configuration.
type setting struct {
	scope string // system, global, local, worktree, command
	key   string // section and name in lower case
	value string
}

// gitConfig is a repository's whole configuration, in git's order: the last
// one of a name counts.
type gitConfig []setting

// parseConfig reads `git config --list -z --show-scope`.
func parseConfig(out []byte) gitConfig {
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var c gitConfig
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, valued := strings.Cut(fields[i+1], "\n")
		if !valued {
			value = "true" // git's form of a bare name
		}
		c = append(c, setting{fields[i], key, value})
	}
	return c
}

func (c gitConfig) get(key string) string {
	value := ""
	for _, s := range c {
		if s.key == key {
			value = s.value
		}
	}
	return value
}

func (c gitConfig) first(key string) string {
	for _, s := range c {
		if s.key == key {
			return s.value
		}
	}
	return ""
}

// rewrite applies url.<base>.insteadOf as git does: the longest match wins.
func (c gitConfig) rewrite(url, key string) string {
	best, base := -1, ""
	for _, s := range c {
		if strings.HasPrefix(s.key, "url.") && strings.HasSuffix(s.key, "."+key) &&
			len(s.value) > best && strings.HasPrefix(url, s.value) {
			best, base = len(s.value), s.key[len("url."):len(s.key)-len(key)-1]
		}
	}
	if best < 0 {
		return url
	}
	return base + url[best:]
}

// forward picks what of the repository's own configuration a child outside of
// it needs, after withoutPrograms where nobody trusts it: the other scopes it reads by itself. The remote's settings are
// renamed to its URL, for children are given that; what would make the cache a
// partial clone of the user's remote is left out.
func (c gitConfig) forward(remote, url, pushURL string) []setting {
	var out []setting
	for _, s := range c {
		if !s.own() {
			continue
		}
		section, _, _ := strings.Cut(s.key, ".")
		switch {
		case section == "credential", section == "http", section == "url", s.key == "core.sshcommand", s.key == "ssh.variant":
			out = append(out, s)
		case strings.HasPrefix(s.key, "remote."+remote+"."):
			switch name := strings.TrimPrefix(s.key, "remote."+remote+"."); name {
			case "proxy", "proxyauthmethod", "uploadpack", "receivepack", "serveroption":
				out = append(out, setting{s.scope, "remote." + url + "." + name, s.value}, setting{s.scope, "remote." + remoteName + "." + name, s.value})
				if pushURL != url {
					out = append(out, setting{s.scope, "remote." + pushURL + "." + name, s.value})
				}
			}
		}
	}
	return out
}

// remoteName is the remote's name in the caches, for the time of a fetch: git
// takes no filter for a remote whose name is a local path.
const remoteName = "binnacle-fleet"

// sshEnv makes ssh ask nobody and give up on a silent host. It keeps the
// user's own command where that is OpenSSH; another program gets no options
// that it may not know.
func (c gitConfig) sshEnv() []string {
	command := c.get("core.sshcommand")
	if command == "" {
		command = "ssh"
	}
	switch c.get("ssh.variant") {
	case "", "auto", "ssh":
	default:
		return nil
	}
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if filepath.Base(strings.Trim(program, `"'`)) != "ssh" {
		return nil
	}
	return []string{"GIT_SSH_COMMAND=" + command + " -o BatchMode=yes -o ConnectTimeout=10"}
}

// refPrefix is where the fleet's refs stand, without a slash at the end.
func checkPrefix(p string) error {
	if !strings.HasPrefix(p, "refs/") || strings.HasSuffix(p, "/") || strings.ContainsAny(p, " ~^:?*[\\\x7f") ||
		strings.Contains(p, "..") || strings.Contains(p, "//") || strings.HasPrefix(p, "refs/heads/") || strings.HasPrefix(p, "refs/tags/") {
		return model.Errorf(model.CodeUsage, "%q can't hold the fleet's refs", model.Clean(p)).
			WithHint("give a prefix such as refs/bay, not one of branches or tags")
	}
	for _, r := range p {
		if r < ' ' {
			return model.Errorf(model.CodeUsage, "the prefix of the fleet's refs has a control character")
		}
	}
	return nil
}
