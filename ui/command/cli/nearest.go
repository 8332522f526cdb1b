package cli

import (
	"sort"
	"strings"
)

// nearest returns the name that is at most two edits away from what was
// written (ties by name), or "".
func nearest(written string, names []string) string {
	sort.Strings(names)
	best, at := "", 3
	for _, n := range names {
		if d := distance(written, n); d < at && d < len(n) {
			best, at = n, d
		} else if len(written) > 2 && strings.HasPrefix(n, written) && at > 1 {
			best, at = n, 1
		}
	}
	return best
}

// distance is the number of edits (insert, delete, replace, swap of
// neighbours) between two names.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
