package hooks

import (
	"bufio"
	"errors"
	"io"

	"binnacle/model"
	"binnacle/model/clean"
)

// Bounds of a hook's input, in bytes. Whatever its size, no more is held.
const (
	maxHookText   = 64 << 10 // of one text: the rest of it is passed over
	maxHookMember = 1 << 20  // of one member at the top: a larger one counts as null
	maxHookWhole  = 4 << 20
	maxHookDepth  = 200
)

// Input reads the JSON objects that a tool passes, one after another, and
// holds no more of them than a report needs: tools pass whole files.
type Input struct {
	in    *bufio.Reader
	lines bool
}

// NewInput reads from r. With lines each object stands on a line of its
// own, so that a line that is none costs only itself.
func NewInput(r io.Reader, lines bool) *Input {
	return &Input{in: bufio.NewReaderSize(clean.WithoutBOM(r), 64<<10), lines: lines}
}

var errNoObject = errors.New("not an object")

// Next returns the next object, as soon as it is whole: it does not wait for
// the input's end. io.EOF is the end. An object that can't be read is of
// CodeInvalid; with lines, the next call goes on behind its line.
func (h *Input) Next() ([]byte, error) {
	c, err := h.space()
	if err != nil {
		return nil, err
	}
	s := objectScan{in: h.in}
	raw, err := s.object(c)
	if err == nil {
		return raw, nil
	}
	if h.lines && s.last != '\n' {
		for {
			c, err := h.in.ReadByte()
			if err != nil || c == '\n' {
				break
			}
		}
	}
	return nil, model.Errorf(model.CodeInvalid, "the hook's input is not a JSON object").WithHint("the tool passes it on stdin")
}

func (h *Input) space() (byte, error) {
	for {
		c, err := h.in.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// objectScan copies one object, cutting long texts. It only finds where the
// object ends; whether it is JSON, its reader will find out.
type objectScan struct {
	in     *bufio.Reader
	out    []byte
	member int // where the value of the member at hand begins, 0 before its colon
	over   bool
	last   byte
}

func (s *objectScan) read() (byte, error) {
	c, err := s.in.ReadByte()
	s.last = c
	return c, err
}

func (s *objectScan) keep(c byte) {
	if s.over {
		return
	}
	s.out = append(s.out, c)
	if s.member > 0 && len(s.out)-s.member > maxHookMember || len(s.out) > maxHookWhole {
		s.over = true
		if s.member > 0 {
			s.out = append(s.out[:s.member], "null"...)
		}
	}
}

func (s *objectScan) object(c byte) ([]byte, error) {
	if c != '{' {
		s.last = c
		return nil, errNoObject
	}
	s.out = append(s.out, c)
	for depth := 1; depth > 0; {
		c, err := s.read()
		if err != nil {
			return nil, errNoObject
		}
		switch {
		case c == '"':
			if err := s.text(); err != nil {
				return nil, err
			}
			continue
		case c == '{' || c == '[':
			if depth++; depth > maxHookDepth {
				return nil, errNoObject
			}
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 || depth == 1 && c == ',' {
			s.over, s.member = false, 0
			if len(s.out) > maxHookWhole {
				return nil, errNoObject
			}
		}
		if c == '\n' || c == '\r' {
			c = ' '
		}
		s.keep(c)
		if depth == 1 && c == ':' {
			s.member = len(s.out)
		}
	}
	return s.out, nil
}

// text copies a text up to its bound, never half of an escape.
func (s *objectScan) text() error {
	s.keep('"')
	for n := 0; ; n++ {
		c, err := s.read()
		if err != nil || c == '\n' {
			return errNoObject
		}
		if c == '"' {
			s.keep(c)
			return nil
		}
		cut := n >= maxHookText
		if !cut {
			s.keep(c)
		}
		if c != '\\' {
			continue
		}
		if c, err = s.read(); err != nil {
			return errNoObject
		}
		if !cut {
			s.keep(c)
		}
		for i := 0; c == 'u' && i < 4; i++ {
			x, err := s.read()
			if err != nil {
				return errNoObject
			}
			if !cut {
				s.keep(x)
			}
		}
	}
}
