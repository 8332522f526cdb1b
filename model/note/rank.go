package note

import "cmp"

// Freshness says whether what a note was written about is still there.
type Freshness string

// The freshnesses.
const (
	Fresh   Freshness = "fresh"
	Unknown Freshness = "unknown" // outside of Git, not a file, or not readable
	Stale   Freshness = "stale"
)

// FreshnessOf compares what stood at the path then with what stands there now,
// both as Git names it. read says that now is known; then "" is nothing.
func FreshnessOf(then, now string, read bool) Freshness {
	switch {
	case then == "" || !read:
		return Unknown
	case then == now:
		return Fresh
	}
	return Stale
}

// Rank says how far a note is to be believed.
type Rank string

// The ranks, the highest first.
const (
	RankEndorsed Rank = "endorsed" // by an owner of the path, and not stale
	RankHuman    Rank = "human"
	RankAgent    Rank = "agent"
)

// Rank is the note's for this freshness: an endorsement lapses while it is stale.
func (n *Note) Rank(f Freshness) Rank {
	switch {
	case n.EndorsedBy != "" && f != Stale:
		return RankEndorsed
	case n.Trust == Human:
		return RankHuman
	}
	return RankAgent
}

// Compare is the order in which notes are read: by rank, fresh before stale, the
// newest first. Where they are those of one path and the folders above it, near
// says so, and the nearest come before the newest.
func Compare(a, b *Note, fa, fb Freshness, near bool) int {
	nearer := 0
	if near {
		nearer = cmp.Compare(depth(b.Path), depth(a.Path))
	}
	return cmp.Or(
		cmp.Compare(rankPlace[a.Rank(fa)], rankPlace[b.Rank(fb)]), cmp.Compare(freshPlace[fa], freshPlace[fb]),
		nearer, cmp.Compare(b.FirstSeq, a.FirstSeq),
	)
}

var (
	rankPlace  = map[Rank]int{RankEndorsed: 0, RankHuman: 1, RankAgent: 2}
	freshPlace = map[Freshness]int{Fresh: 0, Unknown: 1, Stale: 2}
)

// depth is how far down a path is; of the paths above one, deeper is nearer.
func depth(p string) int { return len(Above(p)) }
