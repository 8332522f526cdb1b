package cli

import (
	"io"
	"strings"
	"time"

	"binnacle/model"
)

// progress is a line on stderr that grows in its place, only where people look.
type progress struct {
	w     io.Writer // nil: nobody looks
	what  string
	wide  int
	clock model.Clock
	at    model.Time
}

// progressEvery spaces the changes of the line.
const progressEvery = 100 * time.Millisecond

func (r *Run) Progress(what string) *progress {
	p := &progress{what: what, clock: r.Env.Clock}
	if r.Env.Terminal(Stderr) && !r.Asked {
		p.w = r.Env.Stderr
	}
	return p
}

func (p *progress) Show(done, total int64) {
	now := p.clock.Now()
	if p.w == nil || total <= 0 || p.at != 0 && now.Sub(p.at) < progressEvery {
		return
	}
	p.at = now
	line := p.what + " " + Number(done) + " of " + Number(total) + " (" + Itoa(done*100/total) + " %)"
	pad := strings.Repeat(" ", max(0, p.wide-len(line)))
	p.wide = len(line)
	_, _ = io.WriteString(p.w, "\r"+line+pad)
}

// End takes the line away.
func (p *progress) End() {
	if p.w != nil && p.wide > 0 {
		_, _ = io.WriteString(p.w, "\r"+strings.Repeat(" ", p.wide)+"\r")
	}
}
