package fleet

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"binnacle/model"
)

// object is what a reader found under a name.
type object struct {
	id      string // "" when there is none
	kind    string // commit, tree, blob, tag
	size    int64
	body    []byte // nil when it was larger than asked for
	missing bool
}

// reader is one `git cat-file --batch-command` that answers for as long as an
// operation lasts; so reading hundreds of objects costs one process. It is not
// for two goroutines at once.
type reader struct {
	cmd    *exec.Cmd
	in     *bufio.Writer
	closer io.Closer
	out    *bufio.Reader
	stop   func() bool
}

// readBatch is how many names are asked for before the answers are read: the
// questions must fit the pipe.
const readBatch = 256

func (f *Fleet) openReader(ctx context.Context, gitDir string) (*reader, error) {
	argv := f.argv(child{gitDir: gitDir, args: []string{"cat-file", "--batch-command", "--buffer"}})
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = f.opts.StateDir, closedEnv(f.opts.Environ, nil)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
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
	f.started.Add(1)
	r := &reader{cmd: cmd, in: bufio.NewWriterSize(in, 32<<10), closer: in, out: bufio.NewReaderSize(out, 64<<10)}
	r.stop = context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return r, nil
}

func readError(err error) error {
	return model.Errorf(model.CodeInternal, "the fleet's cache can't be read: %w", err)
}

// close ends the process and waits for it.
func (r *reader) close() {
	r.closer.Close()
	_ = r.cmd.Wait() // it was only read from: how it ends says nothing
	r.stop()
}

// stat names what stands under each name, without bodies. A name may be an
// object's, a ref's, or <commit>:<path>.
func (r *reader) stat(names []string) ([]object, error) { return r.ask("info", names) }

// read returns the bodies of the named objects that have at most most bytes;
// of larger ones only what they are.
func (r *reader) read(names []string, most int64) ([]object, error) {
	found, err := r.stat(names)
	if err != nil {
		return nil, err
	}
	var ids []string
	var at []int
	for i, o := range found {
		if !o.missing && o.size <= most {
			ids, at = append(ids, o.id), append(at, i)
		}
	}
	bodies, err := r.ask("contents", ids)
	if err != nil {
		return nil, err
	}
	for i, o := range bodies {
		found[at[i]] = o
	}
	return found, nil
}

func (r *reader) one(name string, most int64) (object, error) {
	list, err := r.read([]string{name}, most)
	if err != nil {
		return object{}, err
	}
	return list[0], nil
}

func (r *reader) ask(command string, names []string) ([]object, error) {
	out := make([]object, 0, len(names))
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
			o, err := r.answer(command == "contents")
			if err != nil {
				return nil, readError(err)
			}
			out = append(out, o)
		}
		names = names[n:]
	}
	return out, nil
}

func (r *reader) answer(body bool) (object, error) {
	line, err := r.out.ReadString('\n')
	if err != nil {
		return object{}, err
	}
	line = strings.TrimSuffix(line, "\n")
	// The name may hold spaces, so the line is read from its end.
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " ambiguous") {
		return object{missing: true}, nil
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 {
		return object{}, errors.New("git cat-file answered in another form")
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || !model.HexID(fields[0]) {
		return object{}, errors.New("git cat-file answered in another form")
	}
	o := object{id: fields[0], kind: fields[1], size: size}
	if body {
		o.body = make([]byte, size)
		if _, err := io.ReadFull(r.out, o.body); err != nil {
			return object{}, err
		}
		if _, err := r.out.Discard(1); err != nil {
			return object{}, err
		}
	}
	return o, nil
}
