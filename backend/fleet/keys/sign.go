package keys

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// signNamespace is git's own, so that stock git verifies what is signed here.
const signNamespace = "git"

// Own is the agent that signs here, and where its key is.
type Own struct {
	Agent    string        // the registry's name; "" signs nothing
	Machine  string        // this machine's, which makes the commits of no agent
	KeyFile  string        // the private key, or a .pub whose key ssh-agent holds; "": the one that NewKey makes
	StateDir string        // the user's state folder
	Socket   string        // ssh-agent's
	Timeout  time.Duration // of ssh-agent
}

// Signer finds the agent's key: nil when no agent is configured.
func (o Own) Signer() (ssh.Signer, func(), error) {
	none := func() {}
	if o.Agent == "" {
		return nil, none, nil
	}
	path := o.File()
	raw, err := os.ReadFile(path)
	if err != nil {
		e := model.Errorf(model.CodeRefused, "the key of the agent %s can't be read: %w", o.Agent, err)
		return nil, none, e.WithHint("binnacle fleet key add %s makes one", o.Agent)
	}
	if strings.HasSuffix(path, ".pub") {
		return o.agentSigner(raw)
	}
	key, err := ssh.ParsePrivateKey(raw)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, none, model.Errorf(model.CodeRefused, "the key %s has a passphrase, and nobody is asked for it", clean.Line(path)).
			WithHint("add it to ssh-agent and configure its .pub file")
	}
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "the key %s can't be used: %w", clean.Line(path), err)
	}
	return key, none, nil
}

// File is the key's.
func (o Own) File() string {
	if o.KeyFile != "" {
		return o.KeyFile
	}
	return filepath.Join(o.StateDir, "keys", o.Agent)
}

// Committer is who makes the fleet's commits: a machine, not a person.
func (o Own) Committer() string {
	name := cmp.Or(o.Agent, o.Machine)
	return name + " <" + name + "@fleet.invalid>"
}

// agentSigner asks ssh-agent for the private half of a public key.
func (o Own) agentSigner(pub []byte) (ssh.Signer, func(), error) {
	none := func() {}
	want, _, _, _, err := ssh.ParseAuthorizedKey(pub)
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "the public key of the agent can't be read: %w", err)
	}
	conn, err := net.DialTimeout("unix", o.Socket, o.Timeout)
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "ssh-agent does not answer: %w", err).
			WithHint("start ssh-agent, or configure a private key file")
	}
	done := func() { conn.Close() }
	// An agent that says nothing must not hold a push, and the cache's lock, for
	// ever; one that waits for a touch has as long as the remote has.
	if err := conn.SetDeadline(time.Now().Add(o.Timeout)); err != nil {
		done()
		return nil, none, model.Errorf(model.CodeInternal, "ssh-agent can't be asked: %w", err)
	}
	// Without Close the client starts no goroutine of its own.
	keys, err := agent.NewClient(struct{ io.ReadWriter }{conn}).Signers()
	if err != nil {
		done()
		return nil, none, model.Errorf(model.CodeRefused, "ssh-agent does not answer: %w", err)
	}
	for _, k := range keys {
		if bytes.Equal(k.PublicKey().Marshal(), want.Marshal()) {
			return k, done, nil
		}
	}
	done()
	return nil, none, model.Errorf(model.CodeRefused, "ssh-agent does not hold the agent's key").
		WithHint("ssh-add it")
}

// SignCommit signs a commit's body as `git commit -S` does with an SSH key.
func SignCommit(body []byte, o git.Format, key ssh.Signer) ([]byte, error) {
	sig, err := sshsig.Sign(bytes.NewReader(body), key, sshsig.HashSHA512, signNamespace)
	if err != nil {
		return nil, model.Errorf(model.CodeRefused, "the summary can't be signed: %w", err)
	}
	// An agent may answer anything. What others would refuse is not published.
	if err := sshsig.Verify(bytes.NewReader(body), sig, key.PublicKey(), sig.HashAlgorithm, signNamespace); err != nil {
		return nil, model.Errorf(model.CodeRefused, "the summary can't be signed: the signature that came back does not fit: %w", err)
	}
	return git.WithSignature(body, o, sshsig.Armor(sig)), nil
}

// New makes an ed25519 key for an agent in the user's state folder, unless
// there is one, and returns its public line for the registry.
func New(stateDir, agentName string) (string, error) {
	if err := fleetmap.CheckMachine(agentName); err != nil {
		return "", err
	}
	dir := filepath.Join(stateDir, "keys")
	if err := statefile.MakeDir(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, agentName)
	if !statefile.Exists(path) {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return "", err
		}
		block, err := ssh.MarshalPrivateKey(private, agentName)
		if err != nil {
			return "", err
		}
		if err := statefile.CreateOnce(path, string(pem.EncodeToMemory(block))); err != nil {
			return "", err
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", statefile.Error(err)
	}
	key, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		return "", model.Errorf(model.CodeRefused, "the key %s can't be used: %w", clean.Line(path), err)
	}
	return PublicLine(key.PublicKey()), nil
}

// PublicLine is a key as a .pub file and the registry have it, without a comment.
func PublicLine(k ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k)))
}

// FileCommit is a commit of one file, as the fleet's refs have it.
type FileCommit struct {
	Name    string // the file's
	Content []byte
	Parent  string // "" for none
	Message string
	At      model.Time
	Durable bool // else a power cut may undo it
}

// Commit writes the commit's objects into a repository, signed where an agent
// is configured, and names them: blob, tree, commit.
func (o Own) Commit(b git.Bare, c FileCommit) (ids [3]string, signed bool, err error) {
	key, done, err := o.Signer()
	if err != nil {
		return ids, false, err
	}
	defer done()
	if ids[0], err = b.Put("blob", c.Content, c.Durable); err != nil {
		return ids, false, err
	}
	if ids[1], err = b.Put("tree", git.OneFileTree(c.Name, ids[0]), c.Durable); err != nil {
		return ids, false, err
	}
	var parents []string
	if c.Parent != "" {
		parents = []string{c.Parent}
	}
	body := git.CommitBody(ids[1], parents, o.Committer(), c.At, c.Message)
	if key != nil {
		if body, err = SignCommit(body, b.Format(), key); err != nil {
			return ids, false, err
		}
	}
	ids[2], err = b.Put("commit", body, c.Durable)
	return ids, key != nil, err
}
