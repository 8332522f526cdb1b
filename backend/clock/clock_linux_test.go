package clock

import "testing"

func TestShift(t *testing.T) {
	for _, c := range []struct{ name, offsets, want string }{
		{"the host's", "monotonic           0         0\nboottime            0         0\n", ""},
		{"shifted", "monotonic      172800         0\nboottime       604800         5\n", "+172800.0+604800.5"},
		{"empty", "", ""},
		{"cut", "monotonic 5", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shift(c.offsets); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}
