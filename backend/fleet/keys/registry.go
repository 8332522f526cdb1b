package keys

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// RegistryPath is where the fleet's keys stand on trunk, in OpenSSH's
// allowed_signers form.
const RegistryPath = ".bay/keys/allowed_signers"

const maxRegistryBytes = 1 << 20

// Signers says whose key may sign for which agent.
type Signers struct {
	ID   string // the blob's name, "none" when trunk has no registry; part of a verdict's cache key
	keys []registryKey
	Err  error // why it can't be read: then no remote session is listed
	// passing says that it may be readable the next time, on the same trunk.
	Passing bool
}

type registryKey struct {
	agent  string
	key    ssh.PublicKey
	after  time.Time // zero: no bound
	before time.Time
	line   int
}

// noRegistry is trunk without one.
func noRegistry() *Signers { return &Signers{ID: "none"} }

// Version names the registry as it counts at an instant: its bytes, and how
// many of its dates have passed. A verdict holds for as long as it is the same.
func (r *Signers) Version(now model.Time) string {
	passed, at := 0, now.Std()
	for _, k := range r.keys {
		for _, date := range []time.Time{k.after, k.before} {
			if !date.IsZero() && !at.Before(date) {
				passed++
			}
		}
	}
	return r.ID + " " + strconv.Itoa(passed)
}

func (r *Signers) absent() bool { return r.ID == "none" && r.Err == nil }

// ParseRegistry reads allowed_signers. It is stricter than ssh-keygen: a line
// that can't be read makes the whole registry unreadable, for it may be the one
// that took a key away. Names are compared whole: a pattern would let one key
// sign for agents that are not its own, so it is a fault, as certificate
// authorities are.
func ParseRegistry(id string, text []byte) *Signers {
	r := &Signers{ID: id}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		names, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(rest)))
		if err != nil {
			return r.bad(n+1, "has no key that can be read")
		}
		k := registryKey{key: key, line: n + 1}
		use, why := k.options(options)
		if why != "" {
			return r.bad(n+1, why)
		}
		for _, name := range strings.Split(strings.Trim(names, `"`), ",") {
			if fleetmap.CheckMachine(name) != nil {
				return r.bad(n+1, "names an agent by something other than a plain name")
			}
			if k.agent = name; use {
				r.keys = append(r.keys, k)
			}
		}
	}
	return r
}

func (r *Signers) bad(line int, why string) *Signers {
	r.keys = nil
	r.Err = model.Errorf(model.CodeRegistry, "line %d of the key registry %s", line, why).
		WithHint("repair %s on trunk", RegistryPath)
	return r
}

// options applies a line's options. use is false for a key that is for
// something else than Git.
func (k *registryKey) options(list []string) (use bool, why string) {
	use = true
	for _, o := range list {
		name, value, _ := strings.Cut(o, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			use = false
			for _, p := range strings.Split(value, ",") {
				if ok, err := path.Match(p, signNamespace); err == nil && ok {
					use = true
				}
			}
		case "valid-after":
			t, err := signersTime(value)
			if err != nil {
				return false, "has a date that can't be read"
			}
			k.after = t
		case "valid-before":
			t, err := signersTime(value)
			if err != nil {
				return false, "has a date that can't be read"
			}
			k.before = t
		default:
			return false, "has an option that is not understood"
		}
	}
	return use, ""
}

// signersTime reads ssh-keygen's YYYYMMDD[HHMM[SS]], with Z for UTC.
func signersTime(s string) (time.Time, error) {
	zone := time.Local
	if t, ok := strings.CutSuffix(s, "Z"); ok {
		s, zone = t, time.UTC
	}
	layout := "20060102150405"
	if len(s) > len(layout) {
		s += "?" // is no date of any form
	}
	return time.ParseInLocation(layout[:min(len(s), len(layout))], s, zone)
}

// verify says whether the commit's body is signed by a key that the registry
// holds for that agent now.
func (r *Signers) verify(agent string, body, armored []byte, now model.Time) (model.Code, string) {
	if len(armored) == 0 {
		return model.CodeUnsigned, "the summary is not signed, and trunk has a key registry"
	}
	sig, err := sshsig.Unarmor(armored)
	if err != nil {
		return model.CodeBadSig, "the signature is not an SSH signature that can be read"
	}
	at := now.Std()
	for _, k := range r.keys {
		if k.agent != agent || !bytes.Equal(k.key.Marshal(), sig.PublicKey.Marshal()) ||
			!k.after.IsZero() && at.Before(k.after) || !k.before.IsZero() && !at.Before(k.before) {
			continue
		}
		if err := sshsig.Verify(bytes.NewReader(body), sig, k.key, sig.HashAlgorithm, signNamespace); err != nil {
			return model.CodeBadSig, "the signature does not fit the summary"
		}
		return "", ""
	}
	return model.CodeWrongKey, "it is signed by a key that the registry does not hold for the agent " + clean.Line(agent)
}
