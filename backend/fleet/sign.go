package fleet

import (
	"bytes"
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

	"binnacle/model"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// signNamespace is git's own, so that stock git verifies what is signed here.
const signNamespace = "git"

// signer finds the agent's key: nil when no agent is configured.
func (f *Fleet) signer() (ssh.Signer, func(), error) {
	none := func() {}
	if f.opts.Agent == "" {
		return nil, none, nil
	}
	path := f.keyFile()
	raw, err := os.ReadFile(path)
	if err != nil {
		e := model.Errorf(model.CodeRefused, "the key of the agent %s can't be read: %w", f.opts.Agent, err)
		return nil, none, e.WithHint("binnacle fleet key add %s makes one", f.opts.Agent)
	}
	if strings.HasSuffix(path, ".pub") {
		return f.agentSigner(raw)
	}
	key, err := ssh.ParsePrivateKey(raw)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, none, model.Errorf(model.CodeRefused, "the key %s has a passphrase, and nobody is asked for it", model.Clean(path)).
			WithHint("add it to ssh-agent and configure its .pub file")
	}
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "the key %s can't be used: %w", model.Clean(path), err)
	}
	return key, none, nil
}

func (f *Fleet) keyFile() string {
	if f.opts.KeyFile != "" {
		return f.opts.KeyFile
	}
	return filepath.Join(f.opts.StateDir, "keys", f.opts.Agent)
}

// agentSigner asks ssh-agent for the private half of a public key.
func (f *Fleet) agentSigner(pub []byte) (ssh.Signer, func(), error) {
	none := func() {}
	want, _, _, _, err := ssh.ParseAuthorizedKey(pub)
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "the public key of the agent can't be read: %w", err)
	}
	conn, err := net.DialTimeout("unix", f.variable("SSH_AUTH_SOCK"), f.opts.ChildTimeout)
	if err != nil {
		return nil, none, model.Errorf(model.CodeRefused, "ssh-agent does not answer: %w", err).
			WithHint("start ssh-agent, or configure a private key file")
	}
	done := func() { conn.Close() }
	// An agent that says nothing must not hold a push, and the cache's lock, for
	// ever; one that waits for a touch has as long as the remote has.
	if err := conn.SetDeadline(time.Now().Add(f.opts.ChildTimeout)); err != nil {
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

// signCommit signs a commit's body as `git commit -S` does with an SSH key.
func signCommit(body []byte, o format, key ssh.Signer) ([]byte, error) {
	sig, err := sshsig.Sign(bytes.NewReader(body), key, sshsig.HashSHA512, signNamespace)
	if err != nil {
		return nil, model.Errorf(model.CodeRefused, "the summary can't be signed: %w", err)
	}
	// An agent may answer anything. What others would refuse is not published.
	if err := sshsig.Verify(bytes.NewReader(body), sig, key.PublicKey(), sig.HashAlgorithm, signNamespace); err != nil {
		return nil, model.Errorf(model.CodeRefused, "the summary can't be signed: the signature that came back does not fit: %w", err)
	}
	return withSignature(body, o, sshsig.Armor(sig)), nil
}

// KeyNew makes an ed25519 key for an agent in the user's state folder, unless
// there is one, and returns its public line for the registry.
func (f *Fleet) KeyNew(agentName string) (string, error) {
	if err := model.CheckMachine(agentName); err != nil {
		return "", err
	}
	dir := filepath.Join(f.opts.StateDir, "keys")
	if err := makeDir(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, agentName)
	if !exists(path) {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return "", err
		}
		block, err := ssh.MarshalPrivateKey(private, agentName)
		if err != nil {
			return "", err
		}
		if err := createOnce(path, string(pem.EncodeToMemory(block))); err != nil {
			return "", err
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", folderError(err)
	}
	key, err := ssh.ParsePrivateKey(raw)
	if err != nil {
		return "", model.Errorf(model.CodeRefused, "the key %s can't be used: %w", model.Clean(path), err)
	}
	return publicLine(key.PublicKey()), nil
}

func publicLine(k ssh.PublicKey) string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k)))
}
