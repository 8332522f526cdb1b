package fleet

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/model"

	"golang.org/x/crypto/ssh"
)

// badAgent is an ssh-agent on a real socket that answers each request with the
// next of the packets, and then falls silent.
func badAgent(t *testing.T, answers ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", path)
	must(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() { listener.Close(); <-ended })
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serveBadly(conn, answers)
		}
	}()
	return path
}

func serveBadly(conn net.Conn, answers [][]byte) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // also where the client breaks down
	for _, a := range answers {
		var size [4]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(size[:]))); err != nil {
			return
		}
		if _, err := conn.Write(a); err != nil {
			return
		}
	}
	_, _ = io.Copy(io.Discard, conn) // until the client goes away
}

// packet is what an agent says: its length, then its bytes.
func packet(body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// Whatever an agent answers is a refusal: no panic, no waiting for ever.
func TestAHostileAgentIsRefused(t *testing.T) {
	key := newKey(t)
	blob := key.PublicKey().Marshal()
	one := []byte{12, 0, 0, 0, 1} // SSH_AGENT_IDENTITIES_ANSWER with one key
	one = append(binary.BigEndian.AppendUint32(one, uint32(len(blob))), blob...)
	listed := packet(append(one, 0, 0, 0, 0)...)
	for name, answers := range map[string][][]byte{
		"no byte":                         {packet()},
		"one byte for the list":           {packet(12)},
		"a failure":                       {packet(5)},
		"a bare success for the list":     {packet(6)},
		"a list that is cut off":          {packet(12, 0, 0, 0, 9, 0, 0, 0, 255)},
		"a huge length":                   {{0xff, 0xff, 0xff, 0xff}},
		"silence":                         {},
		"one byte for the signature":      {listed, packet(14)},
		"no byte for the signature":       {listed, packet()},
		"a bare success in its place":     {listed, packet(6)},
		"a signature of one byte":         {listed, packet(14, 0, 0, 0, 1, 7)},
		"a signature of nothing":          {listed, packet(14, 0, 0, 0, 0)},
		"a signature that names no bytes": {listed, packet(14, 0, 0, 0, 4, 0, 0, 0, 0)},
		"silence for the signature":       {listed},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pub := filepath.Join(dir, "ci.pub")
			must(t, os.WriteFile(pub, ssh.MarshalAuthorizedKey(key.PublicKey()), 0o600))
			f := &core{opts: Options{
				Agent: "ci", KeyFile: pub, ChildTimeout: 500 * time.Millisecond, Environ: []string{"SSH_AUTH_SOCK=" + badAgent(t, answers...)},
			}}
			signer, done, err := f.own().Signer()
			defer done()
			if err == nil {
				_, err = keys.SignCommit(plainCommit(strings.Repeat("a", 40)), git.SHA1, signer)
			}
			wantCode(t, err, model.CodeRefused)
		})
	}
}
