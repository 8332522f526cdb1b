package screen

// order keeps track of which spans are still to be written. "The next one left"
// is answered in nearly constant time: each list is a chain of pointers to the
// next index, shortened as it is followed.
type order struct {
	next  []int32 // next[i] is i while span i is left, else a later index
	same  []int32 // the same among spans of one kind
	later []int32 // the next span of the same kind, or the count of spans
	head  []int32 // the first span of each kind
	n     int32
}

// start begins anew with all spans left.
func (o *order) start(spans []span, kinds int) {
	o.n = int32(len(spans))
	o.next = resized(o.next, len(spans)+1)
	o.same = resized(o.same, len(spans)+1)
	o.later = resized(o.later, len(spans)+1)
	o.head = resized(o.head, kinds)
	for k := range o.head {
		o.head[k] = o.n
	}
	for i := len(spans) - 1; i >= 0; i-- {
		o.next[i], o.same[i] = int32(i), int32(i)
		o.later[i] = o.head[spans[i].kind]
		o.head[spans[i].kind] = int32(i)
	}
	o.next[o.n], o.same[o.n] = o.n, o.n
}

// take marks span i as written.
func (o *order) take(i int) {
	o.next[i] = int32(i) + 1
	o.same[i] = o.later[i]
}

// left reports that span i is still to be written.
func (o *order) left(i int) bool { return o.next[i] == int32(i) }

// first returns the first span left on the screen, or -1.
func (o *order) first() int { return o.found(follow(o.next, 0)) }

// after returns the first span left after i, or -1.
func (o *order) after(i int) int { return o.found(follow(o.next, int32(i))) }

// sameAfter returns the first span of the kind left after i, then before i, or
// -1.
func (o *order) sameAfter(i, kind int) int {
	if s := follow(o.same, int32(i)); s < o.n {
		return int(s)
	}
	return o.found(follow(o.same, o.head[kind]))
}

func (o *order) found(i int32) int {
	if i >= o.n {
		return -1
	}
	return int(i)
}

// follow finds the end of a chain and makes everything on the way point at it.
func follow(chain []int32, i int32) int32 {
	end := i
	for chain[end] != end {
		end = chain[end]
	}
	for chain[i] != end {
		chain[i], i = end, chain[i]
	}
	return end
}

// resized returns a slice of n elements, the old one where it is large enough.
func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n, n+n/2)
	}
	return s[:n]
}
