package fleet

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"binnacle/model"

	"golang.org/x/sys/unix"
)

// SpoolName is the file beside the database into which hooks write.
const SpoolName = "hooks.spool"

const (
	// maxSpool bounds a spool that nobody takes in, in bytes: later reports are
	// counted as not kept.
	maxSpool = 64 << 20
	// maxSpoolLine bounds one report in it.
	maxSpoolLine = 256 << 10
	// spoolHead is the length of its first line, which holds its name and how
	// many reports could not be kept: of a fixed length, so that counting needs
	// no room on the disk.
	spoolHead = 64
)

// spooled is one line of the spool: a report, with all that its hook found out,
// so that whoever takes it in needs neither the agent's folder nor its
// processes.
type spooled struct {
	Report  model.Report  `json:"report"`
	About   model.Session `json:"about"`
	At      model.Reading `json:"at"`
	PID     int           `json:"pid"`
	Started int64         `json:"start"`
	Space   string        `json:"space"`
	Place   model.Place   `json:"place"`
}

// errNotKept says that a spool has no room for a report.
var errNotKept = model.Errorf(model.CodeNoSpace, "the report is not kept: %d MiB of reports wait already", maxSpool>>20).
	WithHint("binnacle status takes them in")

// openSpool opens the spool with its lock held; it is made where it is missing.
// Whoever takes a spool in removes it under the same lock, so one that is gone
// from its place is opened again.
func openSpool(path string, create bool) (*os.File, error) {
	flags := os.O_RDWR | syscall.O_NOFOLLOW
	if create {
		flags |= os.O_CREATE
	}
	for {
		f, err := os.OpenFile(path, flags, 0o600)
		if err != nil {
			return nil, err
		}
		for {
			if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		here, err := f.Stat()
		there, err2 := os.Lstat(path)
		if err == nil && err2 == nil && os.SameFile(here, there) {
			return f, nil
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
		if err2 != nil && (!errors.Is(err2, os.ErrNotExist) || !create) {
			return nil, err2
		}
	}
}

func spoolHeadLine(name string, lost int64) []byte {
	line := fmt.Sprintf("%s %d", name, lost)
	return fmt.Appendf(nil, "%-*s\n", spoolHead-1, line)
}

// readSpoolHead tells a spool's name and count; ok is false where the first
// line is not whole.
func readSpoolHead(f *os.File) (name string, lost int64, ok bool) {
	head := make([]byte, spoolHead)
	if _, err := f.ReadAt(head, 0); err != nil || head[spoolHead-1] != '\n' {
		return "", 0, false
	}
	words := bytes.Fields(head)
	if len(words) != 2 || len(words[0]) != 32 {
		return "", 0, false
	}
	lost, err := strconv.ParseInt(string(words[1]), 10, 64)
	return string(words[0]), lost, err == nil && lost >= 0
}

// appendSpool adds lines to the spool, whole or not at all. It waits for nothing but
// other appends, and for no disk.
func appendSpool(path string, lines []byte) error {
	f, err := openSpool(path, true)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	name, lost, ok := readSpoolHead(f)
	if !ok {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return err
		}
		name, lost, size = hex.EncodeToString(random), 0, spoolHead
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.WriteAt(spoolHeadLine(name, 0), 0); err != nil {
			_ = f.Truncate(0)
			return err
		}
	}
	if size+int64(len(lines)) > maxSpool {
		err = errNotKept
	} else {
		// A hook that was killed in its write left half a line.
		end := []byte{'\n'}
		if _, e := f.ReadAt(end, size-1); e == nil && end[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
		if _, err = f.WriteAt(lines, size); err != nil {
			_ = f.Truncate(size)
		}
	}
	if err != nil {
		_, _ = f.WriteAt(spoolHeadLine(name, lost+1), 0)
	}
	return err
}

// spool keeps a report: in the workspace, else in the user's state folder.
func (f *Fleet) spool(line spooled) error {
	raw, err := json.Marshal(line)
	if err == nil && len(raw) > maxSpoolLine {
		line.Report.Writes, line.Report.Paths, line.Report.Members = nil, nil, nil
		raw, err = json.Marshal(line)
	}
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	for _, path := range f.spools() {
		if err = appendSpool(path, raw); err == nil || errors.Is(err, errNotKept) {
			return err
		}
	}
	return model.Errorf(model.CodeNoSpace, "the report can't be kept: %w", err)
}

// spools are the places in which reports wait.
func (f *Fleet) spools() []string {
	var out []string
	if f.opts.Spool != "" {
		out = append(out, f.opts.Spool)
	}
	return append(out, filepath.Join(f.dir, SpoolName))
}

// spoolPart is what was read of a spool.
type spoolPart struct {
	name string
	lost int64
	from int64
	to   int64 // behind the last whole line
	text []byte
}

// spoolChunk bounds what is taken in by one transaction, in bytes: so much that
// one report of any length fits, and so little that a hook which has only a
// moment gets some of many in.
const spoolChunk = 64 << 10

// readSpool reads whole lines from an offset on. It takes no lock: what is
// written stays as it is until it was taken in.
func readSpool(path string, mark func(name string) int64) (spoolPart, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return spoolPart{}, err
	}
	defer f.Close()
	var p spoolPart
	var ok bool
	if p.name, p.lost, ok = readSpoolHead(f); !ok {
		return spoolPart{}, nil
	}
	p.from = max(mark(p.name), spoolHead)
	p.text, err = io.ReadAll(io.NewSectionReader(f, p.from, spoolChunk+maxSpoolLine))
	if err != nil {
		return spoolPart{}, err
	}
	whole := bytes.LastIndexByte(p.text, '\n') + 1
	if whole == 0 && len(p.text) == spoolChunk+maxSpoolLine {
		whole = len(p.text) // no hook wrote a line of that length
	}
	if first := bytes.IndexByte(p.text, '\n') + 1; whole > spoolChunk {
		whole = max(first, bytes.LastIndexByte(p.text[:spoolChunk], '\n')+1)
	}
	p.text = p.text[:whole]
	p.to = p.from + int64(len(p.text))
	return p, nil
}

// removeSpool takes a spool away that was taken in whole.
func removeSpool(path string, p spoolPart) error {
	f, err := openSpool(path, false)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	name, lost, ok := readSpoolHead(f)
	if err != nil || !ok || name != p.name || lost != p.lost || info.Size() > p.to {
		return err // something came in the meantime
	}
	return os.Remove(path)
}
