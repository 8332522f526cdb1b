package directive

import (
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// Priority orders directives: P0 before P1 before P2.
type Priority int

// The priorities.
const (
	P0 Priority = iota
	P1
	P2
)

// String is "P0", "P1" or "P2".
func (p Priority) String() string {
	if p < P0 || p > P2 {
		return "P?"
	}
	return [...]string{"P0", "P1", "P2"}[p]
}

// ParsePriority reads P0, P1, P2 (also in lower case, also without the P).
func ParsePriority(s string) (Priority, error) {
	switch strings.TrimPrefix(strings.ToUpper(s), "P") {
	case "0":
		return P0, nil
	case "1":
		return P1, nil
	case "2":
		return P2, nil
	}
	return 0, model.Errorf(model.CodeInvalid, "%q is not a priority", clean.Line(model.CutBytes(s, 20))).WithHint("the priorities are P0, P1 and P2")
}

// MarshalText writes String's form.
func (p Priority) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what ParsePriority reads.
func (p *Priority) UnmarshalText(b []byte) error {
	v, err := ParsePriority(string(b))
	*p = v
	return err
}
