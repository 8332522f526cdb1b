package clean

import (
	"bytes"
	"io"
)

// byteOrderMark is what some editors and shells write before UTF-8 text.
var byteOrderMark = []byte("\xef\xbb\xbf")

// CutBOM returns text without the byte order mark at its beginning, if there is
// one; a second one is text.
func CutBOM(text []byte) []byte { return bytes.TrimPrefix(text, byteOrderMark) }

// WithoutBOM reads r without the byte order mark at its beginning. What follows
// comes as r gives it: nothing is read ahead.
func WithoutBOM(r io.Reader) io.Reader { return &bomReader{r: r} }

// bomReader holds back at most the beginning of what may be a mark.
type bomReader struct {
	r    io.Reader
	head []byte // read, and not handed over
	past bool   // the beginning was looked at
	err  error  // what ended the look
}

func (b *bomReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for !b.past {
		buf := make([]byte, len(byteOrderMark)-len(b.head))
		n, err := b.r.Read(buf)
		b.head = append(b.head, buf[:n]...)
		switch {
		case bytes.Equal(b.head, byteOrderMark):
			b.head, b.past = nil, true
		case err != nil || !bytes.HasPrefix(byteOrderMark, b.head):
			b.past = true
		}
		b.err = err
	}
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	if b.err != nil {
		err := b.err
		b.err = nil // a reader that goes on after an error may
		return 0, err
	}
	return b.r.Read(p)
}
