package keys

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"

	"golang.org/x/crypto/ssh"
)

// Key is one line of the registry.
type Key struct {
	Agent       string `json:"agent"`
	Fingerprint string `json:"fingerprint"`
	Line        string `json:"line"`
}

// Registry compares the key registry of the work tree with the one that
// counts, at trunk's fetched tip.
type Registry struct {
	Path   string `json:"path"`
	Trunk  []Key  `json:"trunk"` // what counts
	Here   []Key  `json:"here"`  // what the work tree has
	Fault  string `json:"fault,omitempty"`
	Landed bool   `json:"landed"` // both are the same
}

// Compare reads the work tree's registry, a file, and compares it with
// trunk's.
func Compare(path string, trunk *Signers, o git.Format) Registry {
	out := Registry{Path: path, Trunk: keysOf(trunk), Here: []Key{}}
	if trunk.Err != nil {
		out.Fault = trunk.Err.Error()
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		out.Landed = trunk.absent()
		return out
	}
	here := ParseRegistry(git.SHA1.ObjectID("blob", raw), raw)
	out.Here = keysOf(here)
	if here.Err != nil && out.Fault == "" {
		out.Fault = here.Err.Error()
	}
	out.Landed = o.ObjectID("blob", raw) == trunk.ID
	return out
}

func keysOf(r *Signers) []Key {
	out := []Key{}
	for _, k := range r.keys {
		out = append(out, Key{k.agent, ssh.FingerprintSHA256(k.key), PublicLine(k.key)})
	}
	return out
}

// Add puts an agent's public key (a line as in a .pub file) into the work
// tree's registry, a file; without a key it makes one in the state folder.
func Add(path, stateDir, agentName, public string) (Key, error) {
	if err := fleetmap.CheckMachine(agentName); err != nil {
		return Key{}, err
	}
	if public == "" {
		var err error
		if public, err = New(stateDir, agentName); err != nil {
			return Key{}, err
		}
	}
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(public))
	if err != nil || len(options) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return Key{}, model.Errorf(model.CodeUsage, "that is not one public key").
			WithHint("pass the line of a .pub file: ssh-ed25519 AAAA… comment")
	}
	k := Key{agentName, ssh.FingerprintSHA256(key), PublicLine(key)}
	return k, editRegistry(path, func(lines []string) ([]string, error) {
		for _, l := range lines {
			if sameKey(l, k) {
				return lines, nil
			}
		}
		return append(lines, agentName+` namespaces="git" `+k.Line), nil
	})
}

// Remove takes an agent's keys out of the work tree's registry, a file: all
// of them, or the one with the fingerprint. It says how many.
func Remove(path, agentName, fingerprint string) (int, error) {
	removed := 0
	err := editRegistry(path, func(lines []string) ([]string, error) {
		kept := lines[:0:0]
		removed = 0
		for _, l := range lines {
			if k, ok := lineKey(l); ok && k.Agent == agentName && (fingerprint == "" || k.Fingerprint == fingerprint) {
				removed++
				continue
			}
			kept = append(kept, l)
		}
		if removed == 0 {
			return nil, model.Errorf(model.CodeNotFound, "the registry has no such key of %s", clean.Line(agentName))
		}
		return kept, nil
	})
	return removed, err
}

// lineKey reads a line that names one agent.
func lineKey(line string) (Key, bool) {
	r := ParseRegistry("", []byte(line))
	if len(r.keys) != 1 {
		return Key{}, false
	}
	return keysOf(r)[0], true
}

func sameKey(line string, k Key) bool {
	got, ok := lineKey(line)
	return ok && got == k
}

func editRegistry(path string, edit func([]string) ([]string, error)) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return model.Errorf(model.CodeRefused, "%s is not a regular file", RegistryPath)
	}
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return statefile.Error(err)
	}
	var lines []string
	if text := strings.TrimRight(string(raw), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	if lines, err = edit(lines); err != nil {
		return err
	}
	text := strings.Join(lines, "\n")
	if text != "" {
		text += "\n"
	}
	if text == string(raw) {
		return nil
	}
	// The user's own tree: folders and file with the usual modes.
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return statefile.Error(err)
	}
	return statefile.Write(path, []byte(text), 0o644)
}
