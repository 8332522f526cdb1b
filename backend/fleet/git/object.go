package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git's own name for an object
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"path/filepath"
	"strconv"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// Format is a repository's object format.
type Format string

// The formats that Git has.
const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

func (o Format) hash() hash.Hash {
	if o == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // see above
}

// Size is the length of an object's name, in bytes.
func (o Format) Size() int {
	if o == SHA256 {
		return 32
	}
	return 20
}

// FormatOf tells the format by an object's name.
func FormatOf(id string) Format {
	if len(id) == 64 {
		return SHA256
	}
	return SHA1
}

// ObjectID names the object as git would.
func (o Format) ObjectID(kind string, body []byte) string {
	h := o.hash()
	h.Write([]byte(kind + " " + strconv.Itoa(len(body)) + "\x00"))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Store writes a loose object into the repository and names it. It is
// durable when the call returns.
func (b Bare) Store(kind string, body []byte) (string, error) {
	return b.Put(kind, body, true)
}

// Put is store for objects that may be lost: a summary that was
// sent is known by its name alone, and one that was not is made anew.
func (b Bare) Put(kind string, body []byte, durable bool) (string, error) {
	id := b.Remote.Format.ObjectID(kind, body)
	path := filepath.Join(b.Dir, "objects", id[:2], id[2:])
	if statefile.Exists(path) {
		return id, nil
	}
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	// A bytes.Buffer takes all that is written to it.
	_, _ = z.Write([]byte(kind + " " + strconv.Itoa(len(body)) + "\x00"))
	_, _ = z.Write(body)
	_ = z.Close()
	if err := statefile.MakeDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	return id, statefile.Replace(path, packed.Bytes(), 0o400, durable)
}

// OneFileTree is the body of a tree with one plain file.
func OneFileTree(name, blob string) []byte {
	raw, _ := hex.DecodeString(blob) // our own digits
	return append([]byte("100644 "+name+"\x00"), raw...)
}

// CommitBody writes a commit without a signature. who is "Name <mail>".
func CommitBody(tree string, parents []string, who string, at model.Time, message string) []byte {
	stamp := who + " " + strconv.FormatInt(int64(at)/1e6, 10) + " +0000\n"
	var b bytes.Buffer
	b.WriteString("tree " + tree + "\n")
	for _, p := range parents {
		b.WriteString("parent " + p + "\n")
	}
	b.WriteString("author " + stamp + "committer " + stamp + "\n" + message + "\n")
	return b.Bytes()
}

// WithSignature puts an armored signature into a commit's header.
func WithSignature(body []byte, o Format, armored []byte) []byte {
	header := "gpgsig "
	if o == SHA256 {
		header = "gpgsig-sha256 "
	}
	end := bytes.Index(body, []byte("\n\n"))
	var b bytes.Buffer
	b.Write(body[:end+1])
	b.WriteString(header + strings.ReplaceAll(strings.TrimRight(string(armored), "\n"), "\n", "\n ") + "\n")
	b.Write(body[end+1:])
	return b.Bytes()
}
