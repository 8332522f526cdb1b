package hooks

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"

	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"

	"golang.org/x/sys/unix"
)

// SpoolName is the file beside the database into which hooks write.
const SpoolName = "hooks.spool"

const (
	// MaxSpool bounds a spool that nobody takes in, in bytes: later reports are
	// counted as not kept.
	MaxSpool = 64 << 20
	// maxSpoolLine bounds one report in it.
	maxSpoolLine = 256 << 10
	// SpoolHead is the length of its first line, which holds its name and how
	// many reports could not be kept: of a fixed length, so that counting needs
	// no room on the disk.
	SpoolHead = 64
)

// Spooled is one line of the spool: a report, with all that its hook found out,
// so that whoever takes it in needs neither the agent's folder nor its
// processes.
type Spooled struct {
	Report  session.Report  `json:"report"`
	About   session.Session `json:"about"`
	At      model.Reading   `json:"at"`
	PID     int             `json:"pid"`
	Started int64           `json:"start"`
	Space   string          `json:"space"`
	Place   session.Place   `json:"place"`
}

// ErrNotKept says that a spool has no room for a report.
var ErrNotKept = model.Errorf(model.CodeNoSpace, "the report was dropped: %d MiB of reports are waiting already", MaxSpool>>20).
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
	return fmt.Appendf(nil, "%-*s\n", SpoolHead-1, line)
}

// ReadSpoolHead tells a spool's name and count; ok is false where the first
// line is not whole.
func ReadSpoolHead(f *os.File) (name string, lost int64, ok bool) {
	head := make([]byte, SpoolHead)
	if _, err := f.ReadAt(head, 0); err != nil || head[SpoolHead-1] != '\n' {
		return "", 0, false
	}
	words := bytes.Fields(head)
	if len(words) != 2 || len(words[0]) != 32 {
		return "", 0, false
	}
	lost, err := strconv.ParseInt(string(words[1]), 10, 64)
	return string(words[0]), lost, err == nil && lost >= 0
}

// AppendSpool adds lines to the spool, whole or not at all. It waits for nothing but
// other appends, and for no disk.
func AppendSpool(path string, lines []byte) error {
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
	name, lost, ok := ReadSpoolHead(f)
	if !ok {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return err
		}
		name, lost, size = hex.EncodeToString(random), 0, SpoolHead
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.WriteAt(spoolHeadLine(name, 0), 0); err != nil {
			_ = f.Truncate(0)
			return err
		}
	}
	if size+int64(len(lines)) > MaxSpool {
		err = ErrNotKept
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

// Spools are the places in which reports wait, the best first.
type Spools []string

// Keep writes a report into the first of them that takes it.
func (s Spools) Keep(line Spooled) error {
	raw, err := json.Marshal(line)
	if err == nil && len(raw) > maxSpoolLine {
		line.Report.Writes, line.Report.Paths, line.Report.Members = nil, nil, nil
		raw, err = json.Marshal(line)
	}
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	for _, path := range s {
		if err = AppendSpool(path, raw); err == nil || errors.Is(err, ErrNotKept) {
			return err
		}
	}
	return model.Errorf(model.CodeNoSpace, "the report can't be saved: %w", err)
}

// SpoolPart is what was read of a spool.
type SpoolPart struct {
	Name string
	Lost int64
	From int64
	To   int64 // behind the last whole line
	Text []byte
}

// spoolChunk bounds what is taken in by one transaction, in bytes: so much that
// one report of any length fits, and so little that a hook which has only a
// moment gets some of many in.
const spoolChunk = 64 << 10

// ReadSpool reads whole lines from an offset on. It takes no lock: what is
// written stays as it is until it was taken in.
func ReadSpool(path string, mark func(name string) int64) (SpoolPart, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return SpoolPart{}, err
	}
	defer f.Close()
	var p SpoolPart
	var ok bool
	if p.Name, p.Lost, ok = ReadSpoolHead(f); !ok {
		return SpoolPart{}, nil
	}
	p.From = max(mark(p.Name), SpoolHead)
	p.Text, err = io.ReadAll(io.NewSectionReader(f, p.From, spoolChunk+maxSpoolLine))
	if err != nil {
		return SpoolPart{}, err
	}
	whole := bytes.LastIndexByte(p.Text, '\n') + 1
	if whole == 0 && len(p.Text) == spoolChunk+maxSpoolLine {
		whole = len(p.Text) // no hook wrote a line of that length
	}
	if first := bytes.IndexByte(p.Text, '\n') + 1; whole > spoolChunk {
		whole = max(first, bytes.LastIndexByte(p.Text[:spoolChunk], '\n')+1)
	}
	p.Text = p.Text[:whole]
	p.To = p.From + int64(len(p.Text))
	return p, nil
}

// RemoveSpool takes a spool away that was taken in whole.
func RemoveSpool(path string, p SpoolPart) error {
	f, err := openSpool(path, false)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	name, lost, ok := ReadSpoolHead(f)
	if err != nil || !ok || name != p.Name || lost != p.Lost || info.Size() > p.To {
		return err // something came in the meantime
	}
	return os.Remove(path)
}

// Valid says whether the line is one that may stand in the ledger: a spool is a
// file that anybody with the folder can write.
func (s *Spooled) Valid() bool {
	known := false
	for _, t := range Tools() {
		known = known || t == s.Report.Tool
	}
	r := &s.Report
	return known && r.Session != "" && sessionID(r.Session) == r.Session && sessionID(r.Parent) == r.Parent &&
		s.About.Tool == r.Tool && s.About.ID == r.Session && fleetmap.CheckMachine(s.About.Machine) == nil && len(r.Event) <= 128
}
