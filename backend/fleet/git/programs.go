package git

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"
)

// A clone must not run code by being opened. Git runs programs that its
// configuration names, and a folder brings a configuration of its own in
// .git/config. So what of it names or reaches a program counts only after
// `binnacle trust`; what the user's own configuration says counts always.

// own says whether a setting came with the repository, by itself or by a file
// that it includes.
func (s Setting) own() bool {
	return s.scope != "system" && s.scope != "global" && s.scope != "command" // the last is what we say ourselves
}

// runs says whether a setting can make git run a program, or write a file, in
// one of our children, which get what forward passes on. What never gets there
// (core.hooksPath, core.fsmonitor, protocol.*, …) runs nothing, and is not
// worth a word.
func (s Setting) runs() bool {
	section, rest, _ := strings.Cut(s.Key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "credential":
		return true
	case "core":
		return name == "sshcommand"
	case "ssh":
		return name == "variant"
	case "remote":
		return name == "uploadpack" || name == "receivepack"
	case "http":
		// curl writes what it got to the cookies' file.
		return name == "cookiefile" || name == "savecookies"
	}
	return false
}

// comesWith says whether reaching the URL runs what the folder brought: a
// helper that the URL names, or the hooks of a repository that lies in it.
func (r *Repo) comesWith(raw, effective string) bool {
	if scheme, _, ok := strings.Cut(effective, "::"); ok && !strings.ContainsAny(scheme, "/.@") {
		return true
	}
	path := effective
	if u, err := url.Parse(effective); err == nil && u.Scheme == "file" {
		path = u.Path
	} else if !filepath.IsAbs(effective) {
		return false // another host's, or refused by git
	}
	if relativePath(raw) {
		return true
	}
	for _, p := range []string{path, path + ".git"} {
		if real, err := filepath.EvalSymlinks(p); err == nil && (within(r.Root, real) || within(r.Common, real)) {
			return true
		}
	}
	return within(r.Root, filepath.Clean(path))
}

func relativePath(url string) bool {
	return strings.HasPrefix(url, "./") || strings.HasPrefix(url, "../") || url == "." || url == ".."
}

// within says whether a path is the folder or lies in it; both are clean.
func within(dir, path string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

// Programs lists what the repository's own configuration would have run: its
// settings, and the URLs of the remote that lead to a program.
func (r *Repo) Programs(config Config) []Setting {
	var out []Setting
	for _, s := range config {
		if s.own() && s.runs() {
			out = append(out, s)
		}
	}
	for _, kind := range []string{"url", "pushurl"} {
		key := "remote." + r.opts.Remote + "." + kind
		raw := config.first(key)
		if raw == "" {
			continue
		}
		at := r.absoluteURL(raw)
		effective := config.rewrite(at, "insteadof")
		for _, e := range []string{effective, config.rewrite(at, "pushinsteadof")} {
			if r.comesWith(raw, e) {
				out = append(out, Setting{"local", key, e})
				break
			}
		}
	}
	return out
}

// withoutPrograms leaves out what only a trusted repository may say.
func (c Config) withoutPrograms() Config {
	out := make(Config, 0, len(c))
	for _, s := range c {
		if !s.own() || !s.runs() {
			out = append(out, s)
		}
	}
	return out
}

// ProgramsHash stands for the settings as they are, and for the files of the
// repository that they name.
func (r *Repo) ProgramsHash(list []Setting) (string, error) {
	h := sha256.New()
	for _, s := range list {
		sum, err := r.CommandHash(s.Value)
		if err != nil {
			return "", err
		}
		part := sha256.Sum256([]byte(s.Key + "\x00" + s.Value + "\x00" + sum))
		h.Write(part[:])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
