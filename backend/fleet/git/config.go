package git

import (
	"path/filepath"
	"strings"
)

// Setting is one line of git's configuration.
type Setting struct {
	scope string // system, global, local, worktree, command
	Key   string // section and name in lower case
	Value string
}

// Config is a repository's whole configuration, in git's order: the last
// one of a name counts.
type Config []Setting

// parseConfig reads `git config --list -z --show-scope`.
func parseConfig(out []byte) Config {
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var c Config
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, valued := strings.Cut(fields[i+1], "\n")
		if !valued {
			value = "true" // git's form of a bare name
		}
		c = append(c, Setting{fields[i], key, value})
	}
	return c
}

func (c Config) get(key string) string {
	value := ""
	for _, s := range c {
		if s.Key == key {
			value = s.Value
		}
	}
	return value
}

func (c Config) first(key string) string {
	for _, s := range c {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// rewrite applies url.<base>.insteadOf as git does: the longest match wins.
func (c Config) rewrite(url, key string) string {
	best, base := -1, ""
	for _, s := range c {
		if strings.HasPrefix(s.Key, "url.") && strings.HasSuffix(s.Key, "."+key) &&
			len(s.Value) > best && strings.HasPrefix(url, s.Value) {
			best, base = len(s.Value), s.Key[len("url."):len(s.Key)-len(key)-1]
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
func (c Config) forward(remote, url, pushURL string) []Setting {
	var out []Setting
	for _, s := range c {
		if !s.own() {
			continue
		}
		section, _, _ := strings.Cut(s.Key, ".")
		switch {
		case section == "credential", section == "http", section == "url", s.Key == "core.sshcommand", s.Key == "ssh.variant":
			out = append(out, s)
		case strings.HasPrefix(s.Key, "remote."+remote+"."):
			switch name := strings.TrimPrefix(s.Key, "remote."+remote+"."); name {
			case "proxy", "proxyauthmethod", "uploadpack", "receivepack", "serveroption":
				out = append(out, Setting{s.scope, "remote." + url + "." + name, s.Value}, Setting{s.scope, "remote." + remoteName + "." + name, s.Value})
				if pushURL != url {
					out = append(out, Setting{s.scope, "remote." + pushURL + "." + name, s.Value})
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
func (c Config) sshEnv() []string {
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
