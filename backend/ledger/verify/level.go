package verify

import (
	"fmt"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
)

// behindMost is how many new events a comparison takes along in its own read.
const behindMost = 4000

// errBehind says that too many events came meanwhile: walk on first.
var errBehind = model.Errorf(model.CodeBusy, "too many events came meanwhile")

// level brings w up to the newest event of r's instant, and compares the head
// with it.
func (w *walker) level(r store.Reader) (*Finding, error) {
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	if head.Seq-w.seq > behindMost {
		return nil, errBehind
	}
	var h hasher
	for {
		events, odd, err := r.Inspect().Events(w.seq, walkPage)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		for i := range events {
			if t := w.take(&events[i], h.ok(&events[i]), odd); t != nil {
				return w.diagnose(r, t)
			}
		}
		if w.seq > head.Seq+behindMost {
			break
		}
	}
	switch {
	case w.seq < head.Seq:
		return w.absent(r, w.seq+1)
	case w.seq > head.Seq:
		return &Finding{Seq: head.Seq, What: WhatHead, Message: fmt.Sprintf("the head says event %d is the newest, but event %d is there", head.Seq, w.seq)}, nil
	case w.seq > 0 && (head.Hash != w.hash || head.TS != w.ts):
		return &Finding{Seq: head.Seq, What: WhatHead, Message: fmt.Sprintf("the head does not have the hash and time of event %d, the newest", head.Seq)}, nil
	}
	end, err := checksEnd(r)
	if err != nil {
		return nil, err
	}
	if end > w.seq {
		return w.absent(r, w.seq+1)
	}
	return nil, nil
}

// counts compares the plane counts with the fold. w is level with r.
func (w *walker) counts(r store.Reader) (*Finding, error) {
	have, err := r.Counts()
	if err != nil {
		return nil, err
	}
	all := make([]model.Counter, 0, len(have)+len(w.state.Counts))
	for c := range have {
		all = append(all, c)
	}
	for c := range w.state.Counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b model.Counter) int {
		return strings.Compare(a.Plane+"\x00"+a.Name, b.Plane+"\x00"+b.Name)
	})
	for _, c := range all {
		if have[c] != w.state.Counts[c] {
			return &Finding{
				Seq: w.seq, What: WhatCount, Key: c.Plane + "/" + c.Name,
				Message: fmt.Sprintf("the count %s of the %s plane says %d, but the events add up to %d", c.Name, c.Plane, have[c], w.state.Counts[c]),
			}, nil
		}
	}
	return nil, nil
}
