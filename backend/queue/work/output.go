package work

import (
	"bytes"
	"fmt"
	"io"

	"binnacle/model/redact"
)

// Bounds of a run's output.
const (
	MaxLog   = 8 << 20  // bytes of one log
	tailSize = 32 << 10 // bytes of the end that are kept, whatever the length
	heldSize = 64 << 10 // bytes of a line that are looked at for secrets at once
)

// output takes what a command writes: secrets are replaced line by line, and of
// what is too long the beginning and the end are kept.
type output struct {
	to       io.Writer // the log; what fails there is left out
	redactor *redact.Redactor
	most     int64 // bytes of the log

	held    []byte // not written yet: its line may go on
	tail    []byte // the end of what was written
	written int64  // to the log
	left    int64  // bytes that were left out of the log
	failed  error  // the log's first error
}

func (o *output) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), heldSize)
		o.held = append(o.held, rest[:n]...)
		rest = rest[n:]
		o.pass()
	}
	return len(p), nil
}

// beginKey begins a secret of several lines.
var beginKey, endKey = []byte("-----BEGIN "), []byte("-----END ")

// pass writes the whole lines of what is held. A line that has no end in sight
// is cut, and so is a key.
func (o *output) pass() {
	n := bytes.LastIndexByte(o.held, '\n') + 1
	if key := bytes.LastIndex(o.held[:n], beginKey); key >= 0 && bytes.LastIndex(o.held[:n], endKey) < key {
		n = bytes.LastIndexByte(o.held[:key], '\n') + 1
	}
	if len(o.held)-n > heldSize {
		n = len(o.held)
	}
	o.emit(o.held[:n])
	o.held = append(o.held[:0], o.held[n:]...)
}

func (o *output) emit(p []byte) {
	if len(p) == 0 {
		return
	}
	if text, n := o.redactor.RedactText(string(p)); n > 0 {
		p = []byte(text)
	}
	o.tail = append(o.tail, p...)
	if n := len(o.tail); n > tailSize {
		o.tail = append(o.tail[:0], o.tail[n-tailSize:]...)
	}
	room := o.most - tailSize - 128 - o.written // the end, and the line that says what is left out
	n := int(max(0, min(room, int64(len(p)))))
	if o.left > 0 {
		n = 0 // never with a gap that nobody sees
	}
	o.put(p[:n])
	o.left += int64(len(p) - n)
}

func (o *output) put(p []byte) {
	if len(p) == 0 || o.failed != nil {
		return
	}
	n, err := o.to.Write(p)
	o.written += int64(n)
	o.failed = err
}

// end writes what is held still, and the end of what was too long.
func (o *output) end() {
	o.emit(o.held)
	o.held = nil
	if o.left == 0 {
		return
	}
	last := o.tail[max(0, int64(len(o.tail))-o.left):]
	if left := o.left - int64(len(last)); left > 0 {
		o.put(fmt.Appendf(nil, "\n[%d bytes are left out here]\n", left))
	}
	o.put(last)
}
