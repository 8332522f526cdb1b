package fleetmap

import (
	"encoding/base32"
	"net/url"
	"path"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// MaxMachineName is a machine name's length in bytes; it fits a DNS label.
const MaxMachineName = 63

// CheckMachine refuses what is not ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$. The
// rule holds for machines and for executors: their names are ref names.
func CheckMachine(s string) error {
	if !label(s, false) {
		return model.Errorf(model.CodeInvalid, "%q is not a machine name", clean.Line(model.CutBytes(s, 80))).
			WithHint("1 to 63 of a-z, 0-9 and dash, a letter or digit at both ends")
	}
	return nil
}

// CheckChange refuses what can't be a change's id: the rule of machine names,
// with capitals.
func CheckChange(s string) error {
	if !label(s, true) {
		return model.Errorf(model.CodeInvalid, "%q is not a change id", clean.Line(model.CutBytes(s, 80))).
			WithHint("1 to 63 letters, digits and dashes, a letter or digit at both ends")
	}
	return nil
}

func label(s string, capitals bool) bool {
	if s == "" || len(s) > MaxMachineName || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
		case capitals && c >= 'A' && c <= 'Z':
		default:
			return false
		}
	}
	return true
}

// NewMachine makes a machine's name from 50 bits or more of randomness (7
// bytes): "m-" and ten base32 letters. Names are random because host names get
// cloned.
func NewMachine(random []byte) string {
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random)
	for len(text) < 10 {
		text += "A"
	}
	return "m-" + strings.ToLower(text[:10])
}

// RepoName reduces a remote's URL to what the machines of a fleet have in
// common, however each of them reaches it: "host/path", without scheme, user,
// port, query and the suffix .git. A local path stays a path.
func RepoName(remote string) string {
	s := strings.TrimSpace(remote)
	if i := strings.Index(s, "://"); i > 0 {
		u, err := url.Parse(s)
		if err != nil {
			return trimRepo(s[i+3:])
		}
		return trimRepo(onHost(u.Hostname(), u.Path))
	}
	// scp's form: [user@]host:path, where no slash stands before the colon.
	if i := strings.IndexByte(s, ':'); i > 0 && !strings.Contains(s[:i], "/") {
		host := s[:i]
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		return trimRepo(onHost(host, s[i+1:]))
	}
	return trimRepo(path.Clean(s))
}

// onHost joins a host and a path. The large hosts take a path in any case, so
// that it says nothing there; elsewhere it may.
func onHost(host, at string) string {
	host, at = strings.ToLower(host), path.Clean("/"+at)
	switch strings.TrimPrefix(host, "ssh.") {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org":
		at = strings.ToLower(at)
	}
	return host + at
}

func trimRepo(s string) string {
	s = strings.TrimRight(s, "/")
	return strings.TrimSuffix(s, ".git")
}

// HexID says whether s is an object's name: 40 (SHA-1) or 64 (SHA-256) lower
// case hex digits.
func HexID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
