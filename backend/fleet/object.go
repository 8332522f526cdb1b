package fleet

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git's own name for an object
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"binnacle/model"
)

// format is a repository's object format.
type format string

const (
	formatSHA1   format = "sha1"
	formatSHA256 format = "sha256"
)

func (o format) hash() hash.Hash {
	if o == formatSHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // see above
}

func (o format) size() int {
	if o == formatSHA256 {
		return 32
	}
	return 20
}

// formatOf tells the format by an object's name.
func formatOf(id string) format {
	if len(id) == 64 {
		return formatSHA256
	}
	return formatSHA1
}

// objectID names the object as git would.
func (o format) objectID(kind string, body []byte) string {
	h := o.hash()
	h.Write([]byte(kind + " " + strconv.Itoa(len(body)) + "\x00"))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// storeObject writes a loose object into the repository and names it. It is
// durable when the call returns.
func storeObject(gitDir string, o format, kind string, body []byte) (string, error) {
	return putObject(gitDir, o, kind, body, true)
}

// putObject is storeObject for objects that may be lost: a summary that was
// sent is known by its name alone, and one that was not is made anew.
func putObject(gitDir string, o format, kind string, body []byte, durable bool) (string, error) {
	id := o.objectID(kind, body)
	path := loosePath(gitDir, id)
	if exists(path) {
		return id, nil
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	// A bytes.Buffer takes all that is written to it.
	_, _ = z.Write([]byte(kind + " " + strconv.Itoa(len(body)) + "\x00"))
	_, _ = z.Write(body)
	_ = z.Close()
	if err := makeDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	return id, replaceFile(path, b.Bytes(), 0o400, durable)
}

func loosePath(gitDir, id string) string { return filepath.Join(gitDir, "objects", id[:2], id[2:]) }

// oneFileTree is the body of a tree with one plain file.
func oneFileTree(name, blob string) []byte {
	raw, _ := hex.DecodeString(blob) // our own digits
	return append([]byte("100644 "+name+"\x00"), raw...)
}

// commitBody writes a commit without a signature. who is "Name <mail>".
func commitBody(tree string, parents []string, who string, at model.Time, message string) []byte {
	stamp := who + " " + strconv.FormatInt(int64(at)/1e6, 10) + " +0000\n"
	var b bytes.Buffer
	b.WriteString("tree " + tree + "\n")
	for _, p := range parents {
		b.WriteString("parent " + p + "\n")
	}
	b.WriteString("author " + stamp + "committer " + stamp + "\n" + message + "\n")
	return b.Bytes()
}

// withSignature puts an armored signature into a commit's header.
func withSignature(body []byte, o format, armored []byte) []byte {
	header := "gpgsig "
	if o == formatSHA256 {
		header = "gpgsig-sha256 "
	}
	end := bytes.Index(body, []byte("\n\n"))
	var b bytes.Buffer
	b.Write(body[:end+1])
	b.WriteString(header + strings.ReplaceAll(strings.TrimRight(string(armored), "\n"), "\n", "\n ") + "\n")
	b.Write(body[end+1:])
	return b.Bytes()
}

// makeBare makes an empty bare repository of ours; no template, no hooks. It
// is the same as `git init --bare` writes, without its process.
func makeBare(dir string, o format) error {
	if exists(filepath.Join(dir, "HEAD")) {
		return nil
	}
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := makeDir(filepath.Join(dir, d)); err != nil {
			return err
		}
	}
	if err := writeBareConfig(dir, o); err != nil {
		return err
	}
	// HEAD last: without it git takes the folder for no repository.
	return writeFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600)
}

// writeBareConfig sets the repository's configuration back to ours. A filtered
// fetch leaves a section there that would make reading a missing object fetch
// it.
func writeBareConfig(dir string, o format) error {
	text := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tlogallrefupdates = false\n"
	if o == formatSHA256 {
		text = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tlogallrefupdates = false\n[extensions]\n\tobjectformat = sha256\n"
	}
	path := filepath.Join(dir, "config")
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	return writeFile(path, []byte(text), 0o600)
}
