package git

import (
	"strconv"
	"strings"
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
func closedEnv(environ []string, config []Setting) []string {
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
			env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.Key, "GIT_CONFIG_VALUE_"+n+"="+s.Value)
		}
	}
	return env
}
