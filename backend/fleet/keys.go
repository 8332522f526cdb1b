package fleet

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"binnacle/model"

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

// KeyList reads both registries.
func (f *Fleet) KeyList(ctx context.Context) (Registry, error) {
	v, err := f.look(ctx)
	if err != nil {
		return Registry{}, err
	}
	out := Registry{Path: f.registryFile(), Trunk: keysOf(v.registry), Here: []Key{}}
	if v.registry.err != nil {
		out.Fault = v.registry.err.Error()
	}
	raw, err := os.ReadFile(f.registryFile())
	if err == nil {
		here := parseRegistry(formatSHA1.objectID("blob", raw), raw)
		out.Here = keysOf(here)
		if here.err != nil && out.Fault == "" {
			out.Fault = here.err.Error()
		}
		out.Landed = v.remote.format.objectID("blob", raw) == v.registry.id
	} else {
		out.Landed = v.registry.absent()
	}
	return out, nil
}

func keysOf(r *registry) []Key {
	out := []Key{}
	for _, k := range r.keys {
		out = append(out, Key{k.agent, ssh.FingerprintSHA256(k.key), publicLine(k.key)})
	}
	return out
}

func (f *Fleet) registryFile() string {
	return filepath.Join(f.repo.root, filepath.FromSlash(registryPath))
}

// KeyAdd puts an agent's public key (a line as in a .pub file) into the work
// tree's registry; without a key it makes one in the state folder. The file
// counts once it lands on trunk: committing it is left to the user.
func (f *Fleet) KeyAdd(agentName, public string) (Key, error) {
	if err := model.CheckMachine(agentName); err != nil {
		return Key{}, err
	}
	if public == "" {
		var err error
		if public, err = f.KeyNew(agentName); err != nil {
			return Key{}, err
		}
	}
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(public))
	if err != nil || len(options) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return Key{}, model.Errorf(model.CodeUsage, "that is not one public key").
			WithHint("pass the line of a .pub file: ssh-ed25519 AAAA… comment")
	}
	k := Key{agentName, ssh.FingerprintSHA256(key), publicLine(key)}
	return k, f.editRegistry(func(lines []string) ([]string, error) {
		for _, l := range lines {
			if sameKey(l, k) {
				return lines, nil
			}
		}
		return append(lines, agentName+` namespaces="git" `+k.Line), nil
	})
}

// KeyRemove takes an agent's keys out of the work tree's registry: all of
// them, or the one with the fingerprint.
func (f *Fleet) KeyRemove(agentName, fingerprint string) (int, error) {
	removed := 0
	err := f.editRegistry(func(lines []string) ([]string, error) {
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
			return nil, model.Errorf(model.CodeNotFound, "the registry has no such key of %s", model.Clean(agentName))
		}
		return kept, nil
	})
	return removed, err
}

// lineKey reads a line that names one agent.
func lineKey(line string) (Key, bool) {
	r := parseRegistry("", []byte(line))
	if len(r.keys) != 1 {
		return Key{}, false
	}
	return keysOf(r)[0], true
}

func sameKey(line string, k Key) bool {
	got, ok := lineKey(line)
	return ok && got == k
}

func (f *Fleet) editRegistry(edit func([]string) ([]string, error)) error {
	path := f.registryFile()
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return model.Errorf(model.CodeRefused, "%s is no plain file", registryPath)
	}
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return folderError(err)
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
		return folderError(err)
	}
	return writeFile(path, []byte(text), 0o644)
}
