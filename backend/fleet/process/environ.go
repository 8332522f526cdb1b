package process

import "strings"

// Environ is a process's environment, as os.Environ has it.
type Environ []string

// Get is a variable's value, "" where it is not set; of two the first counts.
func (e Environ) Get(name string) string {
	for _, kv := range e {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			return v
		}
	}
	return ""
}
