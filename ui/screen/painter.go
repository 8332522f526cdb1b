package screen

// Painter turns frames of text into the bytes that show them, one after the
// other on the same terminal. It is not safe for concurrent use.
type Painter struct {
	parser *parser
	differ *differ
	shown  *Grid // what the terminal shows, nil when that is not known
	last   string
	buf    []byte
}

// NewPainter returns a painter for a terminal of which nothing is known yet: its
// first frame is a full one.
func NewPainter(caps Caps) *Painter {
	return &Painter{parser: newParser(caps.Profile), differ: newDiffer(caps)}
}

// Frame returns the bytes that make the terminal show a frame of w×h cells, as
// Parse reads it; none when it is shown already. The bytes are valid until the
// next call. The painter takes it that they are written: where that fails, call
// Forget.
func (p *Painter) Frame(frame string, w, h int) []byte {
	w, h = max(w, 0), max(h, 0)
	if p.shown != nil && p.shown.w == w && p.shown.h == h && p.last == frame {
		return nil
	}
	next := p.parser.parse(p.shown, frame, w, h)
	p.buf = p.differ.diff(p.buf[:0], p.shown, next)
	p.parser.release(p.shown, next)
	p.shown, p.last = next, frame
	return p.buf
}

// Forget makes the next frame a full one.
func (p *Painter) Forget() {
	p.parser.release(p.shown, nil)
	p.shown, p.last = nil, ""
}
