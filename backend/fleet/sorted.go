package fleet

import "sort"

// sortedKeys lists a map's names in order: nothing that shows depends on how a
// map is walked.
func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
