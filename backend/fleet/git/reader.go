package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"syscall"

	"binnacle/model"
	"binnacle/model/fleetmap"
)

// Object is what a reader found under a name.
type Object struct {
	ID      string // "" when there is none
	Kind    string // commit, tree, blob, tag
	size    int64
	Body    []byte // nil when it was larger than asked for
	Missing bool
}

// Reader is one `git cat-file --batch-command` that answers for as long as an
// operation lasts; so reading hundreds of objects costs one process. It is not
// for two goroutines at once.
type Reader struct {
	cmd    *exec.Cmd
	in     *bufio.Writer
	closer io.Closer
	out    *bufio.Reader
	stop   func() bool
}

// readBatch is how many names are asked for before the answers are read: the
// questions must fit the pipe.
const readBatch = 256

// Open starts a reader; it is to be closed.
func (b Bare) Open(ctx context.Context) (*Reader, error) {
	in := b.Remote.in
	argv := child{gitDir: b.Dir, args: []string{"cat-file", "--batch-command", "--buffer"}}.argv()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = in.opts.StateDir, closedEnv(in.opts.Environ, nil)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, readError(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, readError(err)
	}
	if err := cmd.Start(); err != nil {
		return nil, readError(err)
	}
	in.started.Add(1)
	r := &Reader{cmd: cmd, in: bufio.NewWriterSize(stdin, 32<<10), closer: stdin, out: bufio.NewReaderSize(out, 64<<10)}
	r.stop = context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return r, nil
}

func readError(err error) error {
	return model.Errorf(model.CodeInternal, "the fleet's cache can't be read: %w", err)
}

// Close ends the process and waits for it.
func (r *Reader) Close() {
	r.closer.Close()
	_ = r.cmd.Wait() // it was only read from: how it ends says nothing
	r.stop()
}

// Stat names what stands under each name, without bodies. A name may be an
// object's, a ref's, or <commit>:<path>.
func (r *Reader) Stat(names []string) ([]Object, error) { return r.ask("info", names, -1) }

// Read returns the named objects, with the bodies of those that have at most
// most bytes. Larger ones are passed over as they come: what a cache holds is
// bounded by what a fetch may bring.
func (r *Reader) Read(names []string, most int64) ([]Object, error) {
	return r.ask("contents", names, most)
}

// One is Read of one name.
func (r *Reader) One(name string, most int64) (Object, error) {
	list, err := r.Read([]string{name}, most)
	if err != nil {
		return Object{}, err
	}
	return list[0], nil
}

func (r *Reader) ask(command string, names []string, most int64) ([]Object, error) {
	out := make([]Object, 0, len(names))
	for len(names) > 0 {
		n := min(len(names), readBatch)
		for _, name := range names[:n] {
			if name == "" || strings.ContainsAny(name, "\n\x00") {
				name = "0000000000000000000000000000000000000000" // is never there
			}
			r.in.WriteString(command + " " + name + "\n") // a failure shows at Flush
		}
		r.in.WriteString("flush\n")
		if err := r.in.Flush(); err != nil {
			return nil, readError(err)
		}
		for range n {
			o, err := r.answer(command == "contents", most)
			if err != nil {
				return nil, readError(err)
			}
			out = append(out, o)
		}
		names = names[n:]
	}
	return out, nil
}

func (r *Reader) answer(body bool, most int64) (Object, error) {
	line, err := r.out.ReadString('\n')
	if err != nil {
		return Object{}, err
	}
	line = strings.TrimSuffix(line, "\n")
	// The name may hold spaces, so the line is read from its end.
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " ambiguous") {
		return Object{Missing: true}, nil
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 {
		return Object{}, errors.New("git cat-file answered in another form")
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || !fleetmap.HexID(fields[0]) {
		return Object{}, errors.New("git cat-file answered in another form")
	}
	o := Object{ID: fields[0], Kind: fields[1], size: size}
	if body {
		if size <= most {
			o.Body = make([]byte, size)
			_, err = io.ReadFull(r.out, o.Body)
		} else {
			_, err = io.CopyN(io.Discard, r.out, size)
		}
		if err != nil {
			return Object{}, err
		}
		if _, err := r.out.Discard(1); err != nil {
			return Object{}, err
		}
	}
	return o, nil
}

// Entry is one name in a tree.
type Entry struct{ Mode, ID string }

// ErrNoCommit says that the cache does not hold the commit that was named.
var ErrNoCommit = errors.New("the commit is not in the cache")

// Entry finds a path in a commit's tree without needing the file itself: the
// zero entry when nothing is there.
func (r *Reader) Entry(commit, name string) (Entry, error) {
	root, err := r.Stat([]string{commit + "^{tree}"})
	if err != nil {
		return Entry{}, err
	}
	if root[0].Missing {
		return Entry{}, ErrNoCommit
	}
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return Entry{Mode: "40000", ID: root[0].ID}, nil
	}
	tree := root[0].ID
	for {
		head, rest, deeper := strings.Cut(name, "/")
		o, err := r.One(tree, 64<<20)
		if err != nil {
			return Entry{}, err
		}
		e := findEntry(o.Body, head, FormatOf(tree))
		if !deeper || e.Mode != "40000" {
			if deeper {
				return Entry{}, nil
			}
			return e, nil
		}
		tree, name = e.ID, rest
	}
}

// findEntry looks a name up in a tree's body.
func findEntry(body []byte, name string, o Format) Entry {
	for len(body) > 0 {
		sp := bytes.IndexByte(body, ' ')
		nul := bytes.IndexByte(body, 0)
		if sp < 0 || nul < sp || len(body) < nul+1+o.Size() {
			return Entry{}
		}
		if string(body[sp+1:nul]) == name {
			return Entry{Mode: string(body[:sp]), ID: hex.EncodeToString(body[nul+1 : nul+1+o.Size()])}
		}
		body = body[nul+1+o.Size():]
	}
	return Entry{}
}
