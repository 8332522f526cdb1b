package screen

import (
	"context"
	"slices"
	"strings"
	"time"
)

// frame is what is to be shown, and the lines of it that a key or the mouse
// changed and that are not shown yet.
type frame struct {
	text  string
	first []bool
}

// pressing says that somebody waits to see what a key did.
func (f frame) pressing() bool { return slices.Contains(f.first, true) }

// over returns the frame in place of an older one that was not shown, or not
// all of it: what a key did there is still to be shown first.
func (f frame) over(old frame) frame {
	if len(f.first) < len(old.first) {
		f.first = append(f.first, make([]bool, len(old.first)-len(f.first))...)
	}
	for y, is := range old.first {
		f.first[y] = f.first[y] || is
	}
	return f
}

// changedLines says which lines of a frame differ from those of the one before.
func changedLines(before, after string) []bool {
	var changed []bool
	for more := true; more; {
		var was, is string
		was, before, _ = strings.Cut(before, "\n")
		is, after, more = strings.Cut(after, "\n")
		changed = append(changed, was != is)
	}
	return changed
}

// offer hands a frame to the painter in place of one that it has not begun.
func (r *runner) offer(f frame) {
	for {
		select {
		case r.frames <- f:
			return
		default:
		}
		select {
		case old := <-r.frames:
			f = f.over(old)
		default:
		}
	}
}

// paint writes frames as the terminal takes them: the newest one, slice by
// slice where the line is slow. Before each slice it looks for a newer frame, so
// that what is left of an old one is never written.
func (r *runner) paint(ctx context.Context, term *Terminal) {
	var f frame
	pending := false
	for {
		var due <-chan time.Time
		wait := time.Duration(0)
		if pending {
			if wait = term.line.wait(term.now(), f.pressing()); wait > 0 {
				timer := time.NewTimer(wait)
				due = timer.C
			}
		}
		if !pending || wait > 0 {
			select {
			case <-ctx.Done():
				return
			case next := <-r.frames:
				f, pending = next.over(f), true
			case <-term.line.changed:
			case <-due:
			}
			continue
		}
		select {
		case next := <-r.frames:
			f = next.over(f)
			continue // it may have to wait, or not
		default:
		}
		whole, err := term.paintSlice(f.text, f.first)
		if err != nil || ctx.Err() != nil {
			return // reported by the terminal
		}
		if whole {
			f, pending = frame{}, false
		}
	}
}
